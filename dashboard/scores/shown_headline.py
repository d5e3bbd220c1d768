"""The sentence above a picture of the page Scores as the page shows it, and why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.markdown import escape_markdown
from pipelines.report import wording

if TYPE_CHECKING:
    from pipelines.questions.scores.scope import ScoresScope

NO_BREAK_SPACE: Final = "\u00a0"


def show_headline(sentence: str, *, counts_all_runs: bool = True) -> None:
    """Show the sentence, if there is one; `counts_all_runs` is whether it is about all runs of the picture."""
    if not sentence:
        return
    text = escape_markdown(sentence[:1].upper() + sentence[1:])
    st.markdown(f"**{text.replace(' %', NO_BREAK_SPACE + '%')}**")
    if not counts_all_runs:
        st.caption(
            "The sentence counts only line-ups that played under all rulesets; the picture shows all runs."
        )


def explain_unfair_comparison(scope: ScoresScope) -> None:
    """Say why rulesets of one game are not compared, if they are not."""
    if len({one.game for one in scope.rulesets}) == 1 and scope.comparable is None:
        st.caption(
            "No line-up has played under all of these rulesets, so their scores cannot be compared fairly."
        )


def explain_missing_means(scope: ScoresScope) -> None:
    """Say that the chosen runs have too few games for intervals, and lead to the form that simulates more."""
    games = wording.format_count(sum(run.summary.games for run in scope.runs), "game")
    st.info(
        f"{games} of the chosen runs are too few: an interval needs at least two blocks of games. The games of a block share "
        "their luck. A few hundred games take some seconds."
    )
    with st.container(key="invitations"):
        st.page_link(
            "views/library.py",
            label="Simulate more games",
            icon=":material/casino:",
            query_params={"play": scope.rulesets[0].game},
            width="content",
        )
