"""Charts of distributions: histograms, cumulative shares and boxes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from dashboard.widgets.charts.chart import HEAD_CHARACTERS, Chart, escape_plotly_text, fade_colour, wrap_head
from dashboard.widgets.charts.line_labels import MAX_LABELS, label_outlines
from pipelines.statistics import Distribution, common_bin_edges, dkw_half_width
from pipelines.viewer.chart_look import LINE_WIDTH

if TYPE_CHECKING:
    from dashboard.widgets.charts.score_series import ScoreSeries
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Integers
    from pipelines.viewer.palette import SeriesLook

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
SHARE_AXIS_TEXTS: Final = ("100%",)
"""The longest label beside a panel of shares."""
MIN_LENGTHS_FOR_OWN_TICKS: Final = 6
"""Over fewer different lengths Plotly writes fractions below the axis."""


def draw_histograms(series: list[ScoreSeries], unit: str = "score", *, clickable: bool = False) -> Chart:
    """Draw a panel for each ruleset and an outline for each strategy, all on the same bins.

    A clickable chart has an invisible bar for each bin. Its custom data are the lowest and the highest score of the bin;
    its hover text lists all strategies.
    """
    edges = common_bin_edges([one.scores for one in series])
    panels = _group_by_panel(series)
    is_labelled = max(map(len, panels)) <= MAX_LABELS
    chart = Chart(_panel_heads(series, name_lines=not is_labelled), unit, "share of results")
    for row, panel in enumerate(panels, start=1):
        for one in panel:
            hover = "%{customdata[0]}: %{customdata[2]:.1%} (%{customdata[1]:,} results)"
            chart.add_trace(
                "scatter",
                row=row,
                **_outline_trace(one.scores, edges, one.look),
                **({"hoverinfo": "skip"} if clickable else {"hovertemplate": hover}),
                **chart.legend_options(one.name),
            )
        if clickable:
            chart.add_trace("bar", row=row, **_clickable_bars(panel, edges))
        for one in panel:
            chart.add_trace("scatter", row=row, **_mean_tick(one))
    chart.set_upright_axis(tickformat=".0%", rangemode="tozero")
    if is_labelled:
        label_outlines(chart, panels, edges)
    chart.share_upright_scale()
    chart.reserve_label_room(SHARE_AXIS_TEXTS)
    return chart


def _mean_tick(one: ScoreSeries) -> dict[str, Any]:
    """Return a tick on the axis at the mean of a series, with its interval as a bar."""
    colour, half = one.look.colour, one.mean.half_width if one.mean else 0.0
    about = f" ± {half:.2f}" if one.mean else ", too few blocks for an interval"
    return {
        "x": [one.scores.mean],
        "y": [0],
        "error_x": {"type": "data", "array": [half], "color": colour, "thickness": 3, "width": 0},
        "marker": {
            "symbol": "triangle-up",
            "size": 10,
            "color": colour,
            "line": {"width": 1, "color": "white"},
        },
        "mode": "markers",
        "cliponaxis": False,
        "showlegend": False,
        "hovertemplate": f"mean {one.scores.mean:.2f}{about}<extra>{escape_plotly_text(one.name)}</extra>",
    }


def _outline_trace(scores: Distribution, edges: Integers, look: SeriesLook) -> dict[str, Any]:
    """Return the outline of a histogram, closed at both ends; its custom data are the names, counts and shares of the bins."""
    counts = scores.bin_counts(edges)
    bins = [
        [_format_bin(low, high), int(count), int(count) / scores.n]
        for (low, high), count in zip(pairwise(edges), counts, strict=True)
    ]
    return {
        "x": [float(edge) - 0.5 for edge in (edges[0], *edges)],
        "y": [0.0, *(counts / scores.n).tolist(), 0.0],
        "customdata": [bins[0], *bins, bins[-1]],
        "line": {"shape": "hv", "width": LINE_WIDTH, "color": look.colour, "dash": look.dash},
        "fill": "tozeroy",
        "fillcolor": fade_colour(look.colour),
        "mode": "lines",
    }


def _format_bin(low: int, high: int) -> str:
    """Return the name of a bin; `high` is the first integer above it."""
    return f"{low} to {high - 1}" if high - low > 1 else f"{low}"


def _clickable_bars(series: list[ScoreSeries], edges: Integers) -> dict[str, Any]:
    """Return an invisible bar for every bin, to hover over and to click."""
    counts = [one.scores.bin_counts(edges) for one in series]
    shares = [count / one.scores.n for one, count in zip(series, counts, strict=True)]
    texts = []
    for at, (low, high) in enumerate(pairwise(edges)):
        lines = [
            f"{escape_plotly_text(one.name)}: {share[at]:.1%} ({count[at]:,} results)"
            for one, share, count in zip(series, shares, counts, strict=True)
        ]
        texts.append("<br>".join([f"<b>{_format_bin(low, high)}</b>", *lines, "click to list the games"]))
    return {
        "x": [(float(low) + float(high) - 1) / 2 for low, high in pairwise(edges)],
        "y": [max(0.02, *(float(share[at]) for share in shares)) for at in range(len(edges) - 1)],
        "width": [float(high - low) for low, high in pairwise(edges)],
        "customdata": [[int(low), int(high) - 1] for low, high in pairwise(edges)],
        "text": texts,
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": "rgba(128,128,128,0.004)", "line": {"width": 0}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "showlegend": False,
    }


def draw_cumulative_shares(series: list[ScoreSeries], unit: str = "score") -> Chart:
    """Draw the empirical distribution functions with a band that contains the whole true curve with 95 %."""
    chart = Chart(_panel_heads(series), unit, "share up to this score")
    for row, panel in enumerate(_group_by_panel(series), start=1):
        for one in panel:
            x, y, half = one.scores.values, one.scores.shares_up_to, dkw_half_width(one.blocks)
            band = {
                "x": x,
                "line": {"width": 0, "shape": "hv"},
                "hoverinfo": "skip",
                "showlegend": False,
                "mode": "lines",
            }
            chart.add_trace("scatter", row=row, y=(y + half).clip(0, 1), **band)
            fill = {"fill": "tonexty", "fillcolor": fade_colour(one.look.colour)}
            chart.add_trace("scatter", row=row, y=(y - half).clip(0, 1), **band, **fill)
            chart.add_trace(
                "scatter",
                row=row,
                x=x,
                y=y,
                line={"shape": "hv", "width": LINE_WIDTH, "color": one.look.colour, "dash": one.look.dash},
                mode="lines",
                hovertemplate="%{y:.1%} score %{x} or less",
                **chart.legend_options(one.name),
            )
    chart.set_upright_axis(tickformat=".0%", range=[0, 1.02])
    chart.reserve_label_room(SHARE_AXIS_TEXTS)
    return chart


def draw_boxes(series: list[ScoreSeries], unit: str = "score") -> Chart:
    """Draw the 5, 25, 50, 75 and 95 % quantiles of each series, and its mean with its interval."""
    chart = Chart(_panel_heads(series), unit)
    for row, panel in enumerate(_group_by_panel(series), start=1):
        for one in reversed(panel):
            low, q1, median, q3, high = (one.scores.quantile(share) for share in QUANTILES)
            chart.add_trace(
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
                chart.add_trace("scatter", row=row, **_mean_mark(one, one.mean))
    chart.reserve_label_room(one.name for one in series)
    return chart


def _mean_mark(one: ScoreSeries, mean: Interval) -> dict[str, Any]:
    colour = one.look.colour
    return {
        "x": [one.scores.mean],
        "y": [escape_plotly_text(one.name)],
        "error_x": {"type": "data", "array": [mean.half_width], "color": colour, "thickness": 2},
        "marker": {
            "symbol": "diamond",
            "size": 9,
            "color": colour,
            "line": {"width": 1, "color": "white"},
        },
        "mode": "markers",
        "showlegend": False,
        "hovertemplate": f"mean {one.scores.mean:.2f} ± {mean.half_width:.2f}<extra>{escape_plotly_text(one.name)}</extra>",
    }


def draw_game_lengths(lines: list[tuple[str, Distribution, SeriesLook]], unit: str) -> Chart:
    """Draw how long games were: an outline for each ruleset, all on the same bins."""
    edges = common_bin_edges([lengths for _, lengths, _ in lines])
    chart = Chart([], unit, "share of games")
    for name, lengths, look in lines:
        chart.add_trace(
            "scatter",
            **_outline_trace(lengths, edges, look),
            name=escape_plotly_text(f"{name} n = {lengths.n:,}"),
            showlegend=True,
            hovertemplate=f"%{{customdata[0]}} {unit}: %{{customdata[2]:.1%}} (%{{customdata[1]:,}} games)",
        )
    chart.set_upright_axis(tickformat=".0%", rangemode="tozero")
    if edges[-1] - edges[0] < MIN_LENGTHS_FOR_OWN_TICKS:
        chart.set_shared_axis(dtick=1)  # a game has no half rounds
    chart.reserve_label_room(SHARE_AXIS_TEXTS)
    return chart


def _group_by_panel(series: list[ScoreSeries]) -> list[list[ScoreSeries]]:
    """Return the series of each panel, from top to bottom."""
    return [
        [one for one in series if one.panel_name == name]
        for name in dict.fromkeys(one.panel_name for one in series)
    ]


def _panel_heads(series: list[ScoreSeries], *, name_lines: bool = True) -> list[str]:
    """Return the heading of each panel: its name and its numbers of results.

    Without `name_lines` the number of a single line stands without its name.
    """
    return [
        wrap_head([panel[0].panel_name, *_format_counts(panel, name_lines=name_lines)])
        for panel in _group_by_panel(series)
    ]


def _format_counts(panel: list[ScoreSeries], *, name_lines: bool) -> list[str]:
    """Return the numbers of results. Strategies are named only if the numbers differ; the legend names them anyway."""
    first = panel[0]
    names: dict[int, list[str]] = {}
    for one in panel:
        names.setdefault(one.scores.n, []).append(one.name)
    if len(names) > 1:
        together = {
            n: [f"{', '.join(same)} n = {n:,} each"]
            for n, same in names.items()
            if len(same) > 1 and len(f"{', '.join(same)} n = {n:,} each") <= HEAD_CHARACTERS
        }
        parts = (together.get(n) or [f"{name} n = {n:,}" for name in same] for n, same in names.items())
        return [part for some in parts for part in some]
    if len(panel) > 1:
        return [f"n = {first.scores.n:,} each"]
    is_named = not name_lines or first.panel_name.endswith(f" · {first.name}")
    return [f"n = {first.scores.n:,}" if is_named else f"{first.name} n = {first.scores.n:,}"]
