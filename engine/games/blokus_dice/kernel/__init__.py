"""Blokus Dice, compiled."""
