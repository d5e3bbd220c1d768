"""The page Strategies without a question: the verdict and the pictures of one comparison, and links to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.report import (
    cached_comparison,
    show_consequences,
    show_leads,
    show_score_distributions,
    show_verdict,
)
from dashboard.widgets.address import declare_shown_question, write_page_question
from pipelines.questions.comparison.question import KnownComparisonQuestion

if TYPE_CHECKING:
    from pipelines.runs.library import Run


def show_newest_comparison(run: Run) -> None:
    """Show the verdict of a comparison, by how much its best strategy leads, and how the scores spread."""
    question = KnownComparisonQuestion(run=run.name)
    declare_shown_question(question)
    comparison = cached_comparison(*cached.file_version(run))
    show_verdict(comparison)
    left, right = st.columns([2, 3])
    with left:
        show_leads(comparison)
        show_consequences(comparison)
        st.button("The whole report", key="strategies-report", on_click=write_page_question, args=(question,))
    with right:
        show_score_distributions(run, comparison)
