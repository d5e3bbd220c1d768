"""The page Scores: distributions of scores by ruleset, strategy, seat and part, and the games behind them."""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.scores import means
from dashboard.scores.distributions import show_distributions
from dashboard.scores.filters import ask_filters
from dashboard.scores.lengths import show_game_lengths
from dashboard.scores.squares import show_square_maps

VIEWS = {
    "Scores": show_distributions,
    "Parts": means.show_part_means,
    "Course": means.show_score_course,
    "Seats": means.show_seat_means,
    "Length": show_game_lengths,
    "Squares": show_square_maps,
}

st.title("How do scores spread?")
played_rulesets = cached.rulesets_by_label(cached.independent_runs())
if not played_rulesets:
    st.info("You have no games yet. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
    st.stop()
result_filters = ask_filters(played_rulesets)
if result_filters:
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
