"""The picture of learning curves: an SVG that is readable on light and on dark pages and at the width of a phone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.records.learning_curves import LearningCurve

WIDTH: Final = 480
PANEL_HEIGHT: Final = 270
LEFT, RIGHT, TOP, BOTTOM = 52, 24, 54, 52
"""Margins of a panel."""
CAP: Final = 5
"""Half the width of the ends of an interval."""
DECADE: Final = 10
STYLE: Final = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 14px }
.small { font-size: 12px; fill: #59636e }
.page { fill: #ffffff }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.even { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 5 4 }
.curve { stroke: #1f6fb2; stroke-width: 2; fill: none }
.point { fill: #1f6fb2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #a5b0bb }
  .page { fill: #0d1117 }
  .grid { stroke: #30363d }
  .even { stroke: #a5b0bb }
  .curve { stroke: #6cb6ff }
  .point { fill: #6cb6ff }
}
"""


class Place(NamedTuple):
    """A place in the picture; y grows downwards."""

    x: float
    y: float


class Panel(NamedTuple):
    """Where the values of one curve lie in the picture."""

    top: float
    least_games: float
    most_games: float
    lowest: float
    highest: float

    def x(self, games: float) -> float:
        """Return the place of a number of games, on a logarithmic scale."""
        share = math.log(games / self.least_games) / math.log(self.most_games / self.least_games)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, points: float) -> float:
        """Return the place of an advantage."""
        share = (self.highest - points) / (self.highest - self.lowest)
        return round(self.top + TOP + share * (PANEL_HEIGHT - TOP - BOTTOM), 1)


def draw_learning_curves(curves: Sequence[LearningCurve]) -> str:
    """Return the picture of some curves, one below the other, as SVG."""
    height = PANEL_HEIGHT * len(curves)
    svg = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        width=str(WIDTH),
        height=str(height),
        role="img",
    )
    ET.SubElement(svg, "title").text = "How the strategy learned grows stronger the more games it learns from"
    ET.SubElement(svg, "style").text = STYLE
    ET.SubElement(svg, "rect", {"class": "page", "width": "100%", "height": "100%"})
    for number, curve in enumerate(curves):
        _draw_curve(svg, curve, number * PANEL_HEIGHT)
    ET.indent(svg)
    return ET.tostring(svg, encoding="unicode") + "\n"


def tick_step(span: float, most: int = 6) -> float:
    """Return the smallest of 1, 2, 5, 10, ... (or 0.5, 0.2, ...) that divides a span into at most so many steps.

    >>> tick_step(45), tick_step(8), tick_step(1.1)
    (10.0, 2.0, 0.2)
    """
    step = DECADE ** math.floor(math.log10(span / most))
    return next(float(step * factor) for factor in (1, 2, 5, DECADE) if span / (step * factor) <= most)


def _draw_curve(svg: ET.Element, curve: LearningCurve, top: float) -> None:
    """Draw the panel of a curve: axes, the line of equal strength, and every training with its interval."""
    lows, highs = ([getattr(point.advantage, end) for point in curve.points] for end in ("low", "high"))
    step = tick_step(max(0.0, *highs) - min(0.0, *lows))
    lowest, highest = math.floor(min(0.0, *lows) / step), math.ceil(max(0.0, *highs) / step)
    played = [point.games for point in curve.points]
    panel = Panel(top, min(played) / 1.3, max(played) * 1.3, lowest * step, highest * step)
    _add_text(svg, Place(12, top + 22), f"{curve.title}: learned against {curve.against}", "title")
    _add_text(svg, Place(12, top + 41), "points better in a game, with 95 % intervals", "small")
    for tick in range(lowest, highest + 1):
        _draw_tick(svg, panel, tick * step, curve.against)
    for point in curve.points:
        x, advantage = panel.x(point.games), point.advantage
        _add_line(svg, Place(x, panel.y(advantage.low)), Place(x, panel.y(advantage.high)), "curve")
        for end in (advantage.low, advantage.high):
            _add_line(svg, Place(x - CAP, panel.y(end)), Place(x + CAP, panel.y(end)), "curve")
        circle = {"class": "point", "cx": str(x), "cy": str(panel.y(advantage.estimate)), "r": "3"}
        ET.SubElement(ET.SubElement(svg, "circle", circle), "title").text = (
            f"{point.games:,} games: {advantage.estimate:.1f} ({advantage.low:.1f} to {advantage.high:.1f}), "
            f"{point.blocks:,} blocks"
        )
        _add_text(svg, Place(x, panel.y(panel.lowest) + 20), f"{point.games:,}", "small", "middle")
    path = " ".join(f"{panel.x(point.games)},{panel.y(point.advantage.estimate)}" for point in curve.points)
    ET.SubElement(svg, "polyline", {"class": "curve", "points": path})
    _add_text(svg, Place(WIDTH - RIGHT, panel.y(panel.lowest) + 38), "games learned from", "small", "end")


def _draw_tick(svg: ET.Element, panel: Panel, points: float, against: str) -> None:
    """Draw a line of the grid with its number; that of equal strength is dashed and says so."""
    y = panel.y(points)
    _add_line(svg, Place(LEFT, y), Place(WIDTH - RIGHT, y), "grid" if points else "even")
    _add_text(svg, Place(LEFT - 8, y + 4), f"{points:g}".replace("-", "\N{MINUS SIGN}"), "small", "end")
    if points == 0:
        _add_text(svg, Place(LEFT + 4, y - 6), f"as strong as {against}", "small")


def _add_line(svg: ET.Element, start: Place, end: Place, kind: str) -> None:
    ends = {"x1": f"{start.x}", "y1": f"{start.y}", "x2": f"{end.x}", "y2": f"{end.y}"}
    ET.SubElement(svg, "line", {"class": kind, **ends})


def _add_text(svg: ET.Element, place: Place, text: str, kind: str, anchor: str = "start") -> None:
    where = {"x": f"{place.x}", "y": f"{place.y}", "text-anchor": anchor}
    ET.SubElement(svg, "text", {"class": kind, **where}).text = text
