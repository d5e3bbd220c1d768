"""A chart of whatever somebody has asked for."""

from __future__ import annotations

from typing import Any, Final

from dashboard.widgets.charts.chart import Chart, plain

MOST_MARKS: Final = 2000
"""Marks of a simple chart: more are neither seen nor sent."""
_COLOURS: Final = ("#1F83C2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_SYMBOLS: Final = ("circle", "square", "diamond", "cross", "triangle-up", "x")


def simple(  # noqa: PLR0913, PLR0917 - what a chart takes
    kind: str, x: list[Any], y: list[Any], across: str, upright: str, groups: list[str] | None = None
) -> Chart:
    """Draw numbers over anything as bars, lines or points; `groups`, if any, names the group of each mark."""
    chart = Chart([], across, upright)
    names = list(dict.fromkeys(groups or []))
    for number, name in enumerate(names or [""]):
        own = [place for place in range(len(x)) if not names or (groups or [])[place] == name]
        colour, symbol = _COLOURS[number % len(_COLOURS)], _SYMBOLS[number % len(_SYMBOLS)]
        trace: dict[str, Any] = {
            "x": [_shown(x[place]) for place in own],
            "y": [y[place] for place in own],
            "name": plain(name),
            "showlegend": len(names) > 1,
        }
        if kind == "bar":
            chart.add("bar", marker={"color": colour}, **trace)
        else:
            mode = "markers" if kind == "points" else "lines+markers" if len(own) <= 60 else "lines"
            marker = {"color": colour, "symbol": symbol, "size": 8}
            chart.add("scatter", mode=mode, marker=marker, line={"color": colour}, **trace)
    chart.upright(rangemode="tozero" if kind == "bar" else "normal")
    chart.leave_room_to_plotly()
    return chart


def _shown(value: object) -> object:
    """Take anything but numbers and times as text."""
    if value is None or isinstance(value, int | float) or hasattr(value, "isoformat"):
        return value
    return plain(str(value))
