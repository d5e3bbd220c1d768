"""The hall of fame: the first game of each order, or of an order in each game, with its board and a link to its replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.address import write_page_question
from dashboard.widgets.board import read_position, show_board
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError
from pipelines.questions.game.question import game_address
from pipelines.questions.games.question import ask_records
from pipelines.report.estimates import set_sentence
from pipelines.report.sentences.games import describe_number, describe_players, name_ruleset

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.scene import Scene
    from pipelines.questions.games.answer import GamesAnswer, ListedGame
    from pipelines.questions.games.question import GamesQuestion
    from pipelines.questions.games.sorts import SortKey
    from pipelines.runs.run import Run

RECORDS: Final[tuple[tuple[SortKey, bool], ...]] = (
    ("score", False),
    ("margin", True),
    ("margin", False),
    ("comeback", False),
    ("lead", False),
    ("length", False),
    ("length", True),
    ("luck", False),
)
"""The orders whose first games are shown, and whether the smallest number comes first: the first row, then the others."""
RECORDS_IN_A_ROW: Final = 4
BOARD_HEIGHT_PX: Final = 170


def show_first_games(answer: GamesAnswer, runs: Collection[Run]) -> None:
    """Show what comes first in each game in a row, with links to all records of the game. `runs` are those of the library."""
    with st.container(key="game-tiles-first"):
        columns = st.columns(max(RECORDS_IN_A_ROW, len(answer.by_game)))
    for (name, found), column in zip(answer.by_game.items(), columns, strict=False):
        every = ask_records(name, runs)
        with column, st.container(border=True, height="stretch", key=f"record-{name}"):
            _show_record(answer.question, found[0], games.find_game(name).title, runs, every)


def show_records(
    question: GamesQuestion,
    source: cached.CachedSource,
    records: Sequence[tuple[SortKey, bool]],
    runs: Collection[Run],
) -> None:
    """Show the first game of each of these orders in a row, of the games that fit a question. `runs` are those of the library."""
    with st.container(key=f"game-tiles-{records[0][0]}"):
        columns = st.columns(RECORDS_IN_A_ROW)
    for (sort, is_lowest), column in zip(records, columns, strict=True):
        asked = question.model_copy(update={"sort": sort, "is_lowest": is_lowest, "most": 1})
        found = cached.list_games(asked, source).games
        if found:
            with (
                column,
                st.container(border=True, height="stretch", key=f"record-{sort}-{int(is_lowest)}"),
            ):
                _show_record(asked, found[0], asked.order_title.capitalize(), runs)


def _show_record(
    question: GamesQuestion,
    game: ListedGame,
    title: str,
    runs: Collection[Run],
    every: GamesQuestion | None = None,
) -> None:
    """Show a game of the runs that comes first in an order; `every` is the question for all records of its game."""
    st.markdown(f"**{escape_markdown(title)}**")
    scene = _read_scene(game)
    if scene:
        show_board(
            scene,
            key=f"board-{title}",
            label="The end of the game:",
            size=BOARD_HEIGHT_PX,
        )
    st.markdown(escape_markdown(set_sentence(describe_number(game, question.sort))))
    lines = [name_ruleset(game, runs), describe_players(game)]
    st.caption("  \n".join(escape_markdown(line) for line in lines if line))
    with st.container(horizontal=True, vertical_alignment="center"):
        if game.is_logged:
            address = game_address(game.run, game.game_id, game.ply)
            st.page_link(
                "views/replay.py", label="Replay", icon=":material/play_circle:", query_params=address
            )
        if every:
            key = f"records-{title}"
            st.button("All records", key=key, type="tertiary", on_click=write_page_question, args=(every,))


def _read_scene(game: ListedGame) -> Scene | None:
    """Return the end of a game on one board: of the player that the record is about, or else of a winner."""
    if not game.is_logged:
        return None
    seat = game.winners[0] if game.seat is None else game.seat
    run = cached.dashboard_library().run(game.run)
    try:
        return read_position(run, game.game_id, seat=seat)
    except GameError:  # the page Replay explains what is wrong with the log
        return None
