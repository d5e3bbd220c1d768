"""The parts of the page Replay: the player, reviews and files."""
