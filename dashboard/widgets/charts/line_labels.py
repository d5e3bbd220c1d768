"""Labels at the lines of histograms: where each stands, so that it covers neither a line nor another label."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from dashboard.widgets.charts.panels import LETTER_WIDTH_PX
from pipelines.report.charts.histogram import write_line_label
from pipelines.report.estimates import share_decimals

if TYPE_CHECKING:
    from dashboard.widgets.charts.panels import Panels
    from pipelines.report.charts import ScoreSeries
    from pipelines.report.charts.histogram import Bins
    from pipelines.statistics.arrays import Floats

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
