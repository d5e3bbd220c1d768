"""Valuing every decision and every roll of a logged game by playouts."""
