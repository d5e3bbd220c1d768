"""BLOXX!, compiled: see `engine.kernels`."""
