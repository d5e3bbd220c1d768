"""Charts of means with their intervals: by part of the score, by seat, by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dashboard.widgets.charts.chart import Chart, escape_plotly_text, fade_colour, longest_number_texts
from dashboard.widgets.charts.line_labels import LineEnd, label_line_ends
from pipelines.viewer.chart_look import LINE_WIDTH
from pipelines.viewer.palette import mark_baseline

if TYPE_CHECKING:
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook


MEAN_SCORE_TITLE: Final = "mean score"
ROW_SHARE: Final = 0.7
"""The share of a row that the dots of its strategies take."""
MAX_OFFSET: Final = 0.16
"""The largest distance between the dots of two strategies, in rows."""
MAX_COLUMN_OFFSET: Final = 0.05
"""The same in columns, which are wider."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval at a place: a part of the score, a round, a seat."""

    at: str | int
    ruleset: str
    strategy: str
    mean: Interval
    n: int
    look: SeriesLook
    title: str = ""
    """Short name of the strategy; empty if charts use its full name."""

    @property
    def name(self) -> str:
        return mark_baseline(self.title or self.strategy, self.look)


def draw_dots(estimates: list[Estimate], across: str, *, legend: bool) -> Chart:
    """Draw means with their intervals: a row for each place, a dot for each strategy, beside each other within the row.

    `across` is the title of the axis. A legend is needed if the rows and the axis do not name the strategies.
    """
    chart = Chart(_panel_heads(estimates), across)
    lines = _strategy_lines(estimates)
    panels = _lines_by_panel(lines)
    places = {
        row: list(dict.fromkeys(one.at for line in panel for one in line)) for row, panel in panels.items()
    }
    for row, line in lines:
        offset = _offset_at_place(panels[row], line)
        chart.add_trace(
            "scatter",
            row=row,
            x=[one.mean.estimate for one in line],
            y=[places[row].index(one.at) + offset for one in line],
            error_x=_error_bars(line),
            marker=_mark_options(line[0].look),
            zorder=-1 if line[0].look.is_baseline else 0,  # behind the results that the page is about
            mode="markers",
            **_hover_options(line, "x"),
            **(chart.legend_options(line[0].name) | ({} if legend else {"showlegend": False})),
        )
    for row, names in places.items():
        chart.set_upright_axis(
            row=row,
            range=[len(names) - 0.5, -0.5],  # half a row above the first one is room for the name of a mark
            tickvals=list(range(len(names))),
            ticktext=[escape_plotly_text(str(name)) for name in names],
            zeroline=False,
        )
    chart.set_shared_axis(zeroline=True)
    chart.reserve_label_room(str(one.at) for one in estimates)
    return chart


def _lines_by_panel(lines: list[tuple[int, list[Estimate]]]) -> dict[int, list[list[Estimate]]]:
    """Return the lines of each panel by its row."""
    panels: dict[int, list[list[Estimate]]] = {}
    for row, line in lines:
        panels.setdefault(row, []).append(line)
    return panels


def _offset_at_place(panel: list[list[Estimate]], line: list[Estimate], most: float = MAX_OFFSET) -> float:
    """Return how far beside the middle of its places a line is drawn, in places; 0 if no other line has a dot there.

    `most` is the largest distance between two lines.
    """
    places = {one.at for one in line}
    others = [one for one in panel if places & {point.at for point in one}]
    return round((others.index(line) - (len(others) - 1) / 2) * min(most, ROW_SHARE / len(others)), 4)


def draw_columns(estimates: list[Estimate], across: str) -> Chart:
    """Draw means with their intervals: a column for each place, which is an integer, and a line for each strategy.

    The strategies stand beside each other within a column, so that no interval hides another one.
    """
    chart = Chart(_panel_heads(estimates), across, MEAN_SCORE_TITLE)
    lines = _strategy_lines(estimates)
    panels = _lines_by_panel(lines)
    for row, line in lines:
        look = line[0].look
        offset = _offset_at_place(panels[row], line, MAX_COLUMN_OFFSET)
        chart.add_trace(
            "scatter",
            row=row,
            x=[int(one.at) + offset for one in line],
            y=[one.mean.estimate for one in line],
            error_y=_error_bars(line),
            marker=_mark_options(look),
            line={"color": look.colour, "dash": look.dash, "width": 1.5},
            mode="lines+markers",
            **_hover_options(line, "y"),
            **chart.legend_options(line[0].name),
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
            line={"color": look.colour, "dash": look.dash, "width": LINE_WIDTH},
            mode="lines",
            **_hover_options(line, "y"),
            **chart.legend_options(line[0].name),
        )
    ends = [
        LineEnd(row, line[-1].name, line[-1].look.colour, float(line[-1].at), line[-1].mean.estimate)
        for row, line in _strategy_lines(estimates)
    ]
    means = [end for one in estimates for end in (one.mean.low, one.mean.high)]
    label_line_ends(chart, ends, min(means, default=0.0), max(means, default=0.0))
    chart.share_upright_scale()
    chart.reserve_label_room(
        longest_number_texts(end for one in estimates for end in (one.mean.low, one.mean.high))
    )
    return chart


def _mark_options(look: SeriesLook) -> dict[str, object]:
    """Return the options of a mark. The stars of the baseline are larger, because their points hide less."""
    return {"size": 13 if look.is_baseline else 9, "color": look.colour, "symbol": look.symbol}


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
    """Return the estimates of each line, with the row of the panel.

    A line is a strategy under a ruleset. The same strategy in a pinned run has a line of its own, with another look.
    """
    lines: dict[tuple[str, str, SeriesLook], list[Estimate]] = {}
    for one in estimates:
        lines.setdefault((one.ruleset, one.strategy, one.look), []).append(one)
    rulesets = list(dict.fromkeys(one.ruleset for one in estimates))
    return [(rulesets.index(ruleset) + 1, line) for (ruleset, _, _), line in lines.items()]


def _panel_heads(estimates: list[Estimate]) -> list[str]:
    return [escape_plotly_text(ruleset) for ruleset in dict.fromkeys(one.ruleset for one in estimates)]
