"""The panels of a Plotly figure over one shared axis: their places, sizes and labels, and the names at their lines.

Traces, shapes and annotations are collected as the values that Plotly reads and become a figure in one step. Plotly's methods
that add to a figure validate it each time and take ten times as long. Only this module knows Plotly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import plotly.graph_objects as go

from pipelines.report.charts.histogram import write_line_label
from pipelines.report.estimates import share_decimals
from pipelines.viewer.chart_look import FILL_OPACITY, HEAD_FONT, MARK_COLOUR, PLOTLY_TEMPLATE, TEXT_FONT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.report.charts import Mark, ScoreSeries
    from pipelines.report.charts.histogram import Bins
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats

MIN_SPAN_OF_OWN_TICKS: Final = 6
"""Over a smaller span Plotly writes fractions beside an axis."""
CHART_HEIGHT_PX: Final = 340
"""Height of a chart whose panel has no heading."""
HEAD_LINE_PX: Final = 18
"""Height of a line in the heading of a panel."""
PANEL_GAP_PX: Final = 10
"""Space between a panel and the heading of the next one: room for half a number of either axis."""
TOP_MARGIN_PX: Final = 16
"""Space above panels without a heading."""
BOTTOM_MARGIN_PX: Final = 52
"""Space between the panels and the legend, for the numbers and the title of the axis."""
RIGHT_MARGIN_PX: Final = 16
"""Space right of the panels: room for half of the last number of the axis."""
LETTER_WIDTH_PX: Final = 6.6
"""Width of a letter beside an axis. Most numbers and names are a little narrower."""
AXIS_TITLE_GAP_PX: Final = 8
"""Space between the numbers of the shared axis and its title, so that a legend in two lines stays below the title."""
AXIS_TITLE_PX: Final = 26
"""Width of the title beside an upright axis."""
MAX_LABEL_ROOM_PX: Final = 200
"""Largest space reserved beside a panel. For longer names Plotly decides how much room a narrow screen has."""


def interval_bars(means: Sequence[Interval]) -> dict[str, object]:
    """Return the error bars of a trace, which may be longer on one side."""
    return {
        "type": "data",
        "array": [one.high - one.estimate for one in means],
        "arrayminus": [one.estimate - one.low for one in means],
    }


class Panels:
    """Panels over one shared axis, from top to bottom."""

    def __init__(self, heads: Sequence[str], across: str, upright: str = "") -> None:
        """Make a panel for every heading; `across` and `upright` are the titles of the axes.

        A heading is short HTML of the kind that Plotly reads. No heading, or an empty one, makes a single panel without
        heading.
        """
        lines = [1 + head.count("<br>") for head in heads if head]
        self._rows = max(1, len(heads))
        self._traces: list[dict[str, Any]] = []
        self._shapes: list[dict[str, Any]] = []
        self._beside = 0.0
        self._automatic = False
        self._panel_px = 250 if self._rows == 1 else 150 if self._rows < 4 else 110
        head = HEAD_LINE_PX * max(lines, default=0)
        first = HEAD_LINE_PX * lines[0] if lines else 0
        each = self._panel_px
        gap = head + PANEL_GAP_PX if lines else 0
        drawn = self._rows * (each + gap) - gap
        above = first + HEAD_LINE_PX // 2 if lines else TOP_MARGIN_PX
        height = first + drawn + BOTTOM_MARGIN_PX + HEAD_LINE_PX if lines else CHART_HEIGHT_PX
        # The legend takes part of the height, and thus of the gaps, so the gaps get a fifth more.
        space = 1.2 * gap / (drawn + 0.2 * gap)
        own = (1 - space * (self._rows - 1)) / self._rows
        tops = [1 - row * (own + space) for row in range(self._rows)]
        self._axes = self._place_axes(tops, own, across, upright)
        self._texts = [
            {
                "text": head,
                "x": 0,
                "xanchor": "left",
                "xref": "paper",
                "y": top,
                "yanchor": "bottom",
                "yref": "paper",
                "align": "left",
                "showarrow": False,
                "font": {"size": 14, "family": HEAD_FONT},
            }
            for head, top in zip(heads, tops, strict=False)
            if head
        ]
        self._margin = {"r": RIGHT_MARGIN_PX, "t": above, "b": BOTTOM_MARGIN_PX}
        self._layout = {
            "height": height,
            # The legend stands below the panels, where Plotly gives it as many lines as it needs. Above are the headings,
            # and beside the panels a phone has no room.
            "legend": {
                "orientation": "h",
                "yanchor": "top",
                "y": -BOTTOM_MARGIN_PX / (height - above - BOTTOM_MARGIN_PX),
                "xanchor": "left",
                "x": 0,
            },
            "boxgap": 0.35,
        }

    def _place_axes(
        self, tops: list[float], own: float, across: str, upright: str
    ) -> dict[str, dict[str, Any]]:
        axes: dict[str, dict[str, Any]] = {}
        for row, top in enumerate(tops, start=1):
            last = row == self._rows
            axes[_axis_name("xaxis", row)] = {
                "anchor": _axis_name("y", row),
                "domain": [0, 1],
                **(
                    {"title": {"text": escape_plotly_text(across), "standoff": AXIS_TITLE_GAP_PX}}
                    if last
                    else {"matches": _axis_name("x", self._rows), "showticklabels": False}
                ),
            }
            axes[_axis_name("yaxis", row)] = {
                "anchor": _axis_name("x", row),
                "domain": [max(0, top - own), min(1, top)],
                **({"title": {"text": escape_plotly_text(upright)}} if row == 1 and upright else {}),
            }
        return axes

    def add_trace(self, kind: str, *, row: int = 1, **trace: Any) -> None:  # noqa: ANN401 - whatever Plotly knows
        """Add a Plotly trace to a panel; the uppermost panel is row 1."""
        self._traces.append(
            {"type": kind, "xaxis": _axis_name("x", row), "yaxis": _axis_name("y", row), **trace}
        )

    def legend_options(self, name: str) -> dict[str, Any]:
        """Return the options that name a trace, so that the legend shows each name once for all panels."""
        name = escape_plotly_text(name)
        again = any(trace.get("legendgroup") == name for trace in self._traces)
        return {"name": name, "legendgroup": name, "showlegend": not again}

    def set_shared_axis(self, **options: Any) -> None:  # noqa: ANN401 - as above
        """Set options of the shared axis."""
        for row in range(1, self._rows + 1):
            self._axes[_axis_name("xaxis", row)] |= options

    def set_upright_axis(self, *, row: int | None = None, **options: Any) -> None:  # noqa: ANN401 - as above
        """Set options of the axis beside a panel, or beside all panels if `row` is None."""
        for panel_row in range(1, self._rows + 1) if row is None else [row]:
            self._axes[_axis_name("yaxis", panel_row)] |= options

    def share_upright_scale(self) -> None:
        """Give the axes beside all panels the same scale, so that heights can be compared between panels."""
        for row in range(2, self._rows + 1):
            self._axes[_axis_name("yaxis", row)] |= {"matches": _axis_name("y", 1)}

    def reserve_label_room(self, texts: Iterable[str]) -> None:
        """Reserve room for these texts beside the panels.

        Plotly can find the room by itself, but then draws everything twice.
        """
        self._beside = max(LETTER_WIDTH_PX * max(map(len, texts), default=0), self._beside)

    def use_automatic_margins(self) -> None:
        """Let Plotly find the room that labels need beside and below the panels."""
        self._automatic = True

    @property
    def panel_height(self) -> int:
        """Height of a panel in pixels."""
        return self._panel_px

    def add_label(  # noqa: PLR0913 - a place, a text and its colour
        self, text: str, x: float, y: float, *, row: int, colour: str, lift: float = 0, anchor: str = "center"
    ) -> None:
        """Write the name of a line, in one or more lines, above a point of it, `lift` pixels higher, beside a small square in its colour.

        The text has the colour of all texts, which is legible on every background.
        """
        written = escape_plotly_text(text).replace("\n", "<br>")
        self._texts.append(
            {
                "text": f'<span style="color:{colour}">■</span> {written}',
                "align": anchor,
                "x": x,
                "xanchor": anchor,
                "xref": _axis_name("x", row),
                "y": y,
                "yanchor": "bottom",
                "yref": _axis_name("y", row),
                "yshift": lift,
                "showarrow": False,
                "font": {"size": 12, "family": TEXT_FONT},
            }
        )

    def hide_legend(self) -> None:
        """Leave out the legend, for charts whose lines have labels."""
        for trace in self._traces:
            trace["showlegend"] = False

    def mark_value(self, mark: Mark) -> None:
        """Draw a line through all panels at a value, with its name on the side where the chart has more room."""
        at, (low, high) = mark.at, self._axis_extent()
        line = {"width": 1.5, "dash": "dash", "color": MARK_COLOUR}
        for row in range(1, self._rows + 1):
            self._shapes.append({"type": "line", "line": line, **self._panel_span(row, at, at)})
            self._texts.append(
                {
                    "text": escape_plotly_text(mark.name),
                    "x": at,
                    "xanchor": "left" if at <= (low + high) / 2 else "right",
                    "xref": _axis_name("x", row),
                    "y": 1,
                    "yanchor": "top",
                    "yref": f"{_axis_name('y', row)} domain",
                    "showarrow": False,
                    "font": {"size": 12},
                }
            )

    def mark_height(self, mark: Mark) -> None:
        """Draw a line through all panels at a value of the upright axis, with its name at its left end."""
        line = {"width": 1.5, "dash": "dash", "color": MARK_COLOUR}
        label = {"text": escape_plotly_text(mark.name), "textposition": "start", "yanchor": "bottom"}
        for row in range(1, self._rows + 1):
            across = {"xref": f"{_axis_name('x', row)} domain", "x0": 0, "x1": 1}
            upright = {"yref": _axis_name("y", row), "y0": mark.at, "y1": mark.at}
            self._shapes.append({"type": "line", "line": line, "label": label, **across, **upright})

    def _axis_extent(self) -> tuple[float, float]:
        """Return the least and the greatest value on the shared axis; 0 and 0 for an empty chart."""
        values = [
            float(value)
            for trace in self._traces
            for key in ("x", "lowerfence", "upperfence")
            for value in trace.get(key, ())
        ]
        return min(values, default=0.0), max(values, default=0.0)

    def shade_range(self, low: int, high: int) -> None:
        """Shade a range of integers through all panels, both ends included."""
        look = {"line": {"width": 1, "color": MARK_COLOUR}, "fillcolor": MARK_COLOUR, "opacity": 0.18}
        for row in range(1, self._rows + 1):
            self._shapes.append({"type": "rect", **look, **self._panel_span(row, low - 0.5, high + 0.5)})

    @staticmethod
    def _panel_span(row: int, low: float, high: float) -> dict[str, Any]:
        return {
            "xref": _axis_name("x", row),
            "x0": low,
            "x1": high,
            "yref": f"{_axis_name('y', row)} domain",
            "y0": 0,
            "y1": 1,
        }

    def build_figure(self) -> go.Figure:
        """Return the panels as a Plotly figure."""
        is_left = self._automatic or self._beside > MAX_LABEL_ROOM_PX
        room = 0 if is_left else self._beside + (AXIS_TITLE_PX if "title" in self._axes["yaxis"] else 0)
        for axis in self._axes.values():
            axis.setdefault("automargin", is_left)
            axis["showline"] = False  # Streamlit draws one below the lowest value
            axis["ticklabeloverflow"] = "allow"  # otherwise Plotly measures every label
        return go.Figure(
            data=self._traces,
            layout={
                "template": PLOTLY_TEMPLATE,
                **self._layout,
                **self._axes,
                "margin": {**self._margin, "l": TOP_MARGIN_PX + room},
                "annotations": self._texts,
                "shapes": self._shapes,
            },
        )


def _axis_name(kind: str, row: int) -> str:
    """Return Plotly's name of the axis of a row."""
    return kind if row == 1 else f"{kind}{row}"


def longest_number_texts(values: Iterable[float]) -> list[str]:
    """Return the longest numbers that an axis over these values may show."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return []
    low, high = min(finite), max(finite)
    step = 10 ** math.floor(math.log10((high - low) / 2)) if high > low else 1.0
    digits = max(0, -math.floor(math.log10(step)))
    return [f"{value:.{digits}f}" for value in (low, high)]


def whole_ticks(values: Iterable[str | float]) -> dict[str, int]:
    """Return the option of an axis that keeps fractions off it; none if the values are not whole, or Plotly needs none."""
    numbers = [math.nan if isinstance(value, str) else value for value in values]
    is_whole = bool(numbers) and all(float(value).is_integer() for value in numbers)
    return {"dtick": 1} if is_whole and max(numbers) - min(numbers) < MIN_SPAN_OF_OWN_TICKS else {}


def escape_plotly_text(text: str) -> str:
    """Escape a name: Plotly reads some HTML in names and titles."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def fade_colour(colour: str) -> str:
    """Return a colour, given as #RRGGBB, as a transparent one."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{FILL_OPACITY})"


MAX_LABELS: Final = 5
"""Lines of a panel that have labels; with more lines the labels would hide them, and there is a legend."""
NARROW_CHART_PX: Final = 420
"""Width of the panels for which labels are placed: that of a narrow window, because the real width is not known."""
LABEL_HEIGHT_PX: Final = 16
SLOPE_ROOM_PX: Final = 8
"""Room between the name at the end of a line and the line above, which falls or rises along the name."""
SCALING_ROUNDS: Final = 20
"""Attempts to find the height of the bins that leaves room for the labels above them."""


def label_outlines(drawn: Panels, panels: list[list[ScoreSeries]], bins: Bins) -> None:
    """Write the name and the mean of every series above the highest bin of its outline; no label covers another one."""
    shares = [[bins.shares(one) for one in panel] for panel in panels]
    highest = max(float(line.max()) for lines in shares for line in lines)
    pixels = float(drawn.panel_height)
    decimals = share_decimals([one.mean for panel in panels for one in panel])
    texts = [[write_line_label(one, decimals) for one in panel] for panel in panels]
    places: list[list[LabelBox]] = []
    for _ in range(SCALING_ROUNDS):  # labels above the highest bin shrink the bins, which moves the labels
        places = [
            _place_labels(words, lines, pixels / highest) for words, lines in zip(texts, shares, strict=True)
        ]
        top = max(pixels, *(box.high for boxes in places for box in boxes))
        if top <= drawn.panel_height + 0.5:
            break
        pixels *= drawn.panel_height / top
    for row, (panel, words, lines, boxes) in enumerate(
        zip(panels, texts, shares, places, strict=True), start=1
    ):
        for one, text, line, box in zip(panel, words, lines, boxes, strict=True):
            peak = int(line.argmax())
            drawn.add_label(
                text,
                bins.middles[peak],
                float(line[peak]),
                row=row,
                colour=one.look.colour,
                lift=box.low - float(line[peak]) * pixels / highest,
                anchor=box.anchor,
            )
    drawn.set_upright_axis(range=[0, highest * drawn.panel_height / pixels])
    drawn.hide_legend()


def _place_labels(texts: list[str], lines: list[Floats], pixels_per_share: float) -> list[LabelBox]:
    """Return where the label of each line of a panel stands: above all outlines at its place, and above the labels before it."""
    boxes: list[LabelBox] = []
    for text, line in zip(texts, lines, strict=True):
        place = (int(line.argmax()) + 0.5) / len(line)
        words = text.split("\n")
        width = LETTER_WIDTH_PX * (max(map(len, words)) + 2) / NARROW_CHART_PX
        anchor = "left" if place < width / 2 else "right" if place > 1 - width / 2 else "center"
        left = {"left": place, "right": place - width, "center": place - width / 2}[anchor]
        bins = slice(max(0, int(left * len(line))), int((left + width) * len(line)) + 1)
        low = max(float(other[bins].max()) for other in lines) * pixels_per_share
        high = low + LABEL_HEIGHT_PX * len(words)
        boxes.append(_lift_box(LabelBox(left, low, left + width, high, anchor), boxes))
    return boxes


class LineEnd(NamedTuple):
    """The last point of a line, with the row of its panel."""

    row: int
    name: str
    colour: str
    x: float
    y: float


def label_line_ends(drawn: Panels, ends: list[LineEnd], low: float, high: float) -> None:
    """Write the name of each line above its last point, and lift names that would cover each other.

    `low` and `high` are the ends of the upright axis. With more than `MAX_LABELS` lines in a panel the legend stays.
    """
    by_row: dict[int, list[LineEnd]] = {}
    for end in sorted(ends, key=lambda one: one.y):
        by_row.setdefault(end.row, []).append(end)
    if max(map(len, by_row.values()), default=0) > MAX_LABELS:
        return
    pixels = drawn.panel_height / (high - low or 1.0)
    for row, own in by_row.items():
        free = -math.inf
        for end in own:
            place = max(free, (end.y - low) * pixels)
            for other in own:  # ascending: a name between two lines moves above the upper one
                above = (other.y - low) * pixels - place
                place += above if 0 < above < LABEL_HEIGHT_PX + SLOPE_ROOM_PX else 0
            free = place + LABEL_HEIGHT_PX
            lift = place - (end.y - low) * pixels
            drawn.add_label(end.name, end.x, end.y, row=row, colour=end.colour, lift=lift, anchor="right")
    drawn.hide_legend()


class LabelBox(NamedTuple):
    """Where a label stands: from 0 to 1 across, in pixels upwards."""

    left: float
    low: float
    right: float
    high: float
    anchor: str
    """Which end of the label stands at the highest bin of the line: left, center or right."""


def _lift_box(box: LabelBox, taken: list[LabelBox]) -> LabelBox:
    """Return a box, lifted until it overlaps none of the boxes that are taken."""
    for other in sorted(taken, key=lambda one: one.low):
        overlaps = box.left < other.right and other.left < box.right
        if overlaps and box.low < other.high and other.low < box.high:
            box = box._replace(low=other.high, high=other.high + box.high - box.low)
    return box
