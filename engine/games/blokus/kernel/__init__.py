"""Blokus, compiled."""
