"""Studies to give away: notes, games, comparisons and other answers as HTML pages that need no server."""
