"""Comparing strategies on the same luck, block by block."""
