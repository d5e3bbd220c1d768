"""The view of distributions: a chart whose bins lead to their games, and the forms that ask for a range and a score."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.scores.question import change_question
from dashboard.scores.result_list import show_results
from dashboard.widgets import focus
from dashboard.widgets.charts import show_chart
from dashboard.widgets.sheet import show_basis, show_part
from pipelines.design.limits import MAX_RANGE_END
from pipelines.questions.scores.answer import list_results_asked
from pipelines.questions.scores.question import MAX_SCORE
from pipelines.report.charts import Histogram

if TYPE_CHECKING:
    from pipelines.questions.scores.answer import DistributionsAnswer
    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.questions.source import QuestionSource
    from pipelines.report.sheet import Part, Sheet

GAMES_KEY: Final = "games-in-range"
"""Key of the container of the list of games."""
_CHART_KEY: Final = "spread"
_END_KEYS: Final = ("from", "to")
"""Keys of the ends of the range in the address and in the session state."""


def show_distributions(sheet: Sheet, answer: DistributionsAnswer, source: QuestionSource) -> None:
    """Show the chart, the games in a range of it, and how good a score is."""
    parts = {part.key: part for part in sheet.list_parts("main", "beside")}
    if "spread" not in parts:
        show_basis(sheet)
        return
    _show_clickable_chart(parts["spread"])
    show_basis(sheet)
    if "results" in parts:
        show_part(parts["results"], answer.scope.strategies)
    with st.container(key=GAMES_KEY):
        st.header("Which games were these?")
        _ask_range(answer.question)
        if "games" not in parts:
            st.caption("Choose a bin of the histogram or enter a range to list its games.")
        elif answer.listed:
            show_results(
                parts["games"],
                answer.listed,
                answer.scope,
                "games",
                partial(list_results_asked, answer, source),
            )
        else:
            show_part(parts["games"])
    focus.show_when_requested(GAMES_KEY)
    st.header("How good is a score?")
    _ask_score(answer.question)
    if "percentiles" in parts:
        show_part(parts["percentiles"], answer.scope.strategies)


def _show_clickable_chart(part: Part) -> None:
    """Show the distributions. A bin of a histogram can be chosen."""
    chart = part.content
    if not isinstance(chart, Histogram) or chart.shape != "Histogram":
        show_part(part)
        return
    show_chart(chart, _CHART_KEY, caption=part.caption, on_click=_take_clicked_bin)


def _take_clicked_bin() -> None:
    """Set the range whose games are listed to the bin that was clicked, and bring the list into view."""
    picked: Any = st.session_state.get(_CHART_KEY)
    if not picked:
        return  # the page no longer shows this chart
    bins = [point.get("customdata") for point in picked["selection"]["points"]]
    if bins and isinstance(bins[0], (list, tuple, dict)):
        values = list(bins[0].values()) if isinstance(bins[0], dict) else list(bins[0])
        change_question(low=int(values[0]), high=int(values[1]))
        focus.request_focus(GAMES_KEY)


def _ask_range(question: ScoresQuestion) -> None:
    """Ask for the ends of a range."""
    for key, end in zip(_END_KEYS, (question.low, question.high), strict=True):
        st.session_state[key] = end

    def write_typed_range() -> None:
        low, high = (st.session_state[key] for key in _END_KEYS)
        change_question(low=low, high=high)

    with st.container(horizontal=True):
        for label, key, placeholder in zip(("From", "to"), _END_KEYS, ("lowest", "highest"), strict=True):
            st.number_input(
                label,
                value=None,
                step=1,
                key=key,
                on_change=write_typed_range,
                placeholder=placeholder,
                min_value=-MAX_RANGE_END,
                max_value=MAX_RANGE_END,
                width=170,  # two of them fit beside each other on a phone
            )


def _ask_score(question: ScoresQuestion) -> None:
    """Ask for the score whose percentile is shown."""
    st.session_state["score"] = question.score
    st.number_input(
        "A score of",
        value=None,
        step=1,
        key="score",
        on_change=lambda: change_question(score=st.session_state["score"]),
        placeholder="any score",
        min_value=-MAX_SCORE,
        max_value=MAX_SCORE,
    )
    if question.score is None:
        st.caption("Enter a score to see which share of the results lies below it.")
