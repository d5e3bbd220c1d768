"""The games behind a bin: who had such a score, and the way to its replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.queries import cached, squares
from dashboard.widgets import tables

if TYPE_CHECKING:
    from dashboard.scores.filters import ResultFilters

MAX_RESULTS_LISTED: Final = 200
_LARGEST_BOUND: Final = 2**31 - 1


def show_games_in_range(chosen: ResultFilters, part: str) -> tuple[int, int] | None:
    """Ask for a range, by click or by hand, list the results in it, and return it if it has two ends."""
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
        st.caption("Click a bin of the histogram, or give a range here, to list its games.")
        return None
    low_end, high_end = -_LARGEST_BOUND if least is None else least, _LARGEST_BOUND if most is None else most
    listed = _query_results(chosen, part, low_end, high_end)
    if listed.empty:
        st.caption("No game has such a score.")
    else:
        _show_results(listed)
    return None if least is None or most is None or least > most else (least, most)


def _show_results(listed: pd.DataFrame) -> None:
    more = f", the first {MAX_RESULTS_LISTED} of more" if len(listed) == MAX_RESULTS_LISTED else ""
    can_be_replayed = bool(listed["logged"].any())
    way = "follow a game's number to its replay" if can_be_replayed else "their plies were not kept"
    st.caption(f"{len(listed):,} results{more}; {way}.")
    addresses = [
        f"replay?{urlencode({'run': run, 'game': game})}" if is_logged else ""
        for run, game, is_logged in zip(listed["run"], listed["game"], listed["logged"], strict=True)
    ]
    tables.show_table(
        listed.drop(columns="logged"), "The games with such a score", {"game": "d"}, {"game": addresses}
    )
    tables.show_table_downloads(listed, "games")


def _query_results(chosen: ResultFilters, part: str, low: int, high: int) -> pd.DataFrame:
    """Look through the runs, newest first, until there are enough."""
    found: list[pd.DataFrame] = []
    runs = {run.name: run for held in chosen.runs_by_ruleset.values() for run in held}
    for run in runs.values():
        left = MAX_RESULTS_LISTED - sum(map(len, found))
        if left <= 0:
            break
        asked = (tuple(chosen.strategies), chosen.seats, part, low, high, left)
        listed = cached.query_runs(squares.results_between, [run], *asked)
        if not listed.empty:
            listed.insert(0, "run", run.name)
            found.append(listed)
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()
