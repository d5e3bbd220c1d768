"""What is drawn of a chart, as values: axes with their numbers, lines, marks, labels and headings at their places.

`plan_charts` makes the plan of a chart. Both drawers, `svg` and `figures`, draw it, so a page and a file show the same numbers and
the same words.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pipelines.report.show.look import LETTER_PX, LINE_PX, NARROW_PANEL_PX, PANEL_TOP_PX, ROOM_STEP_PX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.report.charts import Bins, Mark
    from pipelines.report.show.chart_labels import Label
    from pipelines.viewer.palette import SeriesLook


class Tick(NamedTuple):
    """A number or a name at an axis."""

    at: float
    words: str


class Axis(NamedTuple):
    """The numbers along an axis from `low` to `high`."""

    low: float
    high: float
    ticks: Sequence[Tick]
    title: str
    is_logarithmic: bool = False
    is_tilted: bool = False
    """Whether the words below the axis are too long to stand beside each other."""

    def share(self, value: float) -> float:
        """Return where a value stands, from 0 at `low` to 1 at `high`."""
        low, high, at = (
            map(math.log, (self.low, self.high, value)) if self.is_logarithmic else (*self[:2], value)
        )
        return (at - low) / (high - low)

    @property
    def longest_words(self) -> int:
        return max((len(tick.words) for tick in self.ticks), default=0)


class Path(NamedTuple):
    """A line through points; if `is_stepped`, each height lasts up to the next point."""

    x: Sequence[float]
    y: Sequence[float]
    words: Sequence[str] = ()
    """What each point says; empty if none says anything."""
    is_stepped: bool = False
    is_filled: bool = False
    """Whether the area below it is filled."""


class Band(NamedTuple):
    """The area between two lines."""

    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    is_stepped: bool = False


class Point(NamedTuple):
    """A mark or a bar, with the ends of its interval, which lie across if the series says so."""

    x: float
    y: float
    words: str
    ends: tuple[float, float] | None = None


class Box(NamedTuple):
    """Five quantiles across, at a height."""

    y: float
    quantiles: Sequence[float]


@dataclass
class Series:
    """What a panel shows of a strategy, or of another line."""

    name: str
    look: SeriesLook
    path: Path | None = None
    band: Band | None = None
    box: Box | None = None
    points: Sequence[Point] = ()
    symbol: str = ""
    """The mark of its points; that of its look if empty."""
    bar_width: float = 0.0
    """Width of its points, which are bars on zero; 0 if they are marks."""
    lies_across: bool = False
    """Whether the intervals lie along the shared axis."""
    is_named: bool = True
    """Whether the legend names it, if there is one."""


class RowText(NamedTuple):
    """A text in a line above a mark, `y` pixels below the top of the panel, at the left or the right end."""

    text: str
    y: float
    is_right: bool = False
    is_name: bool = False


@dataclass
class Panel:
    """The area between the axes."""

    heading: Sequence[str]
    """Its lines; empty without heading."""
    words: str
    """What it shows, for people who do not see it."""
    height: int
    """In pixels."""
    series: list[Series] = field(default_factory=list)
    labels: Sequence[Label] = ()
    rows: list[RowText] = field(default_factory=list)
    zones: list[tuple[float, float]] = field(default_factory=list)
    """Where a mark of the shared axis is drawn, in pixels from the top: beside the marks of rows, not through their names."""


@dataclass
class Plan:
    """Panels over one shared axis, from top to bottom."""

    title: str
    panels: list[Panel]
    across: Axis
    upright: Axis | None
    """None for rows: heights are then pixels from the top of a panel."""
    has_legend: bool = False
    mark: Mark | None = None
    """A value of the shared axis."""
    level: Mark | None = None
    """A value of the upright axis."""
    shaded: tuple[float, float] | None = None
    bins: Bins | None = None

    @property
    def room(self) -> int:
        """Space left of the panels in pixels, for the numbers of the upright axis: a multiple of `ROOM_STEP_PX`."""
        beside = LETTER_PX * self.upright.longest_words + 10 if self.upright else 1.0
        column = NARROW_PANEL_PX / max(1, len(self.across.ticks))
        tilted = 0.82 * LETTER_PX * self.across.longest_words - column / 2 if self.across.is_tilted else 0.0
        return ROOM_STEP_PX * math.ceil(max(beside, tilted) / ROOM_STEP_PX)

    @property
    def has_named_mark(self) -> bool:
        """Whether a name stands above each panel."""
        return self.mark is not None and bool(self.mark.name)

    @property
    def top_px(self) -> int:
        """Space above each panel, below its heading."""
        return PANEL_TOP_PX + LINE_PX * self.has_named_mark

    @property
    def words(self) -> str:
        """What the chart shows, for people who do not see it."""
        return " ".join(panel.words for panel in self.panels)

    @property
    def legend(self) -> list[Series]:
        """The lines that the legend names, each once."""
        named = {(one.name, one.look): one for panel in self.panels for one in panel.series if one.is_named}
        return list(named.values()) if self.has_legend else []
