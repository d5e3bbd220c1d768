"""A chart of two columns of a query result."""

from __future__ import annotations

from typing import Any, Final

from dashboard.widgets.charts.chart import Chart, escape_plotly_text

MAX_MARKS: Final = 2000
"""Number of marks that a chart draws."""
_GROUP_COLOURS: Final = ("#1F83C2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_GROUP_SYMBOLS: Final = ("circle", "square", "diamond", "cross", "triangle-up", "x")


def draw_simple_chart(  # noqa: PLR0913, PLR0917 - kind, two columns, two titles, groups
    kind: str,
    x: list[Any],
    y: list[Any],
    across: str,
    upright: str,
    groups: list[str] | None = None,
    halves: list[float | None] | None = None,
) -> Chart:
    """Draw the numbers `y` over the values `x` as bars, a line or points.

    `kind` is `bar`, `line` or `points`; `across` and `upright` are the titles of the axes; `groups` holds the group of
    each mark, which gives it its colour. `halves` are half as long as the intervals of the numbers.
    """
    chart = Chart([], across, upright)
    names = list(dict.fromkeys(groups or []))
    for number, name in enumerate(names or [""]):
        own = [place for place in range(len(x)) if not names or (groups or [])[place] == name]
        colour, symbol = (
            _GROUP_COLOURS[number % len(_GROUP_COLOURS)],
            _GROUP_SYMBOLS[number % len(_GROUP_SYMBOLS)],
        )
        trace: dict[str, Any] = {
            "x": [_plot_value(x[place]) for place in own],
            "y": [y[place] for place in own],
            "name": escape_plotly_text(name),
            "showlegend": len(names) > 1,
        }
        if halves:
            trace["error_y"] = {"type": "data", "array": [halves[place] for place in own], "color": colour}
        if kind == "bar":
            chart.add_trace("bar", marker={"color": colour}, **trace)
        else:
            mode = "markers" if kind == "points" else "lines+markers" if len(own) <= 60 else "lines"
            marker = {"color": colour, "symbol": symbol, "size": 8}
            chart.add_trace("scatter", mode=mode, marker=marker, line={"color": colour}, **trace)
    chart.set_upright_axis(rangemode="tozero" if kind == "bar" else "normal")
    chart.use_automatic_margins()
    return chart


def _plot_value(value: object) -> object:
    """Return a number or a time as it is, and any other value as text."""
    if value is None or isinstance(value, int | float) or hasattr(value, "isoformat"):
        return value
    return escape_plotly_text(str(value))
