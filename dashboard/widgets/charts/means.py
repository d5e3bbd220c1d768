"""Draw estimates with their intervals: as rows, as lines, and in columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from dashboard.widgets.charts.line_labels import LineEnd, label_line_ends
from dashboard.widgets.charts.panels import (
    Panels,
    escape_plotly_text,
    fade_colour,
    interval_bars,
    longest_number_texts,
    whole_ticks,
)
from pipelines.report.charts.estimates import list_ends, list_places, panel_names
from pipelines.report.charts.series import group_estimates
from pipelines.statistics.rounding import format_short_interval
from pipelines.viewer.chart_look import LINE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.report.charts import Columns, Estimate, Intervals, Lines
    from pipelines.viewer.palette import SeriesLook

ROW_SHARE: Final = 0.7
"""The share of a row that the dots of its strategies take."""
MAX_OFFSET: Final = 0.16
"""The largest distance between the dots of two strategies, in rows."""
MAX_COLUMN_OFFSET: Final = 0.05
"""The same in columns, which are wider."""
MAX_MARKED_POINTS: Final = 60
"""Points of a line that have marks; more would hide the line."""


def draw_intervals(chart: Intervals) -> Panels:
    """Draw a row for each place, and a dot for each strategy, beside each other within the row."""
    drawn = Panels(_write_heads(chart.estimates), chart.axis)
    for row, panel in enumerate(group_estimates(chart.estimates), start=1):
        places = list_places(panel)
        for line in panel:
            look, offset = line[0].look, _offset_at_place(panel, line)
            drawn.add_trace(
                "scatter",
                row=row,
                x=[one.mean.estimate for one in line],
                y=[places.index(one.at) + offset for one in line],
                error_x=_error_bars(line),
                marker=_mark_options(look),
                mode="markers",
                **_hover_options(line),
                **(drawn.legend_options(line[0].name) | ({} if chart.has_legend else {"showlegend": False})),
            )
        drawn.set_upright_axis(
            row=row,
            range=[len(places) - 0.5, -0.5],  # half a row above the first one is room for the name of a mark
            tickvals=list(range(len(places))),
            ticktext=[escape_plotly_text(str(place)) for place in places],
            zeroline=False,
        )
    drawn.set_shared_axis(zeroline=True)
    drawn.reserve_label_room(str(one.at) for one in chart.estimates)
    if chart.mark:
        drawn.mark_value(chart.mark)
    return drawn


def _offset_at_place(panel: list[list[Estimate]], line: list[Estimate], most: float = MAX_OFFSET) -> float:
    """Return how far beside the middle of its places a line is drawn, in places; 0 if no other line has a dot there.

    `most` is the largest distance between two lines.
    """
    places = {one.at for one in line}
    others = [one for one in panel if places & {point.at for point in one}]
    return round((others.index(line) - (len(others) - 1) / 2) * min(most, ROW_SHARE / len(others)), 4)


def draw_columns(chart: Columns) -> Panels:
    """Draw bars on zero, or marks with a line for each strategy, which stand beside each other within a column."""
    drawn = Panels(_write_heads(chart.estimates), chart.across, chart.upright)
    if chart.stands_on_zero:
        _draw_marked_lines(drawn, chart.estimates, mode="bars")
        drawn.set_shared_axis(**whole_ticks(one.at for one in chart.estimates))
        drawn.set_upright_axis(rangemode="tozero", **whole_ticks([0, *list_ends(chart.estimates)]))
        drawn.use_automatic_margins()
        return drawn
    _draw_marked_lines(drawn, chart.estimates, most_offset=MAX_COLUMN_OFFSET)
    drawn.set_shared_axis(dtick=1)
    drawn.share_upright_scale()
    drawn.reserve_label_room(longest_number_texts(list_ends(chart.estimates)))
    return drawn


def draw_lines(chart: Lines) -> Panels:
    """Draw lines with their intervals as bands and their names at their ends, or with bars and a legend."""
    drawn = Panels(_write_heads(chart.estimates), chart.across, chart.upright)
    if chart.mark:
        drawn.mark_height(chart.mark)
    if chart.intervals == "bars":
        _draw_marked_lines(drawn, chart.estimates, mode="lines+markers" if chart.is_joined else "markers")
        places = {"type": "log"} if chart.is_logarithmic else whole_ticks(one.at for one in chart.estimates)
        drawn.set_shared_axis(**places)
        drawn.set_upright_axis(**whole_ticks(list_ends(chart.estimates)))
        drawn.use_automatic_margins()
        return drawn
    ends = []
    for row, panel in enumerate(group_estimates(chart.estimates), start=1):
        for line in panel:
            look = line[0].look
            band = {
                "x": [one.at for one in line],
                "line": {"width": 0},
                "hoverinfo": "skip",
                "showlegend": False,
                "mode": "lines",
            }
            fill = {"fill": "tonexty", "fillcolor": fade_colour(look.colour)}
            drawn.add_trace("scatter", row=row, y=[one.mean.high for one in line], **band)
            drawn.add_trace("scatter", row=row, y=[one.mean.low for one in line], **band, **fill)
            drawn.add_trace(
                "scatter",
                row=row,
                x=[one.at for one in line],
                y=[one.mean.estimate for one in line],
                line={"color": look.colour, "dash": look.dash, "width": LINE_WIDTH},
                mode="lines",
                **_hover_options(line),
                **drawn.legend_options(line[0].name),
            )
            last = line[-1]
            ends.append(LineEnd(row, last.name, look.colour, float(last.at), last.mean.estimate))
    means = list_ends(chart.estimates)
    label_line_ends(drawn, ends, min(means, default=0.0), max(means, default=0.0))
    drawn.share_upright_scale()
    drawn.reserve_label_room(longest_number_texts(means))
    return drawn


def _draw_marked_lines(
    drawn: Panels, estimates: Sequence[Estimate], *, mode: str = "lines+markers", most_offset: float = 0.0
) -> None:
    """Draw bars, marks or marked lines with the intervals that are known; a legend only names several lines.

    Lines stand beside each other if `most_offset`, the largest distance between two lines in places, is not 0.
    """
    panels = group_estimates(estimates)
    has_intervals = any(not math.isnan(one.mean.low) for one in estimates)
    for row, panel in enumerate(panels, start=1):
        for line in panel:
            look = line[0].look
            offset = _offset_at_place(panel, line, most_offset) if most_offset else 0
            shown = mode if len(line) <= MAX_MARKED_POINTS or mode == "markers" else "lines"
            drawn.add_trace(
                "bar" if mode == "bars" else "scatter",
                row=row,
                x=[
                    escape_plotly_text(one.at) if isinstance(one.at, str) else one.at + offset for one in line
                ],
                y=[one.mean.estimate for one in line],
                **({"error_y": _error_bars(line)} if has_intervals else {}),
                **(
                    {"marker": {"color": look.colour}}
                    if mode == "bars"
                    else {
                        "marker": _mark_options(look),
                        "line": {"color": look.colour, "dash": look.dash, "width": 1.5},
                        "mode": shown,
                    }
                ),
                **(_hover_options(line) if line[0].n else {}),
                **drawn.legend_options(line[0].name),
            )
    if not most_offset and max(map(len, panels), default=0) == 1:
        drawn.hide_legend()


def _mark_options(look: SeriesLook) -> dict[str, object]:
    return {"size": 9, "color": look.colour, "symbol": look.symbol}


def _error_bars(line: list[Estimate]) -> dict[str, object]:
    return {
        **interval_bars([one.mean for one in line]),
        "color": line[0].look.colour,
        "thickness": 2,
    }


def _hover_options(line: list[Estimate]) -> dict[str, object]:
    return {
        "customdata": [[format_short_interval(one.mean), one.n] for one in line],
        "hovertemplate": "%{customdata[0]}, n = %{customdata[1]:,}",
    }


def _write_heads(estimates: Sequence[Estimate]) -> list[str]:
    return list(map(escape_plotly_text, panel_names(estimates)))
