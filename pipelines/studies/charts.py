"""The charts of a study as inline SVG: distributions of whole numbers, and estimates with their intervals.

A chart fills the width of its column: marks stand at percentages of it and texts keep their size, so the same file can be
read on a phone and on paper. Colour is never the only sign: lines have dashes and dots have shapes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.report.estimates import format_interval
from pipelines.report.wording import format_count, hide_folders
from pipelines.statistics.distributions import Distribution, common_bin_edges
from pipelines.statistics.rounding import set_minus_signs
from pipelines.studies.render import render_template
from pipelines.viewer.chart_look import FILL_OPACITY, LINE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook

MAX_BINS: Final = 40
_DASHES: Final = {
    "solid": "none",
    "dash": "7 4",
    "dot": "2 3",
    "dashdot": "7 3 2 3",
    "longdash": "12 4",
    "longdashdot": "12 3 2 3",
}
"""Lengths of the dashes and gaps of the line styles of a `SeriesLook`, in pixels."""
_SHAPES: Final = {
    "circle": "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
    "circle-open": "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
    "square": "M-4.5 -4.5H4.5V4.5H-4.5Z",
    "diamond": "M0 -6L6 0L0 6L-6 0Z",
    "triangle-up": "M0 -6L5.5 4.5H-5.5Z",
    "cross": "M-1.8 -5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8Z",
    "x": "M-5 -3L-3 -5L0 -2L3 -5L5 -3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0Z",
}
"""Paths of the symbols of a `SeriesLook` around (0, 0), in pixels."""


class ScoreSeries(NamedTuple):
    """The distribution of one strategy, ruleset or branch."""

    name: str
    distribution: Distribution
    mean: Interval | None
    """The interval counts blocks or continuations; the caption of the chart says which."""
    look: SeriesLook


class Estimate(NamedTuple):
    """One row of a chart of intervals."""

    name: str
    interval: Interval
    look: SeriesLook


class _Tick(NamedTuple):
    at: str
    """Per cent of the width or the height."""
    words: str


def make_distribution(values: Iterable[int]) -> Distribution:
    """Return the distribution of whole numbers, of which there is at least one."""
    distinct, counts = np.unique(np.fromiter(values, dtype=np.int64), return_counts=True)
    return Distribution(distinct, counts)


def draw_histogram(series: Sequence[ScoreSeries], title: str, axis: str, unit: str = "result") -> Markup:
    """Draw the share of results in each bin, one outline for each series; bins and axes are common.

    `title` names the chart for people who do not see it, `axis` what the numbers below it are, and `unit` one result.
    """
    edges = common_bin_edges([one.distribution for one in series], MAX_BINS)
    low, high = int(edges[0]), int(edges[-1])
    width = int(edges[1] - edges[0])
    shares = [one.distribution.bin_counts(edges) / one.distribution.n for one in series]
    top = max(float(column.max()) for column in shares) * 1.06
    # A bin of width 1 stands around its score; a wider one begins at its first score.
    shift = 0.5 if width == 1 else 0.0

    def place(score: float) -> str:
        return f"{100 * (score + shift - low) / (high - low):.2f}"

    return render_template(
        "histogram.html",
        title=title,
        axis=f"{axis}, in bins of {width}" if width > 1 else axis,
        fill_opacity=FILL_OPACITY,
        line_width=LINE_WIDTH,
        series=[
            {
                "name": hide_folders(one.name),
                "colour": one.look.colour,
                "dash": _DASHES[one.look.dash],
                "points": _outline_points(column.tolist(), top),
                "mean": one.mean and place(one.mean.estimate),
                "words": f"{format_count(one.distribution.n, unit)}, mean {format_interval(one.mean)}",
            }
            for one, column in zip(series, shares, strict=True)
        ],
        columns=[
            _Tick(place(tick), set_minus_signs(f"{tick:g}"))
            for tick in round_ticks(low, high - (width == 1), 7)
            if tick == int(tick)
        ],
        rows=[
            _Tick(f"{100 - 100 * tick / top:.2f}", f"{100 * tick:g} %")
            for tick in round_ticks(0, top, 4)
            if 0 < tick < top
        ],
    )


def draw_curve(series: Sequence[ScoreSeries]) -> Markup:
    """Draw small outlines of distributions without axes, and below them the mean of each as text."""
    edges = common_bin_edges([one.distribution for one in series], MAX_BINS)
    shares = [one.distribution.bin_counts(edges) / one.distribution.n for one in series]
    top = max(float(column.max()) for column in shares)
    return render_template(
        "curve.html",
        fill_opacity=FILL_OPACITY,
        line_width=LINE_WIDTH,
        series=[
            {
                "colour": one.look.colour,
                "dash": _DASHES[one.look.dash],
                "points": _outline_points(column.tolist(), top),
                "name": hide_folders(one.name),
                "words": format_interval(one.mean),
            }
            for one, column in zip(series, shares, strict=True)
        ],
    )


def _outline_points(column: Sequence[float], top: float) -> str:
    """Return the outline of shares as points of a plane of 1000 by 100 units; `top` is the share at its upper edge."""
    per_bin = 1000 / len(column)
    corners = [
        (edge * per_bin, 100 - 100 * share / top)
        for number, share in enumerate(column)
        for edge in (number, number + 1)
    ]
    return " ".join(f"{x:.1f},{y:.2f}" for x, y in [(0, 100), *corners, (1000, 100)])


def draw_intervals(estimates: Sequence[Estimate], title: str, axis: str, *, scale: float = 1.0) -> Markup:
    """Draw estimates as marks on their intervals, with a line at zero where zero means no difference.

    All numbers are multiplied by `scale`. Estimates that are not known are left out, so the chart may be empty.
    """
    finite = [
        one._replace(interval=type(one.interval)(*(scale * end for end in one.interval)))
        for one in estimates
        if all(map(math.isfinite, one.interval))
    ]
    if not finite:
        return render_template("intervals.html", title=title, axis=axis, rows=[], zero="0", ticks=[])
    low = min(0.0, *(one.interval.low for one in finite))
    high = max(0.0, *(one.interval.high for one in finite))
    span = (high - low) or 1.0
    low, high = low - span / 16, high + span / 16

    def place(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}"

    return render_template(
        "intervals.html",
        title=title,
        axis=axis,
        zero=place(0),
        rows=[
            {
                "name": hide_folders(one.name),
                "words": format_interval(one.interval, signed=True),
                "colour": one.look.colour,
                "shape": _SHAPES[one.look.symbol],
                "estimate": place(one.interval.estimate),
                "low": place(one.interval.low),
                "high": place(one.interval.high),
            }
            for one in finite
        ],
        ticks=[_Tick(place(tick), set_minus_signs(f"{tick:g}")) for tick in round_ticks(low, high, 5)],
    )


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most about `most` round numbers in a range.

    >>> round_ticks(-7, 42, 5), round_ticks(0, 0.23, 4)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 0.1, 0.2])
    """
    raw = (high - low) / most or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 10) + 0.0 for number in range(first, math.floor(high / step + 1e-9) + 1)]
