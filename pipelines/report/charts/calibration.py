"""The chart of a calibration: what happened over what was predicted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pipelines.report.charts.estimates import Lines
from pipelines.report.charts.series import Estimate
from pipelines.statistics import Interval
from pipelines.viewer.palette import OTHER_LOOK

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    @property
    def as_lines(self) -> Lines:
        """The same as lines over the predictions, the first of which joins all right ones; n counts predictions."""
        diagonal = [
            Estimate(end, "", "right predictions", Interval(end, math.nan, math.nan), 0, OTHER_LOOK)
            for end in (0, 100)
        ]
        estimates = [
            Estimate(point.predicted, "", line.name, point.happened, point.predictions, line.look)
            for line in self.lines
            for point in line.points
        ]
        return Lines([*diagonal, *estimates], self.across, self.upright, self.title, "prediction", "bars")
