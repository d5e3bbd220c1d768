"""One logged game, at one of its plies, with its review if that is asked for."""
