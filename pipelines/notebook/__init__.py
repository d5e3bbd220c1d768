"""How libraries, runs, games and answers show themselves in Jupyter: HTML and SVG, no script but the replay's own."""
