"""The hall of fame: the first game of each order, with its board, what it is remarkable for, and a link to its replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.board import read_position, show_board
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.questions.game.question import game_address
from pipelines.report.estimates import set_sentence
from pipelines.report.sentences.games import describe_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.scene import Scene
    from pipelines.questions.games.answer import ListedGame
    from pipelines.questions.games.question import GamesQuestion
    from pipelines.questions.games.sorts import SortKey

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


def show_records(
    question: GamesQuestion, source: cached.CachedSource, records: Sequence[tuple[SortKey, bool]]
) -> None:
    """Show the first game of each of these orders in a row, of the games that fit a question.

    If the question begins with the lowest score, its card shows that, too: where the lowest wins, it is the record.
    """
    for (sort, is_lowest), column in zip(records, st.columns(RECORDS_IN_A_ROW), strict=True):
        first = {
            "sort": sort,
            "is_lowest": question.is_lowest if sort == question.sort == "score" else is_lowest,
        }
        asked = question.model_copy(update={**first, "most": 1})
        games = cached.list_games(asked, source).games
        if games:
            with (
                column,
                st.container(border=True, height="stretch", key=f"record-{sort}-{int(is_lowest)}"),
            ):
                _show_record(asked, games[0])


def _show_record(question: GamesQuestion, game: ListedGame) -> None:
    st.markdown(f"**{escape_markdown(question.order_title.capitalize())}**")
    st.markdown(escape_markdown(set_sentence(describe_number(game, question.sort))))
    scene = _read_scene(game)
    if scene:
        show_board(
            scene,
            key=f"board-{question.sort}-{question.is_lowest}",
            label="The end of the game:",
            size=BOARD_HEIGHT_PX,
        )
    st.caption(escape_markdown(f"{game.ruleset}, game {game.game_id + 1} of {game.run}"))
    if game.is_logged:
        st.page_link(
            "views/replay.py", label="Replay", query_params=game_address(game.run, game.game_id, game.ply)
        )


def show_chosen_game(game: ListedGame) -> None:
    """Show in one line which game was chosen in the list, with a link to its replay."""
    name = f"game {game.game_id + 1} of {game.run}"
    if not game.is_logged:
        st.caption(escape_markdown(f"The moves of {name} are not logged, so it cannot be replayed."))
        return
    st.page_link(
        "views/replay.py",
        label=f"Replay {escape_markdown(name)}",
        icon=":material/play_circle:",
        query_params=game_address(game.run, game.game_id, game.ply),
    )


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
