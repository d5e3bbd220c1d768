"""The parts of the page Strategies."""
