"""Small boards in cards beside each other, such as records of games and the worst decisions, each with a link to its replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.widgets.board import show_board
from dashboard.widgets.markdown import escape_markdown

if TYPE_CHECKING:
    from engine.scene import Scene

CARDS_IN_A_ROW: Final = 4
BOARD_HEIGHT_PX: Final = 180


class BoardCard(NamedTuple):
    """A board with its words and its replay."""

    key: str
    title: str
    """Markdown, which stands above the board."""
    scene: Scene | None
    """None without a board."""
    label: str
    """The beginning of the description of the board for screen readers."""
    lines: Sequence[str]
    notes: Sequence[str]
    """Fainter lines below the others."""
    link: str
    replay: Mapping[str, Sequence[str]]
    """The address of the replay; empty without a link."""
    other_move: Sequence[int] | None = None
    """The squares of a move with a dashed outline beside the last one, as in `show_board`."""


def show_board_cards(key: str, cards: Sequence[BoardCard]) -> None:
    """Show at most `CARDS_IN_A_ROW` cards in a row."""
    with st.container(key=f"game-tiles-{key}"):
        columns = st.columns(CARDS_IN_A_ROW)
    for card, column in zip(cards, columns, strict=False):
        with column, st.container(border=True, height="stretch", key=f"record-{card.key}"):
            st.markdown(card.title)
            if card.scene:
                show_board(
                    card.scene,
                    key=f"board-{card.key}",
                    label=card.label,
                    size=BOARD_HEIGHT_PX,
                    other_move=card.other_move,
                )
            st.markdown("  \n".join(map(escape_markdown, card.lines)))
            if card.notes:
                st.caption("  \n".join(map(escape_markdown, card.notes)))
            if card.replay:
                link = escape_markdown(card.link)
                icon = ":material/play_circle:"
                st.page_link("views/replay.py", label=link, icon=icon, query_params=dict(card.replay))
