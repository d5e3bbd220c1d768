"""Labels at the lines of charts: where each stands, so that it covers neither a line nor another label."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pipelines.report.show.look import LETTER_PX, NARROW_PANEL_PX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.report.charts import Bins, ScoreSeries
    from pipelines.statistics.intervals import Floats
    from pipelines.viewer.palette import SeriesLook

LABEL_PX: Final = 16
"""Height of a line of a label."""
SLOPE_ROOM_PX: Final = 8
"""Room between the name at the end of a line and the line above, which falls or rises along the name."""
SCALING_ROUNDS: Final = 20
"""Attempts to find the height of the bins that leaves room for the labels above them."""

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


class LineEnd(NamedTuple):
    """The last point of a line."""

    name: str
    look: SeriesLook
    x: float
    y: float


class _LabelBox(NamedTuple):
    """Where a label stands: from 0 to 1 across, in pixels upwards."""

    left: float
    low: float
    right: float
    high: float
    place: float
    """The point of the line."""
    anchor: Anchor


def place_outline_labels(
    panels: Sequence[Sequence[ScoreSeries]], texts: Sequence[Sequence[str]], bins: Bins, height: int
) -> tuple[list[list[Label]], float]:
    """Return the labels of each panel, at the means and above all outlines, and the share at the top of the panels.

    `texts` are those of the labels, and `height` is that of a panel in pixels.
    """
    shares = [[bins.shares(one) for one in panel] for panel in panels]
    highest = max(float(line.max()) for lines in shares for line in lines)
    low, span = float(bins.edges[0]) - 0.5, float(bins.edges[-1] - bins.edges[0])
    means = [[one.mean.estimate if one.mean else one.scores.mean for one in panel] for panel in panels]
    places = [[min(1.0, max(0.0, (mean - low) / span)) for mean in row] for row in means]
    pixels, boxes = float(height), list[list[_LabelBox]]()
    for _ in range(SCALING_ROUNDS):  # labels above the highest bin shrink the bins, which moves the labels
        boxes = [
            _place_boxes(words, at, lines, pixels / highest)
            for words, at, lines in zip(texts, places, shares, strict=True)
        ]
        top = max(pixels, *(box.high for row in boxes for box in row))
        if top <= height + 0.5:
            break
        pixels *= height / top
    labels = [
        [
            Label(text, mean, 0.0, box.low, box.anchor, one.look)
            for one, text, mean, box in zip(panel, words, row, placed, strict=True)
        ]
        for panel, words, row, placed in zip(panels, texts, means, boxes, strict=True)
    ]
    return labels, highest * height / pixels


def _place_boxes(
    texts: Sequence[str], places: Sequence[float], lines: Sequence[Floats], pixels_per_share: float
) -> list[_LabelBox]:
    """Return where the label of each line of a panel stands: above all outlines at its place, and above the labels before it."""
    boxes: list[_LabelBox] = []
    for text, place in zip(texts, places, strict=True):
        words = text.split("\n")
        width = LETTER_PX * (max(map(len, words)) + 2) / NARROW_PANEL_PX
        anchor: Anchor = "left" if place < width / 2 else "right" if place > 1 - width / 2 else "center"
        left = {"left": place, "right": place - width, "center": place - width / 2}[anchor]
        bins = slice(max(0, int(left * len(lines[0]))), int((left + width) * len(lines[0])) + 1)
        low = max(float(other[bins].max()) for other in lines) * pixels_per_share
        high = low + LABEL_PX * len(words)
        boxes.append(_lift_box(_LabelBox(left, low, left + width, high, place, anchor), boxes))
    return boxes


def _lift_box(box: _LabelBox, taken: Sequence[_LabelBox]) -> _LabelBox:
    """Return a box, lifted until it overlaps none of the boxes that are taken."""
    for other in sorted(taken, key=lambda one: one.low):
        overlaps = box.left < other.right and other.left < box.right
        if overlaps and box.low < other.high and other.low < box.high:
            box = box._replace(low=other.high, high=other.high + box.high - box.low)
    return box


def place_end_labels(ends: Sequence[LineEnd], low: float, high: float, height: int) -> list[Label]:
    """Return the name of each line above its last point, lifted where names would cover each other or a line above.

    `low` and `high` are the ends of the upright axis, and `height` is that of the panel in pixels.
    """
    pixels = height / (high - low or 1.0)
    free = -math.inf
    labels = []
    for end in sorted(ends, key=lambda one: one.y):
        place = max(free, (end.y - low) * pixels)
        for other in sorted(
            ends, key=lambda one: one.y
        ):  # a name between two lines moves above the upper one
            above = (other.y - low) * pixels - place
            place += above if 0 < above < LABEL_PX + SLOPE_ROOM_PX else 0
        free = place + LABEL_PX
        labels.append(Label(end.name, end.x, end.y, place - (end.y - low) * pixels, "right", end.look))
    return labels
