"""What is drawn of a chart, as values: axes, lines, marks, and labels that cover neither a line nor another label.

The look that all charts share stands here, too: type, colours, sizes and marks, for SVG and for Plotly. `palette` has the colours of strategies.

`plan_charts` makes the plan of a chart. Both drawers, `svg` and `figures`, draw it, so a page and a file show the same numbers and
the same words.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.report.charts import Bins, Mark, ScoreSeries
    from pipelines.statistics.intervals import Floats
    from pipelines.viewer.palette import SeriesLook


class Tick(NamedTuple):
    """A number or a name at an axis."""

    at: float
    words: str


def round_ticks(low: float, high: float, maximum: int) -> list[float]:
    """Return at most about `maximum` round numbers in a range.

    >>> round_ticks(-7, 42, 5), round_ticks(0, 0.23, 4)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 0.1, 0.2])
    """
    raw = (high - low) / maximum or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) + 0.0 for number in range(first, last + 1)]


def widen_ends(ends: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis with a little room on both sides of what it shows."""
    span = (max(ends) - min(ends)) or 1.0
    return min(ends) - span / 16, max(ends) + span / 16


def format_tick(value: str | float) -> str:
    """Return a number as an axis shows it, and a name as it is.

    >>> format_tick(-2.50), format_tick(12000)
    ('−2.5', '12,000')
    """
    return value if isinstance(value, str) else set_minus_signs(f"{value:,.10g}")


class Axis(NamedTuple):
    """The numbers along an axis from `low` to `high`."""

    low: float
    high: float
    ticks: Sequence[Tick]
    title: str
    is_logarithmic: bool = False
    is_tilted: bool = False
    """Whether the words below the axis are too long to stand beside each other, even on several lines."""

    @property
    def more_lines(self) -> int:
        """The number of lines of the words below the axis, beyond the first one."""
        return max((tick.words.count("\n") for tick in self.ticks), default=0)

    @property
    def below_px(self) -> int:
        """Height that the words below the axis take beyond one line."""
        return TILT_PX if self.is_tilted else LINE_PX * self.more_lines

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


MARK_PX: Final = 9
CHOSEN_MARK_PX: Final = 16
"""Size of a mark, and of one that stands out."""


class Point(NamedTuple):
    """A mark or a bar, with the ends of its interval, which lie across if the series says so."""

    x: float
    y: float
    words: str
    ends: tuple[float, float] | None = None
    key: tuple[str, str] | None = None
    """The names of the line and of the row of a mark that can be chosen."""
    size: float = MARK_PX
    """Of its mark, in pixels."""


class Bar(NamedTuple):
    """A bar along the shared axis, at a height."""

    y: float
    ends: tuple[float, float]


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
    bars: Sequence[Bar] = ()
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
    """A text in a line above a mark, `y` pixels below the top of the panel, which begins `shift` pixels right of a share of the width."""

    text: str
    y: float
    share: float = 0.0
    shift: float = 0.0
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
    upright: Axis | None = None
    """An axis of its own; None for that of the plan."""


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
    """A range of the shared axis."""
    shaded_heights: tuple[float, float] | None = None
    """A range of the upright axis."""
    bins: Bins | None = None

    @property
    def room(self) -> int:
        """Space left of the panels in pixels, for the numbers of the upright axis: a multiple of `ROOM_STEP_PX`."""
        beside = LETTER_PX * self.upright.longest_words + 10 if self.upright else 1.0
        column = NARROW_PANEL_PX / max(1, len(self.across.ticks))
        tilted = 0.82 * LETTER_PX * self.across.longest_words - column / 2 if self.across.is_tilted else 0.0
        return ROOM_STEP_PX * math.ceil(max(beside, tilted) / ROOM_STEP_PX)

    def find_upright(self, panel: Panel) -> Axis | None:
        return panel.upright or self.upright

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
        first_series = {
            (series.name, series.look): series
            for panel in self.panels
            for series in panel.series
            if series.is_named
        }
        return list(first_series.values()) if self.has_legend else []


LABEL_PX: Final = 16
"""Height of a line of a label."""
POINT_ROOM_PX: Final = 6
"""Room between the name at the end of a line and the lines, for their points."""
SCALING_ROUNDS: Final = 20
"""Attempts to find the height of the bins that leaves room for the labels above them."""
OUTLINE_PLACES: Final = 512
"""Places along an axis where the height of outlines is known to labels: closer to each other than pixels of a phone."""

Anchor = Literal["left", "center", "right"]


class Label(NamedTuple):
    """The name of a line, in one or more lines, `lift` pixels above a point of it, with a small square in its colour."""

    text: str
    x: float
    y: float
    lift: float
    anchor: Anchor
    """Which end of the label stands at the point."""
    look: SeriesLook


class Size(NamedTuple):
    """The size of a panel in pixels; its width is that of a narrow one, because the real width is not known."""

    width: int
    height: int


class _LabelBox(NamedTuple):
    """Where a label stands: from 0 to 1 across, in pixels upwards."""

    left: float
    low: float
    right: float
    high: float
    place: float
    """The point of the line."""
    anchor: Anchor


def place_outline_labels(  # noqa: PLR0913, PLR0917 - what the labels stand on and what they avoid
    panels: Sequence[Sequence[ScoreSeries]],
    texts: Sequence[Sequence[str]],
    bins: Bins,
    across: Axis,
    size: Size,
    mark: Mark | None = None,
) -> tuple[list[list[Label]], float]:
    """Return the labels of each panel, at the means and above all outlines, and the share at the top of the panels.

    `texts` are those of the labels, and `size` is that of a panel. Where there is room, the line of the `mark` runs beside a label.
    """
    line = across.share(mark.at) if mark else None
    shares = [[bins.shares(curve) for curve in panel] for panel in panels]
    highest = max(float(line.max()) for lines in shares for line in lines)
    means = [
        [curve.mean.estimate if curve.mean else curve.scores.mean for curve in panel] for panel in panels
    ]
    places = [[min(1.0, max(0.0, across.share(mean))) for mean in row] for row in means]
    pixels, boxes = float(size.height), list[list[_LabelBox]]()
    for _ in range(SCALING_ROUNDS):  # labels above the highest bin shrink the bins, which moves the labels
        boxes = [
            _place_boxes(words, at, _find_outlines(lines, bins, across), pixels / highest, size.width, line)
            for words, at, lines in zip(texts, places, shares, strict=True)
        ]
        top = max(pixels, *(box.high for row in boxes for box in row))
        if top <= size.height + 0.5:
            break
        pixels *= size.height / top
    labels = [
        [
            Label(text, mean, 0.0, box.low, box.anchor, curve.look)
            for curve, text, mean, box in zip(panel, words, row, placed, strict=True)
        ]
        for panel, words, row, placed in zip(panels, texts, means, boxes, strict=True)
    ]
    return labels, highest * size.height / pixels


def _find_outlines(lines: Sequence[Floats], bins: Bins, across: Axis) -> list[Floats]:
    """Return the share of each line at `OUTLINE_PLACES` places along the axis, which may be longer than the bins."""
    at = np.linspace(across.low, across.high, OUTLINE_PLACES)
    numbers = np.floor((at - float(bins.edges[0]) + 0.5) / bins.width).astype(np.int64) + 1
    return [np.pad(line, 1)[np.clip(numbers, 0, len(line) + 1)] for line in lines]


def _place_boxes(  # noqa: PLR0913, PLR0917 - what the labels avoid
    texts: Sequence[str],
    places: Sequence[float],
    lines: Sequence[Floats],
    pixels_per_share: float,
    panel_px: int,
    mark: float | None,
) -> list[_LabelBox]:
    """Return where the label of each line of a panel stands: above all outlines at its place, and above the labels before it.

    It stands beside an upright `mark`, from 0 to 1 across, if it ends within the panel there.
    """
    boxes: list[_LabelBox] = []
    for text, place in zip(texts, places, strict=True):
        words = text.split("\n")
        width = LETTER_PX * (max(map(len, words)) + 2) / panel_px
        anchor: Anchor = "left" if place < width / 2 else "right" if place > 1 - width / 2 else "center"
        if mark is not None and abs(place - mark) < width / 2:
            is_before = place < mark
            has_room = place > width if is_before else place < 1 - width
            anchor = ("right" if is_before else "left") if has_room else anchor
        left = {"left": place, "right": place - width, "center": place - width / 2}[anchor]
        below = slice(max(0, int(left * OUTLINE_PLACES) - 1), int((left + width) * OUTLINE_PLACES) + 2)
        low = max(float(other[below].max()) for other in lines) * pixels_per_share
        high = low + LABEL_PX * len(words)
        boxes.append(_lift_box(_LabelBox(left, low, left + width, high, place, anchor), boxes))
    return boxes


def _lift_box(box: _LabelBox, placed: Sequence[_LabelBox]) -> _LabelBox:
    """Return a box, lifted until it overlaps none of the boxes that are taken."""
    for other in sorted(placed, key=lambda box: box.low):
        overlaps = box.left < other.right and other.left < box.right
        if overlaps and box.low < other.high and other.low < box.high:
            box = box._replace(low=other.high, high=other.high + box.high - box.low)
    return box


def crop_panels(
    plan: Plan, panels: Sequence[Sequence[ScoreSeries]], bins: Bins, pixels_per_share: float
) -> None:
    """Cut what is blank above the outlines and labels of each panel. All have one scale."""
    for panel, drawn in zip(panels, plan.panels, strict=True):
        tops = [label.lift + LABEL_PX * (1 + label.text.count("\n")) for label in drawn.labels]
        tops += [1.06 * pixels_per_share * float(bins.shares(curve).max()) for curve in panel]
        drawn.height = math.ceil(max(tops))
        if plan.upright:
            high = drawn.height / pixels_per_share
            ticks = [tick for tick in plan.upright.ticks if tick.at < high]
            drawn.upright = plan.upright._replace(high=high, ticks=ticks)


def place_end_labels(lines: Sequence[Series], across: Axis, upright: Axis, height: int) -> list[Label]:
    """Return the name of each line above its last point, lifted where a line or another name would cover it.

    A line that falls to its end is higher beside it, along the whole name. `height` is that of the panel in pixels; names may stand
    above it.
    """
    pixels = height / (upright.high - upright.low or 1.0)
    paths = [line.path for line in lines if line.path]
    free, labels = -math.inf, []
    for line in sorted(lines, key=lambda line: line.path.y[-1] if line.path else 0.0):
        if not (line.path and line.name):
            continue
        x, y = line.path.x[-1], line.path.y[-1]
        right = across.share(x)
        left = max(0.0, right - LETTER_PX * (len(line.name) + 3) / NARROW_PANEL_PX)
        place = max(free, (y - upright.low) * pixels)
        for low, high in sorted(_find_heights(path, across, left, right) for path in paths):
            lowest, highest = ((end - upright.low) * pixels for end in (low, high))
            if lowest < place + LABEL_PX + POINT_ROOM_PX and highest >= place:
                place = highest + POINT_ROOM_PX
        free = place + LABEL_PX
        labels.append(Label(line.name, x, y, place - (y - upright.low) * pixels, "right", line.look))
    return labels


def _find_heights(path: Path, across: Axis, left: float, right: float) -> tuple[float, float]:
    """Return the lowest and the highest point of a line between two shares of the axis across."""
    shares = [across.share(x) for x in path.x]
    inside = [y for share, y in zip(shares, path.y, strict=True) if left <= share <= right]
    ends = np.interp([left, right], shares, path.y).tolist()
    return min(inside + ends), max(inside + ends)


TEXT_FONT: Final = "'Source Sans', 'Source Sans 3', 'Reroll Sans', system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
HEAD_FONT: Final = "'Source Serif', 'Source Serif 4', 'Reroll Serif', Georgia, 'Liberation Serif', serif"
"""Font of titles, and of the headings of panels: that of the headings of pages."""
FONT_FILES: Final = {"Reroll Sans": ("sans.woff2", "400 600"), "Reroll Serif": ("serif.woff2", "600")}
"""The files and weights of the fonts that a file contains, by their families; `fonts/LICENSE.txt` says what they are."""

TEXT_PX: Final = 12.5
"""Size of all texts of a chart but its headings."""
HEADING_PX: Final = 14
"""Size of the heading of a panel."""
TITLE_PX: Final = 17
CAPTION_PX: Final = 14
LETTER_PX: Final = 6.6
"""Width of a letter of a text. Most numbers and names are a little narrower."""
LINE_PX: Final = 18
"""Height of a line of headings, labels and legends."""
PANEL_GAP_PX: Final = 12
"""Space between a panel and the heading of the next one."""
PANEL_TOP_PX: Final = 8
"""Space above a panel, below its heading; the name of a mark takes a line more."""
TICKS_PX: Final = 24
"""Height of the numbers below the last panel."""
TILT_PX: Final = 52
"""Height below these numbers for words that are tilted, which have at most `TILTED_CHARACTERS` letters."""
TILTED_CHARACTERS: Final = 18
RIGHT_PX: Final = 14
"""Space right of the panels: room for half of the last number of the axis."""
NARROW_PANEL_PX: Final = 330
"""Width of the panels for which texts are placed: that on a phone, because the real width is not known."""
SIDE_PANEL_PX: Final = 215
"""The same for a chart beside a board."""
LABEL_SHARE: Final = 0.75
"""The share of the width of a panel that a line of a label may take before its numbers move into a line of their own."""
LABEL_SHARE_BESIDE_MARK: Final = 0.4
"""The same where the upright line of a mark may run beside the label."""
ROOM_STEP_PX: Final = 8
"""The room for numbers left of the panels is a multiple of this."""

LINE_WIDTH: Final = 2.0
"""Width of a line in pixels."""
INTERVAL_WIDTH: Final = 3.0
"""Width of an interval along an axis; an upright one has that of a line, and ends of `CAP_PX` on both sides."""
CAP_PX: Final = 4
MEAN_MARK_PX: Final = 11
"""Size of the mark of a mean of a distribution."""
BAR_PX: Final = 12
"""Height of a bar along the shared axis."""
BOX_PX: Final = 16
"""Height of a box of quantiles."""
FILL_OPACITY: Final = 0.14
"""Opacity of the area under an outline, so that the areas of several outlines can be seen through each other."""
SHADE_OPACITY: Final = 0.18
"""Opacity of an emphasized range."""
RING_WIDTH: Final = 2.0
"""Width of the line of an open mark."""
FAINT_OPACITY: Final = 0.75
"""Opacity of the titles of axes."""
MARK_COLOUR: Final = "#8A8A8A"
"""Colour of axes and of marks that belong to no line, visible on white and on a nearly black background."""
PART_COLOURS: Final = ("#C8C8C8", "#6C6C6C", "#404040")
"""Colours of the parts of a bar: greys that differ in lightness from each other, from white and from a nearly black background."""
GRID_COLOUR: Final = "rgba(138,138,138,0.45)"
GRID_DASH: Final = (1, 4)
MARK_DASH: Final = (5, 4)


class PageColours(NamedTuple):
    """The colours of texts and lines around a chart: those of pages and files."""

    ink: str
    faint: str
    rule: str
    paper: str


LIGHT: Final = PageColours("#23241f", "#5f6058", "#d9d5c9", "#fdfcf9")
DARK: Final = PageColours("#e9e7e1", "#a9a8a2", "#3c3f43", "#191a1c")

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
    "square": "M-5 -5H5V5H-5Z",
    "diamond": "M0 -6.5L6.5 0L0 6.5L-6.5 0Z",
    "triangle-up": "M0 -5L5.8 2.5H-5.8Z",
    "triangle-left": "M-5 0L2.5 -5.8V5.8Z",
    "triangle-right": "M5 0L-2.5 -5.8V5.8Z",
    "cross": "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
    "x": "M0 2.8L2.8 5.6L5.6 2.8L2.8 0L5.6 -2.8L2.8 -5.6L0 -2.8L-2.8 -5.6L-5.6 -2.8L-2.8 0L-5.6 2.8L-2.8 5.6Z",
}
"""Paths of the symbols of a `SeriesLook` around (0, 0), for marks of 10 pixels, as Plotly draws them."""


def find_dash(look: SeriesLook) -> str:
    """Return the lengths of the dashes and gaps of a line, in pixels, as SVG writes them."""
    return _DASHES[look.dash]


def find_plotly_dash(look: SeriesLook) -> str:
    """Return the dashes and gaps of a line as Plotly writes them."""
    dash = find_dash(look)
    return "solid" if dash == "none" else ",".join(f"{length}px" for length in dash.split())


def find_shape(symbol: str) -> str:
    """Return the path of a symbol, 10 pixels wide."""
    return _SHAPES[symbol]


_AXIS_LOOK: Final[dict[str, Any]] = {
    "ticks": "",
    "tickfont": {"size": TEXT_PX, "family": TEXT_FONT},
    "zeroline": False,
    "ticklabelstandoff": 3,
    "showline": False,
    "gridwidth": 1,
    "gridcolor": GRID_COLOUR,
    "griddash": ",".join(f"{length}px" for length in GRID_DASH),
    "fixedrange": True,
    "automargin": False,
    "ticklabeloverflow": "allow",  # otherwise Plotly measures every label
}
PLOTLY_TEMPLATE: Final[dict[str, Any]] = {
    "layout": {
        "font": {"family": TEXT_FONT, "size": TEXT_PX},
        "hoverlabel": {"font": {"family": TEXT_FONT, "size": 13}, "align": "left"},
        "hovermode": "closest",
        "dragmode": False,
        "barmode": "overlay",
        "xaxis": {**_AXIS_LOOK, "showgrid": False},
        "yaxis": {**_AXIS_LOOK, "showgrid": True},
        "annotationdefaults": {
            "font": {"size": TEXT_PX, "family": TEXT_FONT},
            "showarrow": False,
            "xanchor": "left",
            "yanchor": "middle",
            "align": "left",
            "borderpad": 0,
        },
        "legend": {"font": {"size": TEXT_PX, "family": TEXT_FONT}},
    }
}
"""The template of all Plotly figures. It sets no colour of text or background: those follow the page, light or dark."""


@cache
def font_style() -> str:
    """Return the style sheet that contains the fonts."""
    faces = ["/* Parts of Source Sans 3 and Source Serif 4, copyright Adobe, SIL Open Font License 1.1 */"]
    for family, (name, weights) in FONT_FILES.items():
        data = b64encode(files(__package__).joinpath("fonts", name).read_bytes()).decode()
        source = f'url("data:font/woff2;base64,{data}") format("woff2")'
        faces.append(f'@font-face {{ font-family: "{family}"; font-weight: {weights}; src: {source}; }}')
    return "\n".join([*faces, ""])
