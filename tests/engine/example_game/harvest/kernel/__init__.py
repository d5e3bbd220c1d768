"""Harvest, compiled."""
