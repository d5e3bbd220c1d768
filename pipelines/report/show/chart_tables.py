"""The numbers of a chart as a table: what a terminal and a file of numbers show in place of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.charts import Calibration, Histogram, Scales, write_means
from pipelines.report.estimates import format_intervals
from pipelines.report.table import Table

if TYPE_CHECKING:
    from pipelines.report.charts import Chart


def tabulate_chart(chart: Chart | Scales) -> Table:
    """Return a row for each line of a histogram, or for each estimate of another chart, with its n and its interval."""
    if isinstance(chart, Scales):
        return _tabulate_scales(chart)
    if isinstance(chart, Histogram):
        return _tabulate_histogram(chart)
    if isinstance(chart, Calibration):
        points = [(line.name, point) for line in chart.lines for point in line.points]
        happened = format_intervals([point.happened for _, point in points])
        return Table(
            chart.title,
            ("line", "predicted", "happened", "predictions", "games"),
            tuple(
                (name, point.predicted, text, point.predictions, point.games)
                for (name, point), text in zip(points, happened, strict=True)
            ),
            formats={"predicted": ".1f"},
        )
    texts = format_intervals([one.mean for one in chart.estimates])
    is_counted = any(one.n for one in chart.estimates)
    panels = len({one.panel_name for one in chart.estimates}) > 1
    names = len({one.name for one in chart.estimates}) > 1 and any(
        one.name != one.at for one in chart.estimates
    )
    across = getattr(chart, "across", "")
    return Table(
        chart.title,
        (
            *(["panel"] if panels else []),
            across or "estimate",
            *(["line"] if names else []),
            getattr(chart, "axis", "") or getattr(chart, "upright", ""),
            *([f"{chart.unit}s"] if is_counted else []),
        ),
        tuple(
            (
                *([one.panel_name] if panels else []),
                one.at,
                *([one.name] if names else []),
                text,
                *([one.n or None] if is_counted else []),
            )
            for one, text in zip(chart.estimates, texts, strict=True)
        ),
    )


def _tabulate_scales(chart: Scales) -> Table:
    """Return a row for each scale, with the lowest and the highest of the others on it."""
    ends = [[find(row.others, default=(0, ""))[1] for find in (min, max)] for row in chart.rows]
    return Table(
        chart.title,
        ("measure", "value", "lowest of the others", "highest of the others"),
        tuple((row.title, row.text, *others) for row, others in zip(chart.rows, ends, strict=True)),
    )


def _tabulate_histogram(chart: Histogram) -> Table:
    has_panels = len(chart.panels) > 1
    return Table(
        chart.title,
        (*(["panel"] if has_panels else []), "line", f"{chart.unit}s", f"mean {chart.axis}"),
        tuple(
            (*([one.panel_name] if has_panels else []), one.name, one.scores.n, mean)
            for one, mean in zip(chart.series, write_means(chart), strict=True)
        ),
    )
