"""Two plots as SVG: a histogram of scores, and estimates with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from markupsafe import Markup

from pipelines.notebook.render import render_template
from pipelines.viewer.chart_look import FILL_OPACITY, LINE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.statistics import Interval

PLOT_WIDTH_PIXELS: Final = 640
MAX_BINS: Final = 48
MAX_LABEL_CHARACTERS: Final = 34
"""Characters of a row's label that fit beside the intervals."""
_ROW_HEIGHT_PIXELS: Final = 26
_LABEL_WIDTH_PIXELS: Final = 210
_HISTOGRAM_MARGIN_PIXELS: Final = 10
_HISTOGRAM_BASE_PIXELS: Final = 140
"""Distance of the horizontal axis from the top; the highest column takes 120 of it."""


class IntervalRow(NamedTuple):
    """One row of a plot of intervals."""

    label: str
    interval: Interval
    colour: str


def draw_score_histogram(
    scores: Mapping[str, Sequence[tuple[int, int]]], colours: Mapping[str, str], title: str
) -> Markup:
    """Draw the share of results in each bin, one outline per strategy; without results the plot is empty.

    `scores` holds (score, number of results) for each strategy, in ascending order of scores.
    """
    every_score = [score for pairs in scores.values() for score, _ in pairs]
    if not every_score:
        return Markup()
    low, high = min(every_score), max(every_score)
    width = max(1, math.ceil((high - low + 1) / MAX_BINS))
    bins = (high - low) // width + 1
    shares = {name: _bin_shares(pairs, low, width, bins) for name, pairs in scores.items()}
    highest = max(max(column) for column in shares.values())
    left, base = _HISTOGRAM_MARGIN_PIXELS, _HISTOGRAM_BASE_PIXELS
    step = (PLOT_WIDTH_PIXELS - 2 * left) / bins

    def outline_points(column: Sequence[float]) -> str:
        corners = [
            (left + edge * step, base - share / highest * 120)
            for number, share in enumerate(column)
            for edge in (number, number + 1)
        ]
        corners = [(left, base), *corners, (left + bins * step, base)]
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)

    return render_template(
        "histogram.svg",
        title=title,
        width=PLOT_WIDTH_PIXELS,
        height=base + 30,
        base=base,
        left=left,
        right=PLOT_WIDTH_PIXELS - left,
        fill_opacity=FILL_OPACITY,
        line_width=LINE_WIDTH,
        outlines=[
            {"name": name, "colour": colours[name], "points": outline_points(column)}
            for name, column in shares.items()
        ],
        ticks=[
            {"x": f"{left + (tick - low + width / 2) / width * step:.1f}", "words": f"{tick:g}"}
            for tick in _round_ticks(low, high)
            if tick == int(tick)
        ],
    )


def _bin_shares(pairs: Sequence[tuple[int, int]], low: int, width: int, bins: int) -> list[float]:
    """Return the share of results in each of `bins` bins that are `width` scores wide and begin at `low`."""
    column, total = [0.0] * bins, sum(count for _, count in pairs)
    for score, count in pairs:
        column[(score - low) // width] += count / total
    return column


def draw_intervals(rows: Sequence[IntervalRow], title: str) -> Markup:
    """Draw estimates as dots on their intervals, with a vertical line at zero; without finite rows the plot is empty."""
    finite = [row for row in rows if all(map(math.isfinite, row.interval))]
    if not finite:
        return Markup()
    low = min(0.0, *(row.interval.low for row in finite))
    high = max(0.0, *(row.interval.high for row in finite))
    span = (high - low) or 1.0
    low, high = low - span / 20, high + span / 20
    scale = (PLOT_WIDTH_PIXELS - _LABEL_WIDTH_PIXELS - 20) / (high - low)

    def pixel_x(value: float) -> str:
        return f"{_LABEL_WIDTH_PIXELS + (value - low) * scale:.1f}"

    base = _ROW_HEIGHT_PIXELS * len(finite) + 8
    return render_template(
        "intervals.svg",
        title=title,
        width=PLOT_WIDTH_PIXELS,
        height=base + 24,
        base=base,
        zero=pixel_x(0),
        label_end=_LABEL_WIDTH_PIXELS - 12,
        rows=[
            {
                "words": row.label[:MAX_LABEL_CHARACTERS],
                "colour": row.colour,
                "y": _ROW_HEIGHT_PIXELS * number + 18,
                "estimate": pixel_x(row.interval.estimate),
                "low": pixel_x(row.interval.low),
                "high": pixel_x(row.interval.high),
            }
            for number, row in enumerate(finite)
        ],
        ticks=[{"x": pixel_x(tick), "words": f"{tick:g}"} for tick in _round_ticks(low, high)],
    )


def _round_ticks(low: float, high: float) -> list[float]:
    """Return four to ten round numbers in a range.

    >>> _round_ticks(-7, 42)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    raw = (high - low) / 6 or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = math.ceil(low / step)
    return [round(number * step, 10) for number in range(first, math.floor(high / step) + 1)]
