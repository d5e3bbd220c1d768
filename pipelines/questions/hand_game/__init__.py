"""Games by hand as values: their address holds all of them, so that a reload goes on with the game."""
