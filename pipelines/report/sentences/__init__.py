"""Sentences on answers: one function makes a sentence, for all front ends."""
