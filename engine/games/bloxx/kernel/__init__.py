"""BLOXX!, compiled."""
