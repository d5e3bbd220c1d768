"""The verdicts of comparisons for lists of runs, from a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from pipelines.questions.comparison.answer import answer_for_list
from pipelines.statistics import MIN_BLOCKS

if TYPE_CHECKING:
    from pipelines.runs.library import Run


def write_run_verdict(run: Run) -> str:
    """Return the verdict of a comparison in a sentence; empty if the run is too large or cannot be compared."""
    return _cached_verdict(*cached.file_version(run))[0]


def has_verdict(run: Run) -> bool:
    """Return whether a comparison is not too large for a list, and has enough blocks for a verdict."""
    return _cached_verdict(*cached.file_version(run))[1] >= MIN_BLOCKS


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_verdict(path: str, changed: int) -> tuple[str, int]:
    """Return the verdict and the number of blocks; an empty one if the run is too large or cannot be compared."""
    del changed  # part of the key
    answer = answer_for_list(cached.dashboard_library().run(path))
    return (answer.comparison.verdict, answer.basis.blocks) if answer else ("", 0)
