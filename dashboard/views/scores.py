"""The page Scores: distributions of scores by ruleset, strategy, seat and part, and the games behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.scores.distributions import show_distributions
from dashboard.scores.explore import show_linked_view
from dashboard.scores.filters import ask_filters
from dashboard.scores.lengths import show_game_lengths
from dashboard.scores.lineups import show_lineups
from dashboard.scores.means import show_means
from dashboard.scores.squares import show_square_maps
from dashboard.widgets.address_defaults import write_address_defaults
from dashboard.widgets.saved_questions import show_question_title
from pipelines.questions.address import read_fields
from pipelines.questions.scores.question import VIEWS, ScoresQuestion, View
from pipelines.questions.scores.scope import list_counted_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.scores.filters import ShownScores

SHOW: Final[dict[View, tuple[str, Callable[[ShownScores], None]]]] = {
    "Scores": ("How do scores spread?", show_distributions),
    "Explore": ("What is different in the games you choose?", show_linked_view),
    "Parts": ("What brings points?", show_means),
    "Course": ("How do scores grow?", show_means),
    "Players": ("Does starting help?", show_means),
    "Length": ("How long are the games?", show_game_lengths),
    "Squares": ("Which squares fill up?", show_square_maps),
}
"""By view: the title of the page, and the function that shows it."""

source = cached.question_source()
asked, problems = read_fields(ScoresQuestion, {key: st.query_params.get_all(key) for key in st.query_params})
if not problems and st.query_params.get("view", asked.view) != asked.view:
    st.query_params["view"] = (
        asked.view
    )  # a former name, in links that were kept: the field of the views knows only the new one
    st.rerun()
shown_view = st.session_state.get("view")
show_question_title(SHOW[shown_view if shown_view in SHOW else asked.view][0], "scores")
if not list_counted_runs(asked, source):
    st.info("You have no games yet. A first run takes a few seconds.")
    with st.container(key="invitations"):
        st.page_link(
            "views/library.py", label="Simulate some games", icon=":material/casino:", width="content"
        )
    st.stop()
shown = ask_filters(asked, source, problems)
if shown:
    # Only the chosen view is computed.
    view = st.segmented_control(
        "View",
        VIEWS,
        default="Scores",
        required=True,
        key="view",
        bind="query-params",
        label_visibility="collapsed",
    )
    shown = shown.with_view(view)
    show_lineups(shown.scope, shown.question.lineups)
    SHOW[view][1](shown)
    write_address_defaults("scores", {"rulesets": shown.question.rulesets})
