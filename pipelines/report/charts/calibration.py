"""The chart of a calibration: what happened over what was predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook


class CalibrationPoint(NamedTuple):
    """Predictions of about the same size, and what happened; both are numbers of 100."""

    predicted: float
    happened: Interval
    predictions: int
    games: int


class CalibrationLine(NamedTuple):
    """The predictions of one kind, from the lowest to the highest."""

    name: str
    points: Sequence[CalibrationPoint]
    look: SeriesLook


@dataclass(frozen=True)
class Calibration:
    """Lines over the diagonal, on which right predictions lie."""

    lines: Sequence[CalibrationLine]
    title: str
    """What the chart shows, for people who do not see it."""
    across: str = "predicted wins of 100"
    upright: str = "wins of 100 that happened"
