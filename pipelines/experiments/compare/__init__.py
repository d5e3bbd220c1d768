"""Comparisons of strategies that play the same blocks, each with the same luck."""
