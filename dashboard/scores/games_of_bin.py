"""The list of games whose scores lie in a range, with links to their replays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.queries import cached, squares
from dashboard.widgets import tables, words

if TYPE_CHECKING:
    from dashboard.scores.filters import ResultFilters

MAX_RESULTS_LISTED: Final = 200
_LARGEST_BOUND: Final = 2**31 - 1


def show_games_in_range(filters: ResultFilters, part: str) -> tuple[int, int] | None:
    """Ask for a range, list the results in it, and return it; None if an end is missing."""
    st.header("Which games were these?")
    low, high = st.columns(2)
    least = low.number_input(
        "From",
        value=None,
        step=1,
        key="from",
        bind="query-params",
        placeholder="lowest",
        min_value=-_LARGEST_BOUND,
        max_value=_LARGEST_BOUND,
    )
    most = high.number_input(
        "to",
        value=None,
        step=1,
        key="to",
        bind="query-params",
        placeholder="highest",
        min_value=-_LARGEST_BOUND,
        max_value=_LARGEST_BOUND,
    )
    if least is None and most is None:
        st.caption("Click a bin of the histogram or enter a range to list its games.")
        return None
    low_end = -_LARGEST_BOUND if least is None else least
    high_end = _LARGEST_BOUND if most is None else most
    listed = _query_results(filters, part, low_end, high_end)
    if listed.empty:
        st.caption("No game has a score in this range.")
    else:
        _show_results(listed)
    return None if least is None or most is None or least > most else (least, most)


def _show_results(listed: pd.DataFrame) -> None:
    count = words.format_count(len(listed), "result")
    shown = f"Showing the first {count}" if len(listed) == MAX_RESULTS_LISTED else count
    hint = (
        "Click the number of a game to replay it."
        if listed["logged"].any()
        else "Their plies were not logged."
    )
    st.caption(f"{shown}. {hint}")
    addresses = [
        f"replay?{urlencode({'run': run, 'game': game})}" if is_logged else ""
        for run, game, is_logged in zip(listed["run"], listed["game"], listed["logged"], strict=True)
    ]
    tables.show_table(
        listed.drop(columns="logged"),
        "The games with a score in this range",
        {"game": "d"},
        {"game": addresses},
    )
    tables.show_table_downloads(listed, "games")


def _query_results(filters: ResultFilters, part: str, low: int, high: int) -> pd.DataFrame:
    """Return the results in a range, from the newest run on, at most `MAX_RESULTS_LISTED`."""
    parts: list[pd.DataFrame] = []
    runs = {run.name: run for held in filters.runs_by_ruleset.values() for run in held}
    for run in runs.values():
        left = MAX_RESULTS_LISTED - sum(map(len, parts))
        if left <= 0:
            break
        query = (tuple(filters.strategies), filters.seats, part, low, high, left)
        listed = cached.query_runs(squares.results_between, [run], *query)
        if not listed.empty:
            listed.insert(0, "run", run.name)
            parts.append(listed)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
