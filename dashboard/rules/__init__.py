"""The parts of the page Rules."""
