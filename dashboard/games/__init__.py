"""The parts of the page Games."""
