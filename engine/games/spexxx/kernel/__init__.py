"""Spexxx, compiled."""
