"""The work that counts the marks at the ends of games for the maps of squares, while the page shows those counted so far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets.background_work import BackgroundWork
from pipelines.questions.scores.squares import (
    GLYPHS,
    MAX_GAMES_DRAWN,
    choose_board,
    iter_mark_counts,
    list_logged_runs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.questions.scores.answer import PreparedScores
    from pipelines.questions.scores.squares import MarkCounts
    from pipelines.runs.run import Run


def find_marked_run(prepared: PreparedScores) -> Run | None:
    """Return the run whose marks a question asks for; None if it asks for none, or if no plies were logged."""
    question, scope = prepared.question, prepared.scope
    if question.view != "Squares" or question.map not in GLYPHS:
        return None
    return next(iter(list_logged_runs(choose_board(question, scope), scope)), None)


@st.cache_resource(max_entries=8, show_spinner=False)
def shared_position_work(path: str, changed: int) -> BackgroundWork[MarkCounts]:
    """Return the work that counts the marks on the boards of a run. All visitors share it."""
    del changed  # part of the cache key

    def iter_samples(stopped: Callable[[], bool]) -> Iterator[MarkCounts]:
        return iter_mark_counts(Path(path), MAX_GAMES_DRAWN, stopped)

    return BackgroundWork(iter_samples, ends_when_idle=False)
