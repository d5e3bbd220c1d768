"""Charts: figures from numbers. Knows neither Streamlit nor SQL, and never receives raw samples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pipelines.statistics import Distribution, common_edges, dkw_half_width

if TYPE_CHECKING:
    from dashboard.palette import Look
    from pipelines.statistics import Interval
    from pipelines.statistics.distributions import Integers

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
HEIGHT: Final = 340
"""Pixels of a figure of one panel."""
HEAD: Final = 18
"""Pixels of a line in the head of a panel."""
ABOVE: Final = 16
"""Pixels above plots without a head."""
BELOW: Final = 52
"""Pixels between the panels and the legend: numbers and title of the axis."""


@dataclass(frozen=True)
class Series:
    """The scores of one strategy under one ruleset."""

    ruleset: str
    strategy: str
    scores: Distribution
    blocks: int
    """Independent units behind the scores: intervals count these, not games."""
    mean: Interval | None
    """Of block means; None for fewer than two blocks."""
    look: Look
    line: str = ""
    """What its line is called where it is not the strategy, such as a seat."""
    panel: str = ""
    """What its panel is called where it is not the ruleset."""

    @property
    def name(self) -> str:
        return self.line or self.strategy

    @property
    def place(self) -> str:
        return self.panel or self.ruleset


def histograms(series: list[Series], *, clickable: bool = False) -> go.Figure:
    """Draw one panel a ruleset, all on the same bins, one outline a strategy.

    Clickable ones have bars that are not seen, one a bin: their custom data is the lowest and the highest score of the
    bin, and they say what all strategies have there.
    """
    edges = common_edges([one.scores for one in series])
    figure = _panels(series)
    for row, place in enumerate(_series_places(series), start=1):
        for one in (s for s in series if s.place == place):
            shares = one.scores.binned(edges) / one.scores.n
            figure.add_trace(
                go.Scatter(
                    x=[float(edge) - 0.5 for edge in edges],
                    y=[*shares.tolist(), 0.0],
                    customdata=[
                        [f"{low} to {high - 1}" if high - low > 1 else f"{low}", count]
                        for low, high, count in zip(edges, edges[1:], one.scores.binned(edges), strict=False)
                    ],
                    line={"shape": "hv", "width": 2, "color": one.look.colour, "dash": one.look.dash},
                    fill="tozeroy",
                    fillcolor=_faint(one.look.colour),
                    mode="lines",
                    **(
                        {"hoverinfo": "skip"}
                        if clickable
                        else {"hovertemplate": "%{customdata[0]}: %{y:.1%} (%{customdata[1]:,} results)"}
                    ),
                    **_legend(one, figure),
                ),
                row=row,
                col=1,
            )
        if clickable:
            bars = _unseen_bars([s for s in series if s.place == place], edges)
            figure.add_trace(bars, row=row, col=1)
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    figure.update_yaxes(title_text="share of results", row=1)
    return _dressed(figure, "score")


def _unseen_bars(series: list[Series], edges: Integers) -> go.Bar:
    """Return a bar for every bin, to point at and to click."""
    counts = [one.scores.binned(edges) for one in series]
    shares = [found / one.scores.n for one, found in zip(series, counts, strict=True)]
    texts = []
    for at, (low, high) in enumerate(pairwise(edges)):
        span = f"{low} to {high - 1}" if high - low > 1 else f"{low}"
        lines = [
            f"{_plain(one.name)}: {share[at]:.1%} ({count[at]:,} results)"
            for one, share, count in zip(series, shares, counts, strict=True)
        ]
        texts.append("<br>".join([f"<b>{span}</b>", *lines, "click to list games"]))
    return go.Bar(
        x=[(float(low) + float(high) - 1) / 2 for low, high in pairwise(edges)],
        y=[max(0.02, *(float(share[at]) for share in shares)) for at in range(len(edges) - 1)],
        width=[float(high - low) for low, high in pairwise(edges)],
        customdata=[[int(low), int(high) - 1] for low, high in pairwise(edges)],
        text=texts,
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
        marker={"color": "rgba(128,128,128,0.004)", "line": {"width": 0}},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        showlegend=False,
    )


def cumulative(series: list[Series]) -> go.Figure:
    """Draw the empirical distribution functions with a band that holds the whole true curve with 95 %."""
    figure = _panels(series)
    for row, place in enumerate(_series_places(series), start=1):
        for one in (s for s in series if s.place == place):
            x, y, half = one.scores.values, one.scores.shares_up_to, dkw_half_width(one.blocks)
            band = {
                "line": {"width": 0, "shape": "hv"},
                "hoverinfo": "skip",
                "showlegend": False,
                "mode": "lines",
            }
            figure.add_trace(go.Scatter(x=x, y=(y + half).clip(0, 1), **band), row=row, col=1)
            lower = go.Scatter(
                x=x, y=(y - half).clip(0, 1), fill="tonexty", fillcolor=_faint(one.look.colour), **band
            )
            figure.add_trace(lower, row=row, col=1)
            figure.add_trace(
                go.Scatter(
                    x=x,
                    y=y,
                    line={"shape": "hv", "width": 2, "color": one.look.colour, "dash": one.look.dash},
                    mode="lines",
                    hovertemplate="%{y:.1%} score %{x} or less",
                    **_legend(one, figure),
                ),
                row=row,
                col=1,
            )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02])
    figure.update_yaxes(title_text="share up to this score", row=1)
    return _dressed(figure, "score")


def boxes(series: list[Series]) -> go.Figure:
    """Draw 5, 25, 50, 75 and 95 % of each series, and its mean with its interval."""
    figure = _panels(series)
    for row, place in enumerate(_series_places(series), start=1):
        for one in reversed([s for s in series if s.place == place]):
            low, q1, median, q3, high = (one.scores.quantile(share) for share in QUANTILES)
            legend = _legend(one, figure)
            figure.add_trace(
                go.Box(
                    y=[one.name],
                    lowerfence=[low],
                    q1=[q1],
                    median=[median],
                    q3=[q3],
                    upperfence=[high],
                    orientation="h",
                    line={"color": one.look.colour},
                    fillcolor=_faint(one.look.colour),
                    hoverinfo="x",
                    **legend,
                ),
                row=row,
                col=1,
            )
            if one.mean:
                figure.add_trace(_mean_mark(one), row=row, col=1)
    return _dressed(figure, "score")


def _mean_mark(one: Series) -> go.Scatter:
    half = one.mean.half if one.mean else 0.0
    return go.Scatter(
        x=[one.scores.mean],
        y=[one.name],
        error_x={"type": "data", "array": [half], "color": one.look.colour, "thickness": 2},
        marker={
            "symbol": "diamond",
            "size": 9,
            "color": one.look.colour,
            "line": {"width": 1, "color": "white"},
        },
        mode="markers",
        showlegend=False,
        hovertemplate=f"mean {one.scores.mean:.2f} ± {half:.2f}<extra>{_plain(one.name)}</extra>",
    )


def lengths(lines: list[tuple[str, Distribution, Look]], unit: str) -> go.Figure:
    """Draw how long games were: one outline a ruleset, on the same bins."""
    figure = make_subplots()
    edges = common_edges([found for _, found, _ in lines])
    for name, found, look in lines:
        binned = found.binned(edges)
        figure.add_trace(
            go.Scatter(
                x=[float(edge) - 0.5 for edge in edges],
                y=[*(binned / found.n).tolist(), 0.0],
                customdata=[
                    [f"{low} to {high - 1}" if high - low > 1 else f"{low}", count]
                    for low, high, count in zip(edges, edges[1:], binned, strict=False)
                ],
                line={"shape": "hv", "width": 2, "color": look.colour, "dash": look.dash},
                fill="tozeroy",
                fillcolor=_faint(look.colour),
                mode="lines",
                name=_plain(f"{name} n = {found.n:,}"),
                showlegend=True,
                hovertemplate=f"%{{customdata[0]}} {unit}: %{{y:.1%}} (%{{customdata[1]:,}} games)",
            )
        )
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", title_text="share of games")
    figure.update_layout(height=HEIGHT)
    return _dressed(figure, unit)


def marked(figure: go.Figure, x: float, name: str) -> go.Figure:
    """Draw a line across all panels at a value, with its name."""
    line = {"width": 1.5, "dash": "dash", "color": "#8A8A8A"}
    figure.add_vline(x=x, line=line, annotation={"text": _plain(name), "font_size": 12})
    return figure


def ranged(figure: go.Figure, low: int, high: int) -> go.Figure:
    """Shade a range of whole numbers across all panels."""
    line = {"width": 1, "color": "#8A8A8A"}
    figure.add_vrect(x0=low - 0.5, x1=high + 0.5, line=line, fillcolor="#8A8A8A", opacity=0.18)
    return figure


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval at a place: a part of the score, a round, a seat."""

    at: str | int
    ruleset: str
    strategy: str
    mean: Interval
    n: int
    look: Look


def dots(estimates: list[Estimate], x_title: str, *, horizontal: bool = True) -> go.Figure:
    """Draw means with their intervals, one row a place (or one column), one dot a strategy."""
    figure = _panels(estimates)
    for row, ruleset in enumerate(_rulesets(estimates), start=1):
        panel = [e for e in estimates if e.ruleset == ruleset]
        for strategy in dict.fromkeys(e.strategy for e in panel):
            own = [e for e in panel if e.strategy == strategy]
            means, halves, places = (
                [e.mean.estimate for e in own],
                [e.mean.half for e in own],
                [e.at for e in own],
            )
            look = own[0].look
            error = {"type": "data", "array": halves, "color": look.colour, "thickness": 2}
            figure.add_trace(
                go.Scatter(
                    x=means if horizontal else places,
                    y=places if horizontal else means,
                    **({"error_x": error} if horizontal else {"error_y": error}),
                    customdata=[[half, e.n] for half, e in zip(halves, own, strict=True)],
                    marker={"size": 9, "color": look.colour},
                    line={"color": look.colour, "dash": look.dash, "width": 1.5},
                    mode="markers" if horizontal else "lines+markers",
                    hovertemplate=f"%{{{'x' if horizontal else 'y'}:.2f}} ± %{{customdata[0]:.2f}} (n = %{{customdata[1]:,}})",
                    name=_plain(strategy),
                    legendgroup=strategy,
                    showlegend=not any(trace.legendgroup == strategy for trace in figure.data),
                ),
                row=row,
                col=1,
            )
    if horizontal:
        figure.update_yaxes(autorange="reversed", type="category")
        figure.update_xaxes(zeroline=True)
    return _dressed(figure, x_title)


def course(estimates: list[Estimate]) -> go.Figure:
    """Draw mean scores by round as lines with a band."""
    figure = _panels(estimates)
    for row, ruleset in enumerate(_rulesets(estimates), start=1):
        panel = [e for e in estimates if e.ruleset == ruleset]
        for strategy in dict.fromkeys(e.strategy for e in panel):
            own = [e for e in panel if e.strategy == strategy]
            x, look = [e.at for e in own], own[0].look
            band = {"line": {"width": 0}, "hoverinfo": "skip", "showlegend": False, "mode": "lines"}
            figure.add_trace(go.Scatter(x=x, y=[e.mean.high for e in own], **band), row=row, col=1)
            lower = go.Scatter(
                x=x, y=[e.mean.low for e in own], fill="tonexty", fillcolor=_faint(look.colour), **band
            )
            figure.add_trace(lower, row=row, col=1)
            figure.add_trace(
                go.Scatter(
                    x=x,
                    y=[e.mean.estimate for e in own],
                    customdata=[[e.mean.half, e.n] for e in own],
                    line={"color": look.colour, "dash": look.dash, "width": 2},
                    mode="lines",
                    hovertemplate="%{y:.2f} ± %{customdata[0]:.2f} (n = %{customdata[1]:,})",
                    name=_plain(strategy),
                    legendgroup=strategy,
                    showlegend=not any(trace.legendgroup == strategy for trace in figure.data),
                ),
                row=row,
                col=1,
            )
    return _dressed(figure, "round")


MOST_MARKS: Final = 2000
"""Marks of a simple chart: more are neither seen nor sent."""
_FIRST: Final = ("#1F83C2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_SYMBOLS: Final = ("circle", "square", "diamond", "cross", "triangle-up", "x")


def simple(  # noqa: PLR0913, PLR0917 - what a chart takes
    kind: str, x: list[Any], y: list[Any], x_title: str, y_title: str, groups: list[str] | None = None
) -> go.Figure:
    """Draw numbers over anything as bars, lines or points; `groups`, if any, names the group of each mark."""
    figure = make_subplots()
    names = list(dict.fromkeys(groups or []))
    for number, name in enumerate(names or [""]):
        own = [place for place in range(len(x)) if not names or (groups or [])[place] == name]
        colour, symbol = _FIRST[number % len(_FIRST)], _SYMBOLS[number % len(_SYMBOLS)]
        xs, ys = [_shown(x[place]) for place in own], [y[place] for place in own]
        label = {"name": _plain(name), "showlegend": len(names) > 1}
        if kind == "bar":
            figure.add_trace(go.Bar(x=xs, y=ys, marker={"color": colour}, **label))
        else:
            mode = "markers" if kind == "points" else "lines+markers" if len(own) <= 60 else "lines"
            marker = {"color": colour, "symbol": symbol, "size": 8}
            figure.add_trace(
                go.Scatter(x=xs, y=ys, mode=mode, marker=marker, line={"color": colour}, **label)
            )
    figure.update_layout(height=HEIGHT, barmode="group")
    figure.update_yaxes(title_text=_plain(y_title), rangemode="tozero" if kind == "bar" else "normal")
    return _dressed(figure, _plain(x_title))


def _shown(value: object) -> object:
    """Take anything but numbers and times as text."""
    if value is None or isinstance(value, int | float) or hasattr(value, "isoformat"):
        return value
    return _plain(str(value))


def _rulesets(series: list[Series] | list[Estimate]) -> list[str]:
    return list(dict.fromkeys(one.ruleset for one in series))


def _series_places(series: list[Series] | list[Estimate]) -> list[str]:
    return list(dict.fromkeys(one.place if isinstance(one, Series) else one.ruleset for one in series))


def _panels(series: list[Series] | list[Estimate]) -> go.Figure:
    """Make one panel a ruleset, all on one score axis, headed by the ruleset and what n there is."""
    rulesets = _series_places(series)
    heads = {}
    for place in rulesets:
        counts = [
            f"{one.name} n = {one.scores.n:,}"
            for one in series
            if isinstance(one, Series) and one.place == place
        ]
        heads[place] = _folded([place, *counts])
    head = HEAD * max((1 + text.count("<br>") for text in heads.values()), default=1)
    each = 250 if len(rulesets) == 1 else 150 if len(rulesets) < 4 else 110
    drawn = max(1, len(rulesets)) * (each + head) - head
    figure = make_subplots(
        rows=len(rulesets),
        cols=1,
        shared_xaxes=True,
        # The legend takes some of what is drawn, and so of the space between: a fifth more.
        vertical_spacing=1.2 * head / (drawn + 0.2 * head),
        subplot_titles=list(heads.values()),
    )
    figure.update_layout(height=head + drawn + BELOW + HEAD, margin_t=head + HEAD // 2)
    figure.update_annotations(x=0, xanchor="left", font_size=13, align="left")
    return figure


def _folded(words: list[str], most: int = 46) -> str:
    """Join words to a head of lines that fit on a phone."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > most:
            lines.append(word)
        else:
            lines[-1] += f" · {word}"
    return "<br>".join(map(_plain, lines))


def _legend(one: Series, figure: go.Figure) -> dict[str, Any]:
    """Name a trace by its strategy, once for all panels."""
    again = any(trace.legendgroup == one.name for trace in figure.data)
    return {"name": _plain(one.name), "legendgroup": one.name, "showlegend": not again}


def _dressed(figure: go.Figure, x_title: str) -> go.Figure:
    panels = len(list(figure.select_xaxes()))
    figure.update_xaxes(title_text=x_title, row=panels)
    above = figure.layout.margin.t or ABOVE
    drawn = (figure.layout.height or HEIGHT) - above - BELOW
    figure.update_layout(
        # The legend stands below: above are the heads of the panels, beside there is no room on a phone. There it takes
        # as many lines as it needs, and Plotly makes room for them.
        margin={"l": 8, "r": 8, "t": above, "b": 8},
        legend={"orientation": "h", "yanchor": "top", "y": -BELOW / drawn, "xanchor": "left", "x": 0},
        hovermode="closest",
        boxgap=0.35,
    )
    return figure


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.14)"


def _plain(text: str) -> str:
    """Take a name as text: Plotly reads some HTML in names and titles."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
