"""The picture of a note: the board of the game, at the move or at the end, that the note is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.board import read_position, show_board
from engine.errors import GameError
from pipelines.questions.address import read_fields
from pipelines.questions.game.question import START_PLY, GameQuestion

if TYPE_CHECKING:
    from pipelines.questions.address import Address

PICTURE_WIDTH_PX: Final = 116
BOARD_HEIGHT_PX: Final = 104


def show_note_picture(note_id: str, title: str, address: Address) -> bool:
    """Show the position that an address names; return False if it names none or if the game cannot be read."""
    if not {"run", "game"} <= address.keys():
        return False
    asked, _ = read_fields(GameQuestion, address)
    ply = None if asked.ply == START_PLY else asked.ply
    try:
        run = cached.dashboard_library().run(asked.run)
        scene = read_position(run, asked.game, ply)
    except (GameError, OSError):  # the page Replay says what is wrong
        return False
    with st.container(width=PICTURE_WIDTH_PX):
        show_board(scene, key=f"picture-{note_id}", label=f"{title}:", size=BOARD_HEIGHT_PX)
    return True
