"""The sentence above a picture of the page Scores as the page shows it, and why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import show_link
from dashboard.widgets.markdown import escape_markdown
from engine.counted_nouns import capitalise
from pipelines.questions.simulation.question import SimulationQuestion
from pipelines.report import wording

if TYPE_CHECKING:
    from pipelines.questions.scores.scope import ScoresScope

INTERVALS_HELP: Final = (
    "In brackets: where the true number lies with 95 % confidence. The games of a block share their luck, so these intervals "
    "count blocks, not games. A difference is called more or fewer only if its interval excludes 0."
)


def show_headline(sentence: str) -> None:
    """Show the sentence, if there is one, with what its numbers in brackets are."""
    if sentence:
        text = escape_markdown(capitalise(sentence))
        with st.container(key="headline"):
            st.markdown(wording.bind_percent_signs(text), help=INTERVALS_HELP)


def explain_missing_means(scope: ScoresScope) -> None:
    """Say that the chosen runs have too few games for intervals, and lead to the form that simulates more."""
    games = wording.format_count(sum(run.summary.games for run in scope.runs), "game")
    st.info(
        f"{games} of the chosen runs are too few: an interval needs at least two blocks of games. The games of a block share "
        "their luck. A few hundred games take some seconds."
    )
    with st.container(key="invitations"):
        show_link(SimulationQuestion(play=scope.rulesets[0].game), "Simulate more games", ":material/casino:")
