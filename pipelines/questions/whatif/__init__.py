"""What-if questions: what is different in a logged game, or in many games of a run, and what follows from it."""
