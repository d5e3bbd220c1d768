"""Charts of the recorded yardsticks: the ladder, and the calibration of predicted wins."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from pipelines.design.lineups import short_names
from pipelines.report.charts import Calibration, CalibrationLine, CalibrationPoint, Estimate, Intervals, Mark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.records.calibration import CalibrationCase
    from pipelines.records.ladder import LadderRecord
    from pipelines.viewer.palette import SeriesLook


def ladder_chart(records: Mapping[str, LadderRecord], looks: Mapping[str, SeriesLook]) -> Intervals:
    """Return the lead of each strategy over the next weaker one, the strongest first; `records` begin with the weakest."""
    names = short_names(records)
    labels = list(records)
    dots = [
        Estimate(
            f"{names[label]} over {names[weaker]}",
            "",
            label,
            lead,
            records[label].games,
            looks[label],
            names[label],
        )
        for weaker, label in reversed(list(itertools.pairwise(labels)))
        if (lead := records[label].lead)
    ]
    title = "The lead of each strategy over the next weaker one, with its 95 % interval"
    return Intervals(dots, "lead in points a game", title, "game", Mark(0, "equal"))


def calibration_chart(cases: Sequence[CalibrationCase], looks: Mapping[str, SeriesLook]) -> Calibration:
    """Return predicted wins beside those that happened, a line for each case."""
    names = short_names(case.players for case in cases)
    lines = [
        CalibrationLine(
            f"games of {names[case.players]}",
            [
                CalibrationPoint(
                    100 * decile.predicted, decile.happened.times(100), decile.predictions, decile.blocks
                )
                for decile in case.deciles
            ],
            looks[case.players],
        )
        for case in cases
    ]
    return Calibration(lines, "Predicted wins of 100 and those that happened, with their intervals")
