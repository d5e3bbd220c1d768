"""Experiments on games: everything that needs many of them. Knows no screen."""
