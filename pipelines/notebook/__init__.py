"""What a person in Jupyter uses and sees: the classes of `api`, and their HTML and SVG without scripts except in replays."""
