"""Charts of distributions: histograms, cumulative shares and boxes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from dashboard.widgets.charts.chart import Chart, escape_plotly_text, fade_colour, wrap_head
from pipelines.statistics import Distribution, common_bin_edges, dkw_half_width

if TYPE_CHECKING:
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Integers
    from pipelines.viewer.palette import SeriesLook

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
SHARE_AXIS_TEXTS: Final = ("100%",)
"""The longest label beside a panel of shares."""


@dataclass(frozen=True)
class ScoreSeries:
    """The scores of one strategy under one ruleset."""

    ruleset: str
    strategy: str
    scores: Distribution
    blocks: int
    """Independent units behind the scores; intervals count blocks, not games."""
    mean: Interval | None
    """The mean score with an interval from block means; None for fewer than two blocks."""
    look: SeriesLook
    line: str = ""
    """Name of the line if it is not the strategy, such as a seat."""
    panel: str = ""
    """Name of the panel if it is not the ruleset."""

    @property
    def name(self) -> str:
        return self.line or self.strategy

    @property
    def panel_name(self) -> str:
        return self.panel or self.ruleset


def draw_histograms(series: list[ScoreSeries], unit: str = "score", *, clickable: bool = False) -> Chart:
    """Draw a panel for each ruleset and an outline for each strategy, all on the same bins.

    A clickable chart has an invisible bar for each bin. Its custom data are the lowest and the highest score of the bin;
    its hover text lists all strategies.
    """
    edges = common_bin_edges([one.scores for one in series])
    chart = Chart(_panel_heads(series), unit, "share of results")
    for row, panel in enumerate(_group_by_panel(series), start=1):
        for one in panel:
            hover = "%{customdata[0]}: %{y:.1%} (%{customdata[1]:,} results)"
            chart.add_trace(
                "scatter",
                row=row,
                **_outline_trace(one.scores, edges, one.look),
                **({"hoverinfo": "skip"} if clickable else {"hovertemplate": hover}),
                **chart.legend_options(one.name),
            )
        if clickable:
            chart.add_trace("bar", row=row, **_clickable_bars(panel, edges))
    chart.set_upright_axis(tickformat=".0%", rangemode="tozero")
    chart.share_upright_scale()
    chart.reserve_label_room(SHARE_AXIS_TEXTS)
    return chart


def _outline_trace(scores: Distribution, edges: Integers, look: SeriesLook) -> dict[str, Any]:
    """Return the outline of a histogram; its custom data are the names and counts of the bins."""
    counts = scores.bin_counts(edges)
    return {
        "x": [float(edge) - 0.5 for edge in edges],
        "y": [*(counts / scores.n).tolist(), 0.0],
        "customdata": [
            [_format_bin(low, high), int(count)]
            for (low, high), count in zip(pairwise(edges), counts, strict=True)
        ],
        "line": {"shape": "hv", "width": 2, "color": look.colour, "dash": look.dash},
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
                line={"shape": "hv", "width": 2, "color": one.look.colour, "dash": one.look.dash},
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
            hovertemplate=f"%{{customdata[0]}} {unit}: %{{y:.1%}} (%{{customdata[1]:,}} games)",
        )
    chart.set_upright_axis(tickformat=".0%", rangemode="tozero")
    chart.reserve_label_room(SHARE_AXIS_TEXTS)
    return chart


def _group_by_panel(series: list[ScoreSeries]) -> list[list[ScoreSeries]]:
    """Return the series of each panel, from top to bottom."""
    return [
        [one for one in series if one.panel_name == name]
        for name in dict.fromkeys(one.panel_name for one in series)
    ]


def _panel_heads(series: list[ScoreSeries]) -> list[str]:
    """Return the heading of each panel: its name and its numbers of results."""
    return [wrap_head([panel[0].panel_name, *_format_counts(panel)]) for panel in _group_by_panel(series)]


def _format_counts(panel: list[ScoreSeries]) -> list[str]:
    """Return the numbers of results. Strategies are named only if the numbers differ; the legend names them anyway."""
    first = panel[0]
    if len({one.scores.n for one in panel}) > 1:
        return [f"{one.name} n = {one.scores.n:,}" for one in panel]
    if len(panel) > 1:
        return [f"n = {first.scores.n:,} each"]
    is_named = first.panel_name.endswith(f" · {first.name}")
    return [f"n = {first.scores.n:,}" if is_named else f"{first.name} n = {first.scores.n:,}"]
