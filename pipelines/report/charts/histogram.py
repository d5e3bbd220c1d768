"""The chart of distributions: bins that all lines share, cumulative shares, or quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.report.charts.series import group_series
from pipelines.report.estimates import format_intervals
from pipelines.statistics import common_bin_edges, dkw_half_width
from pipelines.statistics.rounding import format_short_interval, set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.scores.question import Shape
    from pipelines.report.charts.series import Mark, ScoreSeries
    from pipelines.statistics.intervals import Floats, Integers

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
HEAD_CHARACTERS: Final = 36
"""Characters of a line in the heading of a panel: a phone of 390 pixels has 288 beside the axis, and a letter takes 7.6."""


@dataclass(frozen=True)
class Histogram:
    """Distributions of whole numbers: a panel for each ruleset, a line for each strategy."""

    series: Sequence[ScoreSeries]
    axis: str
    """What the numbers are, with their unit."""
    title: str
    """What the chart shows, for people who do not see it."""
    unit: str = "result"
    """What is counted: one result, game or continuation."""
    mark: Mark | None = None
    shaded: tuple[int, int] | None = None
    """A range of scores that is emphasized, both ends included."""
    has_means: bool = True
    """Whether the means stand at the axis."""
    shape: Shape = "Histogram"

    @property
    def panels(self) -> list[list[ScoreSeries]]:
        """The series of each panel, from top to bottom."""
        return group_series(self.series)


class Bins(NamedTuple):
    """The bins of a histogram: bin `i` holds the whole numbers from `edges[i]` up to, but not including, the next edge."""

    edges: Integers

    @property
    def names(self) -> list[str]:
        """The scores of each bin as text."""
        return [
            f"{low} to {high - 1}" if high - low > 1 else f"{low}"
            for low, high in pairwise(self.edges.tolist())
        ]

    @property
    def middles(self) -> list[float]:
        """The middle of the whole numbers of each bin."""
        return [(low + high - 1) / 2 for low, high in pairwise(self.edges.tolist())]

    @property
    def width(self) -> int:
        return int(self.edges[1] - self.edges[0])

    def count_scores(self, one: ScoreSeries) -> Integers:
        """Return the number of results in each bin."""
        return one.scores.bin_counts(self.edges)

    def shares(self, one: ScoreSeries) -> Floats:
        """Return the share of the results in each bin."""
        return self.count_scores(one) / one.scores.n


def find_bins(series: Sequence[ScoreSeries]) -> Bins:
    """Return the bins that are common to some series."""
    return Bins(common_bin_edges([one.scores for one in series]))


def find_band(one: ScoreSeries) -> tuple[Floats, Floats]:
    """Return the ends of the band that contains the whole true distribution function with 95 %, at the values of a series."""
    half = dkw_half_width(one.blocks)
    shares = one.scores.shares_up_to
    return np.clip(shares - half, 0, 1), np.clip(shares + half, 0, 1)


def write_line_label(one: ScoreSeries, decimals: int | None = None) -> str:
    """Return the name of a series with its mean, for the label at its line; a long name has a line of its own.

    `decimals` are those of the means of a chart (`share_decimals`).
    """
    mean = write_mean(one, decimals)
    return f"{one.name}: {mean}" if len(one.name) + len(mean) + 1 < HEAD_CHARACTERS else f"{one.name}\n{mean}"


def write_means(chart: Histogram) -> list[str]:
    """Return the mean of every series with its interval, all with the same decimals.

    A chart without means at its axis may have no intervals; then the means stand alone.
    """
    texts = format_intervals([one.mean for one in chart.series])
    return [
        text if one.mean or chart.has_means else write_mean(one)
        for one, text in zip(chart.series, texts, strict=True)
    ]


def write_mean(one: ScoreSeries, decimals: int | None = None) -> str:
    """Return the mean of a series with its interval; that of the scores alone if there is no interval."""
    if one.mean is None:
        return set_minus_signs(f"{one.scores.mean:.4g}")
    return format_short_interval(one.mean, decimals=decimals)


def list_panel_words(panel: Sequence[ScoreSeries], *, name_lines: bool = True) -> list[str]:
    """Return the parts of the heading of a panel: its name and its numbers of results.

    Strategies are named only if the numbers differ; without `name_lines` the number of a single line stands without its
    name.
    """
    first = panel[0]
    names: dict[int, list[str]] = {}
    for one in panel:
        names.setdefault(one.scores.n, []).append(one.name)
    if len(names) > 1:
        together = {
            n: [f"{', '.join(same)} n = {n:,} each"]
            for n, same in names.items()
            if len(same) > 1 and len(f"{', '.join(same)} n = {n:,} each") <= HEAD_CHARACTERS
        }
        parts = [together.get(n) or [f"{name} n = {n:,}" for name in same] for n, same in names.items()]
        return [first.panel_name, *(part for some in parts for part in some)]
    if len(panel) > 1:
        return [first.panel_name, f"n = {first.scores.n:,} each"]
    is_named = not name_lines or first.panel_name.endswith(f" · {first.name}")
    return [
        first.panel_name,
        f"n = {first.scores.n:,}" if is_named else f"{first.name} n = {first.scores.n:,}",
    ]


def wrap_words(words: Sequence[str], most: int = HEAD_CHARACTERS) -> list[str]:
    """Return the lines of a heading that is made of parts: at most `most` characters each, unless a part is longer.

    >>> wrap_words(["spexxx-2p", "builder n = 600", "greedy n = 1,004", "random n = 404"])
    ['spexxx-2p · builder n = 600', 'greedy n = 1,004 · random n = 404']
    """
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > most:
            lines.append(word)
        else:
            lines[-1] += f" · {word}"
    return lines
