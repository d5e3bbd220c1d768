"""Twin games: two games with the same luck and the same seat, one with each strategy, and the ply where they differ first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import tables
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.experiments.compare.twin_games import find_first_difference, twin_games

if TYPE_CHECKING:
    from pipelines.design.seatings import Pair
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.experiments.compare.twin_games import FirstDifference, TwinGames
    from pipelines.runs.library import Run

MAX_TWINS: Final = 200
MAX_TWINS_SHOWN: Final = 8
"""The page shows so many of them; the files contain all."""


def show_twin_games(run: Run, pair: PairResult) -> None:
    """Show the twin games with the largest difference, and the first different ply of the selected ones."""
    try:
        twins = _cached_twin_games(*cached.file_version(run), pair.sides)
    except GameError as error:
        st.caption(escape_markdown(str(error)))
        return
    row = _ask_twin_game(run, pair, twins)
    if run.summary.log == "scores":
        st.caption("This run has no logged plies, so its games cannot be replayed.")
        return
    try:
        _show_parting(run, pair, twins[row])
    except GameError as error:
        st.caption(escape_markdown(str(error)))


@st.cache_data(max_entries=64, show_spinner=False)
def _cached_twin_games(path: str, changed: int, sides: Pair) -> list[TwinGames]:
    """Return the twin games with the largest difference between two strategies."""
    del changed  # part of the key
    return twin_games(cached.dashboard_library().run(path), sides, most=MAX_TWINS)


@st.cache_data(max_entries=256, show_spinner=False)
def _cached_parting(path: str, changed: int, game_a: int, game_b: int) -> FirstDifference | None:
    """Return the first ply in which two games differ, or None."""
    del changed  # part of the key
    return find_first_difference(cached.dashboard_library().run(path), game_a, game_b)


def _ask_twin_game(run: Run, pair: PairResult, twins: list[TwinGames]) -> int:
    """Show a list of twin games and return the index of the selected row (the first by default)."""
    listed = pd.DataFrame([twin._asdict() for twin in twins]).rename(
        columns={
            "game_a": f"game of {pair.a}",
            "game_b": f"game of {pair.b} ",
            "score_a": f"{pair.a} scores",
            "score_b": f"{pair.b} scores ",
        }
    )
    numbers = dict.fromkeys((name for name in listed.columns if name.startswith(("block", "game"))), "d")
    tables.show_table(listed.head(MAX_TWINS_SHOWN), "The twin games that differ most", numbers)
    st.caption(
        f"Twin games have the same luck and the same seat, once with {escape_markdown(pair.a)} and once with "
        f"{escape_markdown(pair.b)}. The largest differences come first; the files contain {len(listed)} pairs of games."
    )
    tables.show_table_downloads(listed, f"{run.name}-games")
    return st.selectbox(
        "Show where two games first differ",
        range(len(twins)),
        format_func=lambda index: (
            f"block {twins[index].block}, seat {twins[index].seat}: {pair.a} {twins[index].score_a}, {pair.b} {twins[index].score_b}"
        ),
        key=f"twins-{run.name}-{pair.sides}",
    )


def _show_parting(run: Run, pair: PairResult, twin: TwinGames) -> None:
    """Show where two games differ first, with links to their replays."""
    where = _cached_parting(*cached.file_version(run), twin.game_a, twin.game_b)
    if where is None:
        st.caption("These two games are identical.")
        return
    with st.container(border=True):
        st.markdown(
            escape_markdown(
                f"Block {twin.block}, seat {twin.seat}: the games part at ply {where.ply} in round {where.round}, where "
                f"{'the dice' if where.seat < 0 else f'seat {where.seat}'} went {where.action_a or 'no further'} with "
                f"{pair.a} and {where.action_b or 'no further'} with {pair.b}. They end {twin.score_a} and {twin.score_b}."
            )
        )
        with st.container(horizontal=True):
            for name, game in ((pair.a, twin.game_a), (pair.b, twin.game_b)):
                st.page_link(
                    "views/replay.py",
                    label=escape_markdown(f"Replay the game of {name}"),
                    query_params={"run": run.name, "game": str(game), "ply": str(where.ply)},
                )
