"""The page Strategies without a question: what the newest comparison says, and links to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.report import ROWS, cached_comparison, compose_shown
from dashboard.widgets.address import declare_shown_question, write_page_question
from dashboard.widgets.sheet import show_basis, show_parts, show_verdict
from pipelines.questions.comparison import KnownComparisonQuestion

if TYPE_CHECKING:
    from pipelines.runs.library import Run


def show_newest_comparison(run: Run) -> None:
    """Show the verdict of a comparison, by how much its best strategy leads, and how the scores spread."""
    question = KnownComparisonQuestion(run=run.name)
    declare_shown_question(question)
    sheet = compose_shown(cached_comparison(*cached.file_version(run), question))
    show_verdict(sheet)
    show_parts(sheet.list_parts("main"), ROWS, {})
    show_basis(sheet)
    st.button("The whole report", key="strategies-report", on_click=write_page_question, args=(question,))
