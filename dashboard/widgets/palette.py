"""The colours of strategies, for charts: the same on every page and in notebooks."""

from pipelines.viewer.palette import SeriesLook, assign_looks, seat_looks

__all__ = ["SeriesLook", "assign_looks", "seat_looks"]
