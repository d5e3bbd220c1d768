"""What-if questions: a logged game is forked at a ply and both branches are continued many times."""
