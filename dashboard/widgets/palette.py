"""One colour for each strategy, the same on every chart of every page and in notebooks."""

from pipelines.viewer.palette import SeriesLook, assign_looks, seat_looks

__all__ = ["SeriesLook", "assign_looks", "seat_looks"]
