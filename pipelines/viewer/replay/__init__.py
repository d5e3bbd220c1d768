"""The replay of a game: its JavaScript, its style sheets, and the self-contained HTML page around them."""
