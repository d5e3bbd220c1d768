"""Charts as values without pixels: what is drawn, how often it was counted, its axes and its title.

Each type is drawn twice: as SVG by `show.svg` for files and notebooks, and with Plotly by `show.figures` for pages. What both need,
such as bins, numbers of axes and labels, is computed here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

import numpy as np

from pipelines.report.estimates import format_intervals
from pipelines.report.wording import join_words
from pipelines.statistics import Distribution, Interval, common_bin_edges, dkw_half_width
from pipelines.statistics.rounding import format_short_interval, set_minus_signs
from pipelines.viewer.palette import OTHER_LOOK, SeriesLook, seat_looks

if TYPE_CHECKING:
    from pipelines.questions.scores.question import Shape
    from pipelines.statistics.intervals import Floats, Integers


@dataclass(frozen=True)
class ScoreSeries:
    """The distribution of one line of a panel, such as the scores of a strategy under a ruleset."""

    panel: str
    """The heading of the panel; empty for a chart of one panel without heading."""
    name: str
    scores: Distribution
    blocks: int
    """Independent units behind the scores; intervals count blocks, not games."""
    mean: Interval | None
    """The mean score with an interval from block means; None for fewer than two blocks."""
    look: SeriesLook


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval at a place: a part of the score, a round, a seat."""

    at: str | float
    panel: str
    """The heading of the panel; empty for a chart of one panel without heading."""
    name: str
    """The name of the line, such as a strategy."""
    mean: Interval
    """Ends that are not known are nan."""
    n: int
    """Number of what the chart names as its unit; 0 if nothing was counted."""
    look: SeriesLook
    is_chosen: bool = False
    """Whether its mark stands out, because something below the chart is about it."""
    parts: tuple[float, ...] = ()
    """What it adds up to, drawn as bars beside each other."""


Drawn = TypeVar("Drawn", ScoreSeries, Estimate)


def overlay_panels(drawn: Sequence[Drawn]) -> list[Drawn]:
    """Return the lines of several panels in a panel for each name, where each has the name and the colour of its former panel."""
    panels = list(dict.fromkeys(line.panel for line in drawn))
    looks = seat_looks(len(panels))
    return [
        replace(line, panel=line.name, name=line.panel, look=looks[panels.index(line.panel)])
        for line in drawn
    ]


class Mark(NamedTuple):
    """A value that a dashed line marks, with its name, which may be empty."""

    at: float
    name: str = ""


def make_distribution(values: Iterable[int]) -> Distribution:
    """Return the distribution of at least one whole number."""
    distinct, counts = np.unique(np.fromiter(values, dtype=np.int64), return_counts=True)
    return Distribution(distinct, counts)


def group_estimates(estimates: Sequence[Estimate]) -> list[list[list[Estimate]]]:
    """Return the lines of each panel, from top to bottom. The estimates of a line have one name."""
    panels: dict[str, dict[str, list[Estimate]]] = {}
    for estimate in estimates:
        panels.setdefault(estimate.panel, {}).setdefault(estimate.name, []).append(estimate)
    return [list(lines.values()) for lines in panels.values()]


@dataclass(frozen=True)
class Intervals:
    """Estimates on their intervals, a row for each place."""

    estimates: Sequence[Estimate]
    axis: str
    """What is estimated, with its unit."""
    title: str
    """What the chart shows, for people who do not see it."""
    unit: str = "block"
    """What the n of an estimate counts."""
    mark: Mark | None = None
    """A value to compare with, such as no difference."""
    has_legend: bool = False
    """Whether a legend names the strategies, for rows that do not."""
    has_counts: bool = False
    """Whether the n of an estimate stands beside its numbers."""
    starts_at_zero: bool = False
    part_names: Sequence[str] = ()
    """What the legend calls the parts of the estimates."""


@dataclass(frozen=True)
class Lines:
    """Estimates over numbers, joined to a line for each strategy."""

    estimates: Sequence[Estimate]
    across: str
    upright: str
    """Titles of the axes, with their units."""
    title: str
    unit: str = "result"
    intervals: Literal["band", "bars"] = "band"
    mark: Mark | None = None
    """A value of the upright axis to compare with."""
    is_logarithmic: bool = False
    """Whether the places stand at their logarithms."""
    is_joined: bool = True
    """Without lines the estimates are points."""
    has_points: bool = False
    """Whether points stand on the lines of bands."""
    place_mark: Mark | None = None
    """A place to compare with."""
    shaded: tuple[float, float] | None = None
    """A range of the upright axis that is emphasized, such as a target."""


@dataclass(frozen=True)
class Columns:
    """Estimates at a few places, the strategies of a place beside each other."""

    estimates: Sequence[Estimate]
    across: str
    upright: str
    """Titles of the axes, with their units."""
    title: str
    unit: str = "result"
    mark: Mark | None = None
    """A value of the upright axis to compare with."""
    stands_on_zero: bool = False
    """Whether the columns are bars that begin at zero, as counts do, and not marks, as means are."""
    shaded: tuple[float, float] | None = None
    """A range of the upright axis that is emphasized, such as a target."""


def list_places(lines: Sequence[Sequence[Estimate]]) -> list[str | float]:
    """Return the places of some lines, each once, in the order of their first estimates."""
    return list(dict.fromkeys(point.at for line in lines for point in line))


def list_ends(estimates: Sequence[Estimate]) -> list[float]:
    """Return the finite ones of all estimates and ends of intervals."""
    return [end for estimate in estimates for end in estimate.mean if math.isfinite(end)]


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
        panels: dict[str, list[ScoreSeries]] = {}
        for series in self.series:
            panels.setdefault(series.panel, []).append(series)
        return list(panels.values())


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

    def count_scores(self, series: ScoreSeries) -> Integers:
        """Return the number of results in each bin."""
        return series.scores.bin_counts(self.edges)

    def shares(self, series: ScoreSeries) -> Floats:
        """Return the share of the results in each bin."""
        return self.count_scores(series) / series.scores.n


def find_bins(series: Sequence[ScoreSeries]) -> Bins:
    """Return the bins that are common to some series."""
    return Bins(common_bin_edges([curve.scores for curve in series]))


def find_band(series: ScoreSeries) -> tuple[Floats, Floats]:
    """Return the ends of the band that contains the whole true distribution function with 95 %, at the values of a series."""
    half = dkw_half_width(series.blocks)
    shares = series.scores.shares_up_to
    return np.clip(shares - half, 0, 1), np.clip(shares + half, 0, 1)


def write_line_label(series: ScoreSeries, decimals: int | None, max_characters: int) -> str:
    """Return the name of a series with its mean, for the label at its line; in two lines if it has more than `max_characters`.

    `decimals` are those of the means of a chart (`share_decimals`).
    """
    mean = write_mean(series, decimals)
    label = f"{series.name}: {mean}"
    return label if len(label) <= max_characters else f"{series.name}:\n{mean}"


def write_means(chart: Histogram) -> list[str]:
    """Return the mean of every series with its interval, all with the same decimals.

    A chart without means at its axis may have no intervals; then the means stand alone.
    """
    texts = format_intervals([series.mean for series in chart.series])
    return [
        text if curve.mean or chart.has_means else write_mean(curve)
        for curve, text in zip(chart.series, texts, strict=True)
    ]


def write_mean(series: ScoreSeries, decimals: int | None = None) -> str:
    """Return the mean of a series with its interval; that of the scores alone if there is no interval."""
    if series.mean is None:
        return set_minus_signs(f"{series.scores.mean:.4g}")
    return format_short_interval(series.mean, decimals=decimals)


def list_panel_words(panel: Sequence[ScoreSeries], *, name_lines: bool = True) -> list[str]:
    """Return the parts of the heading of a panel: its name and its numbers of results.

    Strategies are named only if the numbers differ; without `name_lines` the number of a single line stands without its
    name, and so do those of lines whose names need more than two lines.
    """
    first = panel[0]
    names: dict[int, list[str]] = {}
    for curve in panel:
        names.setdefault(curve.scores.n, []).append(curve.name)
    if len(names) > 1:
        together = {
            n: [f"{', '.join(same)} n = {n:,} each"]
            for n, same in names.items()
            if len(same) > 1 and len(f"{', '.join(same)} n = {n:,} each") <= HEAD_CHARACTERS
        }
        parts = [together.get(n) or [f"{name} n = {n:,}" for name in same] for n, same in names.items()]
        words = [first.panel, *(part for some in parts for part in some)]
        if name_lines or len(wrap_words(words)) < 3:
            return words
        return [first.panel, f"n = {join_words([f'{curve.scores.n:,}' for curve in panel])}"]
    if len(panel) > 1:
        return [first.panel, f"n = {first.scores.n:,} each"]
    is_named = not name_lines or first.panel.endswith(f" · {first.name}")
    return [first.panel, f"n = {first.scores.n:,}" if is_named else f"{first.name} n = {first.scores.n:,}"]


def wrap_words(words: Sequence[str]) -> list[str]:
    """Return the lines of a heading that is made of parts: at most `HEAD_CHARACTERS` characters each, unless a part is longer.

    The first part, which holds for all others, has a line of its own if they do not fit beside it.

    >>> wrap_words(["spexxx-2p", "builder n = 600", "greedy n = 1,004", "random n = 404"])
    ['spexxx-2p', 'builder n = 600 · greedy n = 1,004', 'random n = 404']
    """
    whole = " · ".join(words)
    if len(whole) <= HEAD_CHARACTERS:
        return [whole]
    lines = [*words[:2]]
    for word in words[2:]:
        if len(lines[-1]) + len(word) + 3 > HEAD_CHARACTERS:
            lines.append(word)
        else:
            lines[-1] += f" · {word}"
    return lines


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
        """The same as lines over the predictions; the first line joins all right predictions, and n counts predictions."""
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


class Scale(NamedTuple):
    """A number on a scale. Places on the scale are from 0 to 1."""

    title: str
    text: str
    """The number with its interval and its unit."""
    ends: tuple[str, str]
    """What a low and a high number mean."""
    place: Interval | None
    """None if there are not enough games."""
    others: tuple[tuple[float, str], ...]
    """The places of others, each with its name and number."""
    about: str
    """The definition and its source."""
    record: Mapping[str, Any] = {}
    """The number as in the records of the answer."""
    name: str = ""
    """Whose number it is, if others of the same title follow."""
    mark: Mark | None = None
    """What the number is compared with, such as no change."""

    @property
    def label(self) -> str:
        """What is measured, and whose number it is."""
        return f"{self.title}{self.name and f', {self.name}'}"


@dataclass(frozen=True)
class Scales:
    """Numbers on scales, a row for each. Those of one title follow each other and have the same scale."""

    rows: tuple[Scale, ...]
    title: str

    @property
    def groups(self) -> list[list[Scale]]:
        """The rows of each title."""
        return [list(rows) for _, rows in groupby(self.rows, key=lambda row: row.title)]


Chart = Histogram | Intervals | Lines | Columns | Calibration
