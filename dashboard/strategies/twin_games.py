"""The games behind a difference: the same luck and the same seat, once with each strategy, and where they part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import tables
from engine.errors import GameError
from pipelines.experiments.compare.twin_games import find_first_difference, twin_games

if TYPE_CHECKING:
    from pipelines.design.seatings import Pair
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.experiments.compare.twin_games import FirstDifference, TwinGames
    from pipelines.runs.library import Run

MAX_TWINS: Final = 200
MAX_TWINS_SHOWN: Final = 8
"""Of which the page shows so many."""


def show_twin_games(run: Run, pair: PairResult) -> None:
    """List the twin games in which it made the greatest difference, and where the chosen ones part."""
    try:
        twins = _cached_twin_games(*cached.file_version(run), pair.sides)
    except GameError as error:
        st.caption(cached.escape_markdown(str(error)))
        return
    row = _ask_twin_game(run, pair, twins)
    if run.summary.log == "scores":
        st.caption("This run keeps no plies, so its games cannot be replayed.")
        return
    try:
        _show_parting(run, pair, twins[row])
    except GameError as error:
        st.caption(cached.escape_markdown(str(error)))


@st.cache_data(max_entries=64, show_spinner=False)
def _cached_twin_games(path: str, changed: int, sides: Pair) -> list[TwinGames]:
    """Return the twin games in which a pair of strategies differs most."""
    del changed
    return twin_games(cached.dashboard_library().run(path), sides, most=MAX_TWINS)


@st.cache_data(max_entries=256, show_spinner=False)
def _cached_parting(path: str, changed: int, game_a: int, game_b: int) -> FirstDifference | None:
    """Return where two games part."""
    del changed
    return find_first_difference(cached.dashboard_library().run(path), game_a, game_b)


def _ask_twin_game(run: Run, pair: PairResult, twins: list[TwinGames]) -> int:
    """List twin games, and return the row that is chosen; the first if none is."""
    listed = pd.DataFrame([one._asdict() for one in twins]).rename(
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
        f"Twin games: the same luck and the same seat, once with {cached.escape_markdown(pair.a)} and once with "
        f"{cached.escape_markdown(pair.b)}. Those that differ most come first; the files hold {len(listed)} of them."
    )
    tables.show_table_downloads(listed, f"{run.name}-games")
    return st.selectbox(
        "Where do they part?",
        range(len(twins)),
        format_func=lambda at: (
            f"block {twins[at].block}, seat {twins[at].seat}: {pair.a} {twins[at].score_a}, {pair.b} {twins[at].score_b}"
        ),
        key=f"twins-{run.name}-{pair.sides}",
    )


def _show_parting(run: Run, pair: PairResult, twin: TwinGames) -> None:
    """Tell where two games part, and lead to their replays."""
    where = _cached_parting(*cached.file_version(run), twin.game_a, twin.game_b)
    if where is None:
        st.caption("These two games are one and the same.")
        return
    with st.container(border=True):
        st.markdown(
            cached.escape_markdown(
                f"Block {twin.block}, seat {twin.seat}: the games part at ply {where.ply} in round {where.round}, where "
                f"{'the dice' if where.seat < 0 else f'seat {where.seat}'} went {where.action_a or 'no further'} with "
                f"{pair.a} and {where.action_b or 'no further'} with {pair.b}. They end {twin.score_a} and {twin.score_b}."
            )
        )
        with st.container(horizontal=True):
            for name, game in ((pair.a, twin.game_a), (pair.b, twin.game_b)):
                st.page_link(
                    "views/replay.py",
                    label=cached.escape_markdown(f"Replay the game of {name}"),
                    query_params={"run": run.name, "game": str(game), "ply": str(where.ply)},
                )
