"""What the answer says that a page has played and shows. It is lost when the page closes, so a note of it takes the sentence along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.background_work import BackgroundWork
from pipelines.questions.every_question import read_question
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence

if TYPE_CHECKING:
    from pipelines.notes.note import NotePlace


def write_shown_answer(place: NotePlace) -> str:
    """Return the sentence of the answer that this session has played for a place; empty for others and until it is complete."""
    question = read_question(place.page, place.address).question
    for entry in st.session_state.values():
        work = entry[-1] if isinstance(entry, tuple) and entry else None
        if not isinstance(work, BackgroundWork) or not work.is_over or work.was_stopped:
            continue
        if getattr(work.latest, "question", None) == question:
            return set_sentence(compose(work.latest, cached.strategy_looks).verdict)
    return ""
