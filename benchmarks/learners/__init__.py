"""How the strategy `learned` learns, a module for each game that has one. They are compiled anew in each process."""
