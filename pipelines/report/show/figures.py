"""Charts as Plotly figures: for pages and for notebooks. Plotly is loaded with this module, so import it where a figure is drawn."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pipelines.report.charts import Calibration, Columns, Histogram, Intervals
from pipelines.report.charts.estimates import list_ends, list_places, panel_names
from pipelines.report.charts.histogram import (
    QUANTILES,
    find_band,
    find_bins,
    list_panel_words,
    wrap_words,
    write_mean,
)
from pipelines.report.charts.series import group_estimates
from pipelines.report.show.figure_panels import (
    MAX_LABELS,
    LineEnd,
    Panels,
    escape_plotly_text,
    fade_colour,
    interval_bars,
    label_line_ends,
    label_outlines,
    longest_number_texts,
    whole_ticks,
)
from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_short_interval
from pipelines.viewer.chart_look import LINE_WIDTH, MARK_COLOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from pipelines.report.charts import Chart, Estimate, Lines, ScoreSeries
    from pipelines.report.charts.histogram import Bins
    from pipelines.viewer.palette import SeriesLook

SHARE_AXIS_TEXTS: Final = ("100%",)
"""The longest label beside a panel of shares."""
ROW_SHARE: Final = 0.7
"""The share of a row that the dots of its strategies take."""
MAX_OFFSET: Final = 0.16
"""The largest distance between the dots of two strategies, in rows."""
MAX_COLUMN_OFFSET: Final = 0.05
"""The same in columns, which are wider."""
MAX_MARKED_POINTS: Final = 60
"""Points of a line that have marks; more would hide the line."""


def build_figure(chart: Chart, *, is_clickable: bool = False) -> go.Figure:
    """Return a chart as a Plotly figure."""
    if isinstance(chart, Histogram):
        drawn = draw_histogram(chart, is_clickable=is_clickable)
    elif isinstance(chart, Intervals):
        drawn = draw_intervals(chart)
    elif isinstance(chart, Columns):
        drawn = draw_columns(chart)
    else:
        drawn = draw_calibration(chart) if isinstance(chart, Calibration) else draw_lines(chart)
    return drawn.build_figure()


def draw_histogram(chart: Histogram, *, is_clickable: bool) -> Panels:
    """Draw distributions in their shape, with the marked value and the shaded range."""
    if chart.shape == "Histogram":
        drawn = _draw_bins(chart, is_clickable=is_clickable)
    else:
        drawn = _draw_cumulative_shares(chart) if chart.shape == "Cumulative" else _draw_boxes(chart)
    if chart.shaded:
        drawn.shade_range(*chart.shaded)
    if chart.mark:
        drawn.mark_value(chart.mark)
    return drawn


def _draw_bins(chart: Histogram, *, is_clickable: bool) -> Panels:
    """Draw a panel for each ruleset and an outline for each strategy, all on the same bins.

    A clickable chart has an invisible bar for each bin. Its custom data are the lowest and the highest score of the bin;
    its hover text lists all strategies. A panel without a name has a legend with the numbers of results.
    """
    bins, panels = find_bins(chart.series), chart.panels
    has_heads = bool(panels[0][0].panel_name)
    is_labelled = has_heads and max(map(len, panels)) <= MAX_LABELS
    heads = _write_panel_heads(panels, name_lines=not is_labelled) if has_heads else []
    drawn = Panels(heads, chart.axis, f"share of {chart.unit}s")
    measure = "" if has_heads else f" {chart.axis}"
    hover = f"%{{customdata[0]}}{measure}: %{{customdata[2]:.1%}} (%{{customdata[1]:,}} {chart.unit}s)"
    for row, panel in enumerate(panels, start=1):
        for one in panel:
            drawn.add_trace(
                "scatter",
                row=row,
                **_outline_trace(one, bins),
                **({"hoverinfo": "skip"} if is_clickable else {"hovertemplate": hover}),
                **drawn.legend_options(one.name if has_heads else f"{one.name} n = {one.scores.n:,}"),
            )
        if is_clickable:
            drawn.add_trace("bar", row=row, **_clickable_bars(panel, bins, chart.unit))
        for one in panel if chart.has_means else ():
            drawn.add_trace("scatter", row=row, **_mean_tick(one))
    drawn.set_upright_axis(tickformat=".0%", rangemode="tozero")
    drawn.set_shared_axis(**whole_ticks((bins.edges[0], bins.edges[-1])))  # there are no half scores
    if is_labelled:
        label_outlines(drawn, panels, bins)
    drawn.share_upright_scale()
    drawn.reserve_label_room(SHARE_AXIS_TEXTS)
    return drawn


def _mean_tick(one: ScoreSeries) -> dict[str, Any]:
    """Return a tick on the axis at the mean of a series, with its interval as a bar."""
    colour = one.look.colour
    mean = one.mean or Interval(*[one.scores.mean] * 3)
    about = "" if one.mean else ", too few blocks for an interval"
    return {
        "x": [mean.estimate],
        "y": [0],
        "error_x": {**interval_bars([mean]), "color": colour, "thickness": 3, "width": 0},
        "marker": {
            "symbol": "triangle-up",
            "size": 10,
            "color": colour,
            "line": {"width": 1, "color": "white"},
        },
        "mode": "markers",
        "cliponaxis": False,
        "showlegend": False,
        "hovertemplate": f"mean {write_mean(one)}{about}<extra>{escape_plotly_text(one.name)}</extra>",
    }


def _outline_trace(one: ScoreSeries, bins: Bins) -> dict[str, Any]:
    """Return the outline of a histogram, closed at both ends; its custom data are the names, counts and shares of the bins."""
    shares = bins.shares(one).tolist()
    told = list(zip(bins.names, bins.count_scores(one).tolist(), shares, strict=True))
    return {
        "x": [float(edge) - 0.5 for edge in (bins.edges[0], *bins.edges)],
        "y": [0.0, *shares, 0.0],
        "customdata": [told[0], *told, told[-1]],
        "line": {"shape": "hv", "width": LINE_WIDTH, "color": one.look.colour, "dash": one.look.dash},
        "fill": "tozeroy",
        "fillcolor": fade_colour(one.look.colour),
        "mode": "lines",
    }


def _clickable_bars(series: Sequence[ScoreSeries], bins: Bins, unit: str) -> dict[str, Any]:
    """Return an invisible bar for every bin, to hover over and to click."""
    counts = [bins.count_scores(one) for one in series]
    shares = [bins.shares(one) for one in series]
    texts = []
    for at, name in enumerate(bins.names):
        lines = [
            f"{escape_plotly_text(one.name)}: {share[at]:.1%} ({count[at]:,} {unit}s)"
            for one, share, count in zip(series, shares, counts, strict=True)
        ]
        texts.append("<br>".join([f"<b>{name}</b>", *lines, "choose it to list the games"]))
    return {
        "x": bins.middles,
        "y": [max(0.02, *(float(share[at]) for share in shares)) for at in range(len(texts))],
        "width": [float(bins.width)] * len(texts),
        "customdata": [[low, high - 1] for low, high in pairwise(bins.edges.tolist())],
        "text": texts,
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": "rgba(128,128,128,0.004)", "line": {"width": 0}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "showlegend": False,
    }


def _draw_cumulative_shares(chart: Histogram) -> Panels:
    """Draw the empirical distribution functions with a band that contains the whole true curve with 95 %."""
    drawn = Panels(_write_panel_heads(chart.panels), chart.axis, "share up to this score")
    for row, panel in enumerate(chart.panels, start=1):
        for one in panel:
            x, (low, high) = one.scores.values, find_band(one)
            band = {
                "x": x,
                "line": {"width": 0, "shape": "hv"},
                "hoverinfo": "skip",
                "showlegend": False,
                "mode": "lines",
            }
            drawn.add_trace("scatter", row=row, y=high, **band)
            fill = {"fill": "tonexty", "fillcolor": fade_colour(one.look.colour)}
            drawn.add_trace("scatter", row=row, y=low, **band, **fill)
            drawn.add_trace(
                "scatter",
                row=row,
                x=x,
                y=one.scores.shares_up_to,
                line={"shape": "hv", "width": LINE_WIDTH, "color": one.look.colour, "dash": one.look.dash},
                mode="lines",
                hovertemplate="%{y:.1%} score %{x} or less",
                **drawn.legend_options(one.name),
            )
    drawn.set_upright_axis(tickformat=".0%", range=[0, 1.02])
    drawn.reserve_label_room(SHARE_AXIS_TEXTS)
    return drawn


def _draw_boxes(chart: Histogram) -> Panels:
    """Draw the 5, 25, 50, 75 and 95 % quantiles of each series, and its mean with its interval."""
    drawn = Panels(_write_panel_heads(chart.panels), chart.axis)
    for row, panel in enumerate(chart.panels, start=1):
        for one in reversed(panel):
            low, q1, median, q3, high = (one.scores.quantile(share) for share in QUANTILES)
            drawn.add_trace(
                "box",
                row=row,
                y=[escape_plotly_text(one.name)],
                lowerfence=[low],
                q1=[q1],
                median=[median],
                q3=[q3],
                upperfence=[high],
                orientation="h",
                line={"color": one.look.colour},
                fillcolor=fade_colour(one.look.colour),
                hoverinfo="x",
                name=escape_plotly_text(one.name),
                showlegend=False,  # the name stands beside the box
            )
            if one.mean:
                drawn.add_trace("scatter", row=row, **_mean_mark(one, one.mean))
    drawn.reserve_label_room(one.name for one in chart.series)
    return drawn


def _mean_mark(one: ScoreSeries, mean: Interval) -> dict[str, Any]:
    colour = one.look.colour
    return {
        "x": [mean.estimate],
        "y": [escape_plotly_text(one.name)],
        "error_x": {**interval_bars([mean]), "color": colour, "thickness": 2},
        "marker": {
            "symbol": "diamond",
            "size": 9,
            "color": colour,
            "line": {"width": 1, "color": "white"},
        },
        "mode": "markers",
        "showlegend": False,
        "hovertemplate": f"mean {write_mean(one)}<extra>{escape_plotly_text(one.name)}</extra>",
    }


def _write_panel_heads(panels: list[list[ScoreSeries]], *, name_lines: bool = True) -> list[str]:
    """Return the heading of each panel as HTML."""
    return [
        "<br>".join(map(escape_plotly_text, wrap_words(list_panel_words(panel, name_lines=name_lines))))
        for panel in panels
    ]


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
    """Return the options of a mark."""
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


def draw_calibration(chart: Calibration) -> Panels:
    """Draw lines with their intervals; right predictions lie on the dashed line."""
    drawn = Panels([], chart.across, chart.upright)
    ends = [0, 100]
    drawn.add_trace(
        "scatter",
        x=ends,
        y=ends,
        mode="lines",
        line={"color": MARK_COLOUR, "dash": "dash", "width": 1.5},
        hoverinfo="skip",
        **drawn.legend_options("right predictions"),
    )
    for name, points, look in chart.lines:
        drawn.add_trace(
            "scatter",
            x=[point.predicted for point in points],
            y=[point.happened.estimate for point in points],
            error_y={
                **interval_bars([point.happened for point in points]),
                "color": look.colour,
                "thickness": 2,
            },
            mode="lines+markers",
            marker={"size": 9, "color": look.colour, "symbol": look.symbol},
            line={"color": look.colour, "dash": look.dash, "width": 1.5},
            customdata=[[point.predictions, point.games] for point in points],
            hovertemplate="predicted %{x:.1f}, happened %{y:.1f} (%{customdata[0]:,} predictions in "
            "%{customdata[1]:,} games)<extra></extra>",
            **drawn.legend_options(name),
        )
    drawn.set_shared_axis(range=[-2, 102], dtick=20)
    drawn.set_upright_axis(range=[-2, 102], dtick=20)
    drawn.reserve_label_room(["100"])
    return drawn
