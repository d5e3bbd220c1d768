"""The games behind a bin: who had such a score, and the way to its replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import streamlit as st

from dashboard import source, square_queries, tables

if TYPE_CHECKING:
    from dashboard.spread.filters import Chosen

MOST: Final = 200
_FARTHEST: Final = 2**31 - 1


def games_between(chosen: Chosen, part: str) -> tuple[int, int] | None:
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
        min_value=-_FARTHEST,
        max_value=_FARTHEST,
    )
    most = high.number_input(
        "to",
        value=None,
        step=1,
        key="to",
        bind="query-params",
        placeholder="highest",
        min_value=-_FARTHEST,
        max_value=_FARTHEST,
    )
    if least is None and most is None:
        st.caption("Click a bin of the histogram, or give a range here, to list its games.")
        return None
    low_end, high_end = -_FARTHEST if least is None else least, _FARTHEST if most is None else most
    listed = _results(chosen, part, low_end, high_end)
    if listed.empty:
        st.caption("No game has such a score.")
    else:
        _list(listed, f"found-{part}-{least}-{most}-{'-'.join(map(str, chosen.seats))}")
    return None if least is None or most is None or least > most else (least, most)


def _list(listed: pd.DataFrame, key: str) -> None:
    more = f", the first {MOST} of more" if len(listed) == MOST else ""
    st.caption(f"{len(listed):,} results{more}. Choose a row to replay its game.")
    picked: Any = st.dataframe(
        listed.drop(columns="logged"),
        hide_index=True,
        height=260,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
    )
    rows = picked["selection"]["rows"]
    _way_to_it(listed.iloc[rows[0] if rows and rows[0] < len(listed) else 0])
    tables.downloads(listed, "games")


def _way_to_it(row: pd.Series[Any]) -> None:
    run, game = str(row["run"]), int(row["game"])
    if row["logged"]:
        st.page_link(
            "views/replay.py",
            label=source.escaped(f"Replay game {game} of {run}"),
            query_params={"run": run, "game": str(game)},
        )
    else:
        st.caption(
            source.escaped(f"The plies of game {game} of {run} were not kept, so it cannot be replayed.")
        )


def _results(chosen: Chosen, part: str, low: int, high: int) -> pd.DataFrame:
    """Look through the runs, newest first, until there are enough."""
    found: list[pd.DataFrame] = []
    runs = {run.name: run for held in chosen.runs_of.values() for run in held}
    for run in runs.values():
        left = MOST - sum(map(len, found))
        if left <= 0:
            break
        asked = (tuple(chosen.strategies), chosen.seats, part, low, high, left)
        listed = source.ask(square_queries.results_between, [run], *asked)
        if not listed.empty:
            listed.insert(0, "run", run.name)
            found.append(listed)
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()
