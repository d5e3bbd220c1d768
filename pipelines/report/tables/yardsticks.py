"""Tables of what was measured: the distance from perfect play, the calibration of predicted wins, and figures of speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.lineups import short_names
from pipelines.report.estimates import format_intervals
from pipelines.report.tables.table import Table, make_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.records.calibration import CalibrationCase
    from pipelines.records.figures import Measurement
    from pipelines.records.perfect_play import PerfectPlayRecord
    from pipelines.report.tables.table import Cell


def perfect_play_table(record: PerfectPlayRecord) -> Table:
    """Return a row for each strategy, the one nearest to perfect play first."""
    distances = sorted(record.strategies, key=lambda distance: -distance.lead.estimate)
    names = short_names(distance.strategy for distance in distances)
    rows: list[dict[str, Cell]] = [
        {
            "strategy": names[distance.strategy],
            "points behind": points,
            "wins of 100": wins,
            "games": distance.games,
            "blocks": distance.blocks,
        }
        for distance, points, wins in zip(
            distances,
            format_intervals([distance.points_behind for distance in distances]),
            format_intervals([distance.percent_of_wins for distance in distances]),
            strict=True,
        )
    ]
    return make_table(f"Distances from perfect play: {record.title}", rows)


def calibration_table(case: CalibrationCase) -> Table:
    """Return a row for each tenth of the predictions."""
    rows: list[dict[str, Cell]] = [
        {
            "predicted, of 100": f"{100 * decile.low:.0f} to {100 * decile.low + 10:.0f}",
            "mean prediction": 100 * decile.predicted,
            "happened": happened,
            "error": error,
            "predictions": decile.predictions,
            "games": decile.blocks,
        }
        for decile, happened, error in zip(
            case.deciles,
            format_intervals([decile.happened for decile in case.deciles], scale=100),
            format_intervals([decile.error for decile in case.deciles], signed=True, scale=100),
            strict=True,
        )
    ]
    return make_table(f"Predictions in games of {case.players}", rows, formats={"mean prediction": ".1f"})


def tabulate_figures(measurements: Sequence[Measurement]) -> Table:
    """Return a row for each figure."""
    return Table(
        "Figures",
        ("measurement", "figure", "unit"),
        tuple((one.name, format_figure(one.value), one.unit) for one in measurements),
    )


def format_figure(value: float | None) -> str:
    """Format a figure with about three significant digits.

    >>> format_figure(58123.4), format_figure(1.834), format_figure(None)
    ('58,123', '1.83', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
