"""The page Scores: distributions of scores by ruleset, strategy, seat and part, and the games behind them."""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.scores import means
from dashboard.scores.distributions import show_distributions
from dashboard.scores.explore import show_linked_view
from dashboard.scores.filters import ask_filters
from dashboard.scores.lengths import show_game_lengths
from dashboard.scores.squares import show_square_maps
from dashboard.widgets.address_defaults import write_address_defaults
from dashboard.widgets.saved_questions import show_question_title

VIEWS = {
    "Scores": show_distributions,
    "Explore": show_linked_view,
    "Parts": means.show_part_means,
    "Course": means.show_score_course,
    "Players": means.show_seat_means,
    "Length": show_game_lengths,
    "Squares": show_square_maps,
}

TITLES = {
    "Scores": "How do scores spread?",
    "Explore": "What goes with what?",
    "Parts": "What brings points?",
    "Course": "How do scores grow?",
    "Players": "Does starting help?",
    "Length": "How long are the games?",
    "Squares": "Which squares fill up?",
}

asked_view = st.session_state.get("view") or st.query_params.get("view")
show_question_title(TITLES.get(asked_view or "Scores", TITLES["Scores"]), "scores")
played_rulesets = cached.rulesets_by_label(cached.independent_runs())
if not played_rulesets:
    st.info("You have no games yet. A first run takes a few seconds.")
    with st.container(key="invitations"):
        st.page_link(
            "views/library.py", label="Simulate some games", icon=":material/casino:", width="content"
        )
    st.stop()
result_filters = ask_filters(played_rulesets)
if result_filters:
    if st.query_params.get("view") == "Seats":
        st.session_state["view"] = "Players"  # the former name, in links that were kept
    # Only the chosen view is computed.
    view = st.segmented_control(
        "View",
        list(VIEWS),
        default="Scores",
        required=True,
        key="view",
        bind="query-params",
        label_visibility="collapsed",
    )
    VIEWS[view or "Scores"](result_filters)
    write_address_defaults("scores", {"rulesets": [one.label for one in result_filters.rulesets]})
