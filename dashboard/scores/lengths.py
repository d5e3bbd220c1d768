"""The view of game lengths, in rounds or in plies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.scores.beside_baseline import explain_missing_baseline, scope_baseline
from dashboard.scores.filters import show_lineups
from dashboard.scores.shown_headline import show_headline
from dashboard.widgets import tables
from dashboard.widgets.baseline import assign_baseline_looks
from dashboard.widgets.charts import show_chart
from pipelines.questions.scores.lengths import answer_lengths, read_lengths
from pipelines.report.charts import Histogram, ScoreSeries
from pipelines.report.sentences.place_means import describe_lengths
from pipelines.report.tables.scores import tabulate_lengths
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from dashboard.scores.filters import ShownScores
    from pipelines.statistics import Distribution
    from pipelines.viewer.palette import SeriesLook


CAPTION: Final = "All games of the chosen runs, with all strategies. Rolls of the dice are plies too."


def show_game_lengths(shown: ShownScores) -> None:
    """Show the distribution of the length of games for each ruleset."""
    unit = shown.question.length
    answer = answer_lengths(shown.question, shown.scope, shown.source)
    if not answer.lengths:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    show_headline(describe_lengths(answer.lengths, unit, is_compared=shown.scope.has_one_lineup))
    looks = dict(
        zip((one.ruleset for one in answer.lengths), seat_looks(len(answer.lengths)).values(), strict=True)
    )
    baseline = _read_baseline(shown, looks)
    lines = [_make_line(one.ruleset, one.lengths, looks[one.ruleset]) for one in answer.lengths]
    title = f"Length of games in {unit}"
    chart = Histogram([*lines, *baseline], unit, title, "game", has_means=False)
    show_chart(chart, "length-chart", caption=CAPTION)
    if not baseline:
        explain_missing_baseline(shown.scope)
    show_lineups(shown)
    with st.expander("The numbers"):
        frame = tables.show_report_table(tabulate_lengths(answer.lengths, unit))
        st.caption("From and to: the 95 % interval of the mean, each block counted as one game.")
        tables.offer_table(frame, title, f"length-{unit}")


def _make_line(name: str, lengths: Distribution, look: SeriesLook) -> ScoreSeries:
    """Return the line of a ruleset, or of the pinned run, in a chart without panels."""
    return ScoreSeries("", "", lengths, lengths.n, None, look, line=name)


def _read_baseline(shown: ShownScores, own: dict[str, SeriesLook]) -> list[ScoreSeries]:
    """Return the lines of the pinned run: the lengths of its games, under the rulesets of the chart with their looks."""
    pinned = scope_baseline(shown.scope)
    if pinned is None:
        return []
    found = {
        one.ruleset: one.lengths
        for one in read_lengths(pinned, shown.source, shown.question.length)
        if one.ruleset in own
    }
    looks = assign_baseline_looks({label: look for label, look in own.items() if label in found})
    return [
        _make_line(
            f"{f'{label}, ' if len(looks) > 1 else ''}run {pinned.runs[0].name} (baseline)",
            found[label],
            look,
        )
        for label, look in looks.items()
    ]
