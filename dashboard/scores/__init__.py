"""The parts of the page Scores: filters, and a module for each view."""
