"""The list of games whose scores lie in a range, with links to their replays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.scores.filters import change_question
from dashboard.scores.result_list import show_results
from dashboard.widgets import focus, tables
from dashboard.widgets.labels import read_game_labels, show_label_filter
from pipelines.design.number_limits import MAX_RANGE_END
from pipelines.questions.scores.results_in_range import list_results_in_range
from pipelines.report import wording

if TYPE_CHECKING:
    from dashboard.scores.filters import ShownScores
    from pipelines.questions.scores.question import ScoresQuestion

MAX_RESULTS_LISTED: Final = 200
GAMES_KEY: Final = "games-in-range"
"""Key of the container of the list."""
_END_KEYS: Final = ("from", "to")
"""Keys of the ends of the range in the address and in the session state."""


def show_games_in_range(shown: ShownScores, part: str) -> tuple[int, int] | None:
    """Ask for a range, list the results in it, and return it; None if an end is missing."""
    with st.container(key=GAMES_KEY):
        span = _ask_range(shown.question)
        if span is None:
            st.caption("Choose a bin of the histogram or enter a range to list its games.")
            return None
        labels = read_game_labels(shown.scope.runs)
        wanted = show_label_filter(labels.values(), "games-tags", "games-favourites")
        tagged = {place for place, held in labels.items() if wanted.fits(held)} if wanted else None
        listed = list_results_in_range(shown.scope, shown.source, part, span, MAX_RESULTS_LISTED, tagged)
        if not listed:
            st.caption(
                "No game with these labels has a score in this range."
                if wanted
                else "No game has a score in this range."
            )
        else:
            count = wording.format_count(len(listed), "result")
            is_logged = any(one.is_logged for one in listed)
            st.caption(
                f"{f'The first {count}, from the newest run on' if len(listed) == MAX_RESULTS_LISTED else count}. "
                f"{tables.CHOOSE_A_ROW if is_logged else 'Their plies were not logged.'}"
            )
            show_results(
                "The games with a score in this range", listed, labels, shown.scope.strategies, "games"
            )
    focus.show_when_requested(GAMES_KEY)
    low, high = span
    return None if low == -MAX_RANGE_END or high == MAX_RANGE_END or low > high else span


def choose_range(low: int, high: int) -> None:
    """Set the range whose games are listed, and bring the list into view. For callbacks."""
    change_question(low=low, high=high)
    focus.request_focus(GAMES_KEY)


def _ask_range(question: ScoresQuestion) -> tuple[int, int] | None:
    """Ask for the ends of a range; None if both are missing, and a very large number in place of one that is."""
    for key, end in zip(_END_KEYS, (question.low, question.high), strict=True):
        st.session_state[key] = end

    def write_typed_range() -> None:
        low, high = (st.session_state[key] for key in _END_KEYS)
        change_question(low=low, high=high)

    st.header("Which games were these?")
    with st.container(horizontal=True):
        low, high = (
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
            for label, key, placeholder in zip(("From", "to"), _END_KEYS, ("lowest", "highest"), strict=True)
        )
    if low is None and high is None:
        return None
    return -MAX_RANGE_END if low is None else low, MAX_RANGE_END if high is None else high
