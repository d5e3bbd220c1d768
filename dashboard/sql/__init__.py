"""The parts of the page SQL."""
