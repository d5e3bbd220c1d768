"""The verdicts of comparisons for lists of runs, from a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from engine.errors import GameError
from pipelines.experiments.compare.comparison import compare_strategies
from pipelines.statistics import MIN_BLOCKS

if TYPE_CHECKING:
    from pipelines.runs.library import Run


MAX_GAMES: Final = 50_000
"""Larger comparisons take seconds, for which a list of runs cannot wait."""


def write_run_verdict(run: Run) -> str:
    """Return the verdict of a comparison in a sentence; empty if the run is too large or cannot be compared."""
    return _cached_verdict(*cached.file_version(run))[0] if run.summary.games <= MAX_GAMES else ""


def has_verdict(run: Run) -> bool:
    """Return whether a comparison is not too large for a list, and has enough blocks for a verdict."""
    return run.summary.games <= MAX_GAMES and _cached_verdict(*cached.file_version(run))[1] >= MIN_BLOCKS


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_verdict(path: str, changed: int) -> tuple[str, int]:
    """Return the verdict and the number of blocks; an empty one if the run cannot be compared."""
    del changed  # part of the key
    try:
        comparison = compare_strategies(cached.dashboard_library().run(path), with_controls=False)
    except GameError:
        return "", 0
    return comparison.verdict, comparison.blocks
