"""One colour for each strategy, the same on every chart of every page and in notebooks."""

from pipelines.viewer.palette import Look, looks, seat_looks

__all__ = ["Look", "looks", "seat_looks"]
