"""The parts of the page Library."""
