"""The pinned run beside what the views of the page Scores show: which of its results count, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.baseline import assign_baseline_looks
from dashboard.widgets.charts import series
from dashboard.widgets.markdown import escape_markdown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.scores.filters import ResultFilters
    from pipelines.report.charts import Estimate


def filter_baseline(filters: ResultFilters) -> ResultFilters | None:
    """Return the filters of the pinned run beside the chosen runs; None if the page shows only that run, or none is pinned.

    Of its strategies those count that the page shows, and all of them if it shows none of them.
    """
    run = cached.baseline_run()
    if run is None or [one.name for one in filters.runs] == [run.name]:
        return None
    common = [name for name in run.summary.strategies if name in filters.strategies]
    strategies = (common or list(run.summary.strategies))[: series.MAX_STRATEGIES]
    return replace(filters, runs=[run], strategies=strategies)


def style_as_baseline(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Return means in the look of the baseline."""
    found = list(estimates)
    looks = assign_baseline_looks({one.strategy: one.look for one in found})
    return [replace(one, look=looks[one.strategy]) for one in found]


def explain_missing_baseline(filters: ResultFilters, reason: str = "") -> None:
    """Say why this view does not draw the pinned run; nothing if no run is pinned or the page shows only that run."""
    pinned = filter_baseline(filters)
    if pinned is None:
        return
    run = pinned.runs[0]
    if not {one.sha256 for one in run.summary.rulesets} & set(filters.hashes):
        reason = f"it has no games of {' or '.join(filters.labels.values())}"
    st.caption(
        escape_markdown(
            f"The baseline, run {run.name}, is not drawn here: {reason or 'it has no results that fit the filters'}."
        )
    )
