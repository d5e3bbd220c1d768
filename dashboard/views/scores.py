"""How do scores spread? Distributions by ruleset, strategy, seat and part, and what lies behind them."""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.scores import means
from dashboard.scores.distributions import shapes
from dashboard.scores.filters import choose
from dashboard.scores.lengths import lengths
from dashboard.scores.squares import squares

VIEWS = {
    "Scores": shapes,
    "Parts": means.parts,
    "Course": means.course,
    "Seats": means.seats,
    "Length": lengths,
    "Squares": squares,
}

st.title("How do scores spread?")
shelf = cached.rulesets(cached.independent())
if not shelf:
    st.info("Nothing has been played yet. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
    st.stop()
chosen = choose(shelf)
if chosen:
    # One view at a time: what is not looked at costs nobody any time.
    view = st.segmented_control(
        "View",
        list(VIEWS),
        default="Scores",
        required=True,
        key="view",
        bind="query-params",
        label_visibility="collapsed",
    )
    VIEWS[view or "Scores"](chosen)
