"""The tiles of the hall of fame: the first game of each order, or of an order in each game, with its board and its replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.address import write_page_question
from dashboard.widgets.board import read_position, show_board
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.questions.game import game_address
from pipelines.questions.games import ask_records

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.scene import Scene
    from pipelines.questions.games import GamesAnswer, ListedGame
    from pipelines.report.table import Table
    from pipelines.runs.run import Run

RECORDS_IN_A_ROW: Final = 4
BOARD_HEIGHT_PX: Final = 170


def show_records(answer: GamesAnswer, table: Table, first: int, runs: Collection[Run]) -> None:
    """Show records of an answer in a row of tiles, from the number `first` on. `table` is the part of its sheet that has their words.

    The records of several games, which have as many tiles as there are games, lead to all records of a game, which are
    those of `runs`.
    """
    is_mixed = len(answer.by_game) > 1
    shown = answer.records[first:] if is_mixed else answer.records[first : first + RECORDS_IN_A_ROW]
    names = list(answer.by_game)
    with st.container(key=f"game-tiles-{first}"):
        columns = st.columns(max(RECORDS_IN_A_ROW, len(shown)))
    for number, (record, column) in enumerate(zip(shown, columns, strict=False), start=first):
        game, asked = record.game, record.question
        title, words, players, ruleset = map(str, table.rows[number])
        key = names[number] if is_mixed else f"{asked.sort}-{int(asked.is_lowest)}"
        with column, st.container(border=True, height="stretch", key=f"record-{key}"):
            st.markdown(f"**{escape_markdown(title)}**")
            if scene := _read_scene(game):
                label = "The end of the game:"
                show_board(scene, key=f"board-{title}", label=label, size=BOARD_HEIGHT_PX)
            st.markdown(escape_markdown(words))
            st.caption(f"{escape_markdown(ruleset)}  \n{escape_markdown(players)}")
            with st.container(horizontal=True, vertical_alignment="center"):
                if game.is_logged:
                    st.page_link(
                        "views/replay.py",
                        label="Replay",
                        icon=":material/play_circle:",
                        query_params=game_address(game.run, game.game_id, game.ply),
                    )
                if is_mixed:
                    st.button(
                        "All records",
                        key=f"records-{title}",
                        type="tertiary",
                        on_click=write_page_question,
                        args=(ask_records(key, runs),),
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
