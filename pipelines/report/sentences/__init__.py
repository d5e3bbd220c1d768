"""Sentences on answers, which pages, the terminal, studies and notebooks show alike."""
