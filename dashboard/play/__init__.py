"""The parts of the page Play: the form before a game, the requests of the board, and what follows a finished game."""
