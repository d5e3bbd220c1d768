"""The line-ups that the page Scores counts: what it says of them, and how a visitor chooses another one or pools them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.markdown import escape_markdown
from pipelines.design.short_names import shorten_names
from pipelines.questions.scores.comparable import ALL_LINEUPS, list_lineup_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.runs.run import Run

_KEY: Final = "lineups"
"""Key of the field in the address and in the session state."""


def show_lineups(scope: ScoresScope, chosen: str) -> None:
    """Say which line-ups count if others exist, with a button that pools all of them or leaves the others out again.

    `chosen` is the line-up that the question names.
    """
    said = scope.describe_lineups()
    if not said:
        return
    with st.container(key="counted-lineups", horizontal=True, vertical_alignment="center"):
        st.caption(escape_markdown(said), width="content")
        if chosen == ALL_LINEUPS:
            st.button("Count one line-up", key="one-lineup", type="tertiary", on_click=_choose, args=("",))
        elif scope.counted.other_lineups:
            st.button(
                "Pool all line-ups", key="all-lineups", type="tertiary", on_click=_choose, args=(ALL_LINEUPS,)
            )


def ask_lineup(chosen: str, runs: Iterable[Run]) -> None:
    """Ask which line-up counts, if the runs have several. The address has the name of the line-up."""
    runs = list(runs)
    names = list(list_lineup_names(runs).values())
    if len(names) < 2:
        return
    strategies = {name for run in runs for name in run.summary.strategies}
    titles = {"": "The one that compares most", **{name: shorten_names(name, strategies) for name in names}}
    titles[ALL_LINEUPS] = "All, pooled"
    st.session_state[_KEY] = chosen
    st.selectbox(
        "Line-up",
        list(titles),
        format_func=titles.__getitem__,
        key=_KEY,
        on_change=lambda: _choose(st.session_state[_KEY]),
    )


def _choose(lineup: str) -> None:
    """Write the line-up that counts into the address."""
    if lineup:
        st.query_params[_KEY] = lineup
    else:
        st.query_params.pop(_KEY, None)
