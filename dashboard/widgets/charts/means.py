"""Charts of means with their intervals: by part of the score, by seat, by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dashboard.widgets.charts.chart import Chart, escape_plotly_text, fade_colour, longest_number_texts

if TYPE_CHECKING:
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook


MEAN_SCORE_TITLE: Final = "mean score"


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval at a place: a part of the score, a round, a seat."""

    at: str | int
    ruleset: str
    strategy: str
    mean: Interval
    n: int
    look: SeriesLook


def draw_dots(estimates: list[Estimate], across: str, *, legend: bool) -> Chart:
    """Draw means with their intervals: a row for each place, a dot for each strategy.

    `across` is the title of the axis. A legend is needed if the rows and the axis do not name the strategies.
    """
    chart = Chart(_panel_heads(estimates), across)
    places: dict[int, set[str | int]] = {}
    for row, line in _strategy_lines(estimates):
        places.setdefault(row, set()).update(one.at for one in line)
        chart.add_trace(
            "scatter",
            row=row,
            x=[one.mean.estimate for one in line],
            y=[escape_plotly_text(str(one.at)) for one in line],
            error_x=_error_bars(line),
            marker={"size": 9, "color": line[0].look.colour, "symbol": line[0].look.symbol},
            mode="markers",
            **_hover_options(line, "x"),
            **(chart.legend_options(line[0].strategy) | ({} if legend else {"showlegend": False})),
        )
    chart.set_upright_axis(type="category")
    for (
        row,
        names,
    ) in places.items():  # starts half a row above the first one, to have room for the name of a mark
        chart.set_upright_axis(row=row, range=[len(names) - 0.5, -0.5])
    chart.set_shared_axis(zeroline=True)
    chart.reserve_label_room(str(one.at) for one in estimates)
    return chart


def draw_columns(estimates: list[Estimate], across: str) -> Chart:
    """Draw means with their intervals: a column for each place, which is an integer, and a line for each strategy."""
    chart = Chart(_panel_heads(estimates), across, MEAN_SCORE_TITLE)
    for row, line in _strategy_lines(estimates):
        look = line[0].look
        chart.add_trace(
            "scatter",
            row=row,
            x=[one.at for one in line],
            y=[one.mean.estimate for one in line],
            error_y=_error_bars(line),
            marker={"size": 9, "color": look.colour, "symbol": look.symbol},
            line={"color": look.colour, "dash": look.dash, "width": 1.5},
            mode="lines+markers",
            **_hover_options(line, "y"),
            **chart.legend_options(line[0].strategy),
        )
    chart.set_shared_axis(dtick=1)
    chart.share_upright_scale()
    chart.reserve_label_room(
        longest_number_texts(end for one in estimates for end in (one.mean.low, one.mean.high))
    )
    return chart


def draw_score_course(estimates: list[Estimate]) -> Chart:
    """Draw mean scores by round as lines with their intervals as bands."""
    chart = Chart(_panel_heads(estimates), "round", MEAN_SCORE_TITLE)
    for row, line in _strategy_lines(estimates):
        look = line[0].look
        band = {
            "x": [one.at for one in line],
            "line": {"width": 0},
            "hoverinfo": "skip",
            "showlegend": False,
            "mode": "lines",
        }
        fill = {"fill": "tonexty", "fillcolor": fade_colour(look.colour)}
        chart.add_trace("scatter", row=row, y=[one.mean.high for one in line], **band)
        chart.add_trace("scatter", row=row, y=[one.mean.low for one in line], **band, **fill)
        chart.add_trace(
            "scatter",
            row=row,
            x=[one.at for one in line],
            y=[one.mean.estimate for one in line],
            line={"color": look.colour, "dash": look.dash, "width": 2},
            mode="lines",
            **_hover_options(line, "y"),
            **chart.legend_options(line[0].strategy),
        )
    chart.share_upright_scale()
    chart.reserve_label_room(
        longest_number_texts(end for one in estimates for end in (one.mean.low, one.mean.high))
    )
    return chart


def _error_bars(line: list[Estimate]) -> dict[str, object]:
    halves = [one.mean.half_width for one in line]
    return {"type": "data", "array": halves, "color": line[0].look.colour, "thickness": 2}


def _hover_options(line: list[Estimate], letter: str) -> dict[str, object]:
    """Return the options of the hover text; `letter` is the axis of the means, x or y."""
    return {
        "customdata": [[one.mean.half_width, one.n] for one in line],
        "hovertemplate": f"%{{{letter}:.2f}} ± %{{customdata[0]:.2f}} (n = %{{customdata[1]:,}})",
    }


def _strategy_lines(estimates: list[Estimate]) -> list[tuple[int, list[Estimate]]]:
    """Return the estimates of each strategy under each ruleset, with the row of the panel."""
    lines: dict[tuple[str, str], list[Estimate]] = {}
    for one in estimates:
        lines.setdefault((one.ruleset, one.strategy), []).append(one)
    rulesets = list(dict.fromkeys(one.ruleset for one in estimates))
    return [(rulesets.index(ruleset) + 1, line) for (ruleset, _), line in lines.items()]


def _panel_heads(estimates: list[Estimate]) -> list[str]:
    return [escape_plotly_text(ruleset) for ruleset in dict.fromkeys(one.ruleset for one in estimates)]
