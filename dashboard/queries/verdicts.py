"""The verdicts of comparisons and what-ifs for lists of runs, from a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from engine.errors import GameError
from pipelines.design.designs import WhatIfDesign
from pipelines.questions.comparison import (
    MAX_LISTED_GAMES,
    ComparisonAnswer,
    KnownComparisonQuestion,
    answer_for_list,
)
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import answer_saved_whatif
from pipelines.report.compose import compose
from pipelines.statistics import MIN_BLOCKS

if TYPE_CHECKING:
    from pipelines.design.lineups import MetricName
    from pipelines.experiments.comparison import Comparison
    from pipelines.questions.whatif import WhatifQuestion
    from pipelines.report.sheet import Sheet
    from pipelines.runs.library import Run


def write_run_verdict(run: Run) -> str:
    """Return the verdict of a comparison or of a what-if in a sentence; empty if the run is too large or has none."""
    if not run.summary.is_whatif:
        return _cached_verdict(*cached.file_version(run))
    found = read_run_whatif(run)
    return found[0] if found else ""


def read_run_whatif(run: Run) -> tuple[str, WhatifQuestion] | None:
    """Return the effect of the change of a what-if in a sentence, and the question; None if the run is too large or has none.

    A what-if has none if the run with the game that it forks is not in the library.
    """
    if run.summary.games > MAX_LISTED_GAMES:
        return None
    try:
        parent = cached.dashboard_library().run(_cached_parent_name(*cached.file_version(run)))
        return _cached_whatif_verdict(*cached.file_version(run), *cached.file_version(parent))
    except (GameError, OSError):
        return None


def has_verdict(run: Run) -> bool:
    """Return whether a comparison is not too large for a list, and has enough blocks for a verdict."""
    comparison = read_listed_comparison(run)
    return comparison is not None and comparison.blocks >= MIN_BLOCKS


def read_listed_comparison(run: Run, metric: MetricName | None = None) -> Comparison | None:
    """Return a comparison without its controls; None if the run is too large for a list or cannot be compared.

    Without `metric`, it is measured by what it was played for.
    """
    return _cached_comparison(*cached.file_version(run), metric)


def read_listed_sheet(run: Run, metric: MetricName | None = None) -> Sheet | None:
    """Return the sheet of what `read_listed_comparison` returns."""
    comparison = read_listed_comparison(run, metric)
    if comparison is None:
        return None
    question = KnownComparisonQuestion(run=run.name, metric=metric)
    return compose(ComparisonAnswer(question, comparison), cached.strategy_looks)


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_verdict(path: str, changed: int) -> str:
    del changed  # part of the key
    sheet = read_listed_sheet(cached.dashboard_library().run(path))
    return sheet.verdict if sheet else ""


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_comparison(path: str, changed: int, metric: MetricName | None) -> Comparison | None:
    del changed  # part of the key
    question = KnownComparisonQuestion(metric=metric)
    answer = answer_for_list(question, cached.dashboard_library().run(path))
    return answer.comparison if answer else None


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_parent_name(path: str, changed: int) -> str:
    """Return the name of the run with the game that a what-if forks; empty if the run has another kind."""
    del changed  # part of the key
    design = cached.dashboard_library().run(path).design
    return design.fork.run if isinstance(design, WhatIfDesign) else ""


@st.cache_data(max_entries=500, show_spinner=False)
def _cached_whatif_verdict(
    path: str, changed: int, parent_path: str, parent_changed: int
) -> tuple[str, WhatifQuestion]:
    """Return the effect of the change of a what-if in a sentence, and the question."""
    del changed, parent_changed  # parts of the key
    library = cached.dashboard_library()
    source = QuestionSource(only=(library.run(parent_path),))
    answer = answer_saved_whatif(library.run(path), source)
    return compose(answer, cached.strategy_looks).verdict, answer.question
