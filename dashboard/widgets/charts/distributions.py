"""Draw distributions: histograms, cumulative shares and boxes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from dashboard.widgets.charts.line_labels import MAX_LABELS, label_outlines
from dashboard.widgets.charts.panels import (
    Panels,
    escape_plotly_text,
    fade_colour,
    interval_bars,
    whole_ticks,
)
from pipelines.report.charts.histogram import (
    QUANTILES,
    find_band,
    find_bins,
    list_panel_words,
    wrap_words,
    write_mean,
)
from pipelines.statistics import Interval
from pipelines.viewer.chart_look import LINE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.report.charts import Histogram, ScoreSeries
    from pipelines.report.charts.histogram import Bins

SHARE_AXIS_TEXTS: Final = ("100%",)
"""The longest label beside a panel of shares."""


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
    heads = _write_heads(panels, name_lines=not is_labelled) if has_heads else []
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
    drawn = Panels(_write_heads(chart.panels), chart.axis, "share up to this score")
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
    drawn = Panels(_write_heads(chart.panels), chart.axis)
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


def _write_heads(panels: list[list[ScoreSeries]], *, name_lines: bool = True) -> list[str]:
    """Return the heading of each panel as HTML."""
    return [
        "<br>".join(map(escape_plotly_text, wrap_words(list_panel_words(panel, name_lines=name_lines))))
        for panel in panels
    ]
