"""Forking a logged game and playing on from the fork many times."""
