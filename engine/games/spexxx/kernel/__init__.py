"""Spexxx, compiled: see `engine.kernels`."""
