"""Simulations that are asked for, before they are played."""
