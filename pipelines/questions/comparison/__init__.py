"""Comparisons of strategies as questions: one that is to be played, and one that a run answers."""
