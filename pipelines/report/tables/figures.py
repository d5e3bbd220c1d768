"""The table of the figures that a benchmark measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.records.figures import Measurement


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
