"""Twin games: two games with the same luck and the same seat, one with each strategy, and the ply where they differ first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import tables
from dashboard.widgets.address import show_link
from dashboard.widgets.labels import (
    NO_LABELS,
    add_label_column,
    add_labels,
    merge_labels,
    read_game_labels,
    show_row_filter,
)
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.experiments.compare.twin_games import find_first_difference, twin_games
from pipelines.questions.game.question import GameQuestion
from pipelines.report.sentences.comparison import describe_parting
from pipelines.report.tables.comparison import twins_table
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.design.seatings import Pair
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.experiments.compare.twin_games import FirstDifference, TwinGames
    from pipelines.notes.store import Labels
    from pipelines.runs.library import Run

MAX_TWINS: Final = 200
MAX_TWINS_SHOWN: Final = 8
"""The page shows so many of them; the files contain all."""


def show_twin_games(run: Run, pair: PairResult, names: Mapping[str, str]) -> None:
    """Show where two games with the same luck part, with links to both replays; the visitor chooses the games."""
    try:
        twins = _cached_twin_games(*cached.file_version(run), pair.sides)
        twin = twins[_ask_twin_game(run, pair, names, twins)]
        if run.summary.log == "scores":
            st.caption("This run has no logged plies, so its games cannot be replayed.")
            return
        _show_parting(run, pair, names, twin)
    except GameError as error:
        st.caption(escape_markdown(str(error)))


def show_twin_table(run: Run, pair: PairResult, names: Mapping[str, str]) -> None:
    """Show the twin games with the largest difference as a table, and offer them as files."""
    try:
        twins = _cached_twin_games(*cached.file_version(run), pair.sides)
    except GameError as error:
        st.caption(escape_markdown(str(error)))
        return
    labels = _read_twin_labels(run, twins)
    stays = show_row_filter(twins, labels, "twins")
    if not any(stays):
        return
    listed = add_label_column(pd.DataFrame(twins), twins, labels)[stays]
    table = twins_table(twins, names[pair.a], names[pair.b])
    shown = add_label_column(tables.make_frame(table), twins, labels)[stays].head(MAX_TWINS_SHOWN)
    tables.show_table(shown, table.title, table.formats)
    st.caption(
        escape_markdown(
            f"{table.caption} The files contain {len(listed)} pairs of games, and games and seats are counted from 0 in them."
        )
    )
    tables.offer_table(listed, "The twin games that differ most", f"{run.name}-games")


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


def _read_twin_labels(run: Run, twins: Iterable[TwinGames]) -> dict[TwinGames, Labels]:
    """Return the labels of both games of each pair."""
    held = read_game_labels([run])
    return {
        twin: merge_labels(held.get((run.name, game), NO_LABELS) for game in (twin.game_a, twin.game_b))
        for twin in twins
    }


def _ask_twin_game(run: Run, pair: PairResult, names: Mapping[str, str], twins: list[TwinGames]) -> int:
    """Ask for twin games, those with the largest difference first; return their index."""
    labels = _read_twin_labels(run, twins)
    return st.selectbox(
        "The same seat with the same luck, once with each strategy",
        range(len(twins)),
        format_func=lambda index: add_labels(
            set_minus_signs(
                f"{names[pair.a]} {twins[index].score_a}, {names[pair.b]} {twins[index].score_b} "
                f"(player {twins[index].seat + 1} in block {twins[index].block + 1})"
            ),
            labels[twins[index]],
        ),
        key=f"twins-{run.name}-{pair.sides}",
    )


def _show_parting(run: Run, pair: PairResult, names: Mapping[str, str], twin: TwinGames) -> None:
    """Show where two games differ first, with links to their replays."""
    where = _cached_parting(*cached.file_version(run), twin.game_a, twin.game_b)
    if where is None:
        st.caption("These two games are identical.")
        return
    with st.container(border=True):
        st.markdown(
            escape_markdown(set_minus_signs(describe_parting(twin, where, names[pair.a], names[pair.b])))
        )
        with st.container(horizontal=True):
            for label, game in ((pair.a, twin.game_a), (pair.b, twin.game_b)):
                show_link(
                    GameQuestion(run=run.name, game=game, ply=where.ply),
                    escape_markdown(f"Replay the game of {names[label]}"),
                )
