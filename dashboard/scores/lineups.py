"""The line-ups that the page Scores counts: what it says of them, and the button that pools the others or leaves them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.scores.filters import change_question
from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.scores.comparable import ALL_LINEUPS

if TYPE_CHECKING:
    from dashboard.scores.filters import ShownScores


def show_lineups(shown: ShownScores) -> None:
    """Say which line-ups count if others exist, with a button that pools all of them or leaves the others out again."""
    said = shown.scope.describe_lineups()
    if not said:
        return
    with st.container(key="counted-lineups", horizontal=True, vertical_alignment="center"):
        st.caption(escape_markdown(said), width="content")
        if shown.question.lineups == ALL_LINEUPS:
            label, lineups = "Count one line-up", ""
        elif shown.scope.counted.other_lineups:
            label, lineups = "Pool all line-ups", ALL_LINEUPS
        else:
            return
        st.button(
            label, key="all-lineups", type="tertiary", on_click=change_question, kwargs={"lineups": lineups}
        )
