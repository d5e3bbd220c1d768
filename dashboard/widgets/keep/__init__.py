"""The button that keeps what a page shows: as a note, and as a file."""
