"""The pinned run beside what the views of the page Scores show: which of its results count, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.baseline import assign_baseline_looks
from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.scores.question import MAX_STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.report.charts import Estimate


def scope_baseline(scope: ScoresScope) -> ScoresScope | None:
    """Return the scope of the pinned run beside the chosen runs; None if the page shows only that run, or none is pinned.

    Of its strategies those count that the page shows, and all of them if it shows none of them.
    """
    run = cached.baseline_run()
    if run is None or [one.name for one in scope.runs] == [run.name]:
        return None
    common = [name for name in run.summary.strategies if name in scope.strategies]
    strategies = (common or list(run.summary.strategies))[:MAX_STRATEGIES]
    return replace(scope, runs=(run,), strategies=tuple(strategies))


def describe_other_lineup(scope: ScoresScope) -> str:
    """Return a sentence, after a space, if the line-up of the pinned run does not count on the page; else an empty text."""
    pinned = scope_baseline(scope)
    is_other = pinned and pinned.runs[0].summary.lineup not in scope.lineups
    return " Its line-up is not that of the picture." if is_other else ""


def style_as_baseline(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Return means in the look of the baseline."""
    found = list(estimates)
    looks = assign_baseline_looks({one.strategy: one.look for one in found})
    return [replace(one, look=looks[one.strategy]) for one in found]


def explain_missing_baseline(scope: ScoresScope, reason: str = "") -> None:
    """Say why this view does not draw the pinned run; nothing if no run is pinned or the page shows only that run."""
    pinned = scope_baseline(scope)
    if pinned is None:
        return
    run = pinned.runs[0]
    if not {one.sha256 for one in run.summary.rulesets} & set(scope.hashes):
        reason = f"it has no games of {' or '.join(scope.labels.values())}"
    st.caption(
        escape_markdown(
            f"The baseline, run {run.name}, is not drawn here: {reason or 'it has no results that fit the filters'}."
        )
    )
