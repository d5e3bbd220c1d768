"""The view of game lengths, in rounds or in plies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.scores.filters import show_lineups
from dashboard.scores.shown_headline import show_headline
from dashboard.widgets import tables
from dashboard.widgets.charts import show_chart
from pipelines.questions.scores.lengths import answer_lengths
from pipelines.report.charts import Histogram, ScoreSeries
from pipelines.report.sentences.place_means import describe_lengths
from pipelines.report.tables.scores import tabulate_lengths
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from dashboard.scores.filters import ShownScores


def show_game_lengths(shown: ShownScores) -> None:
    """Show the distribution of the length of games for each ruleset."""
    unit = shown.question.length
    answer = answer_lengths(shown.question, shown.scope, shown.source)
    if not answer.lengths:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    show_headline(describe_lengths(answer.lengths, unit, is_compared=shown.scope.has_one_lineup))
    looks = seat_looks(len(answer.lengths)).values()
    lines = [
        ScoreSeries("", "", one.lengths, one.lengths.n, None, look, line=one.ruleset)
        for one, look in zip(answer.lengths, looks, strict=True)
    ]
    title = f"Length of games in {unit}"
    show_chart(Histogram(lines, unit, title, "game", has_means=False), "length-chart")
    show_lineups(shown)
    st.caption("All games of the chosen runs, with all strategies. Rolls of the dice are plies too.")
    with st.expander("The numbers"):
        frame = tables.show_report_table(tabulate_lengths(answer.lengths, unit))
        st.caption("From and to: the 95 % interval of the mean, each block counted as one game.")
        tables.offer_table(frame, title, f"length-{unit}")
