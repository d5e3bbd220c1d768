"""What a player of Blokus may be forbidden: a piece."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from engine.game import Restriction

if TYPE_CHECKING:
    from engine.games.blokus.rules import BlokusState, ColourState
    from engine.games.blokus.ruleset import BlokusRuleset

PIECES: Final = ("I1", "V3", "O4", "I5", "X5")
"""Pieces of one, three and four squares, and the longest and the most branched of five."""


def forbid_piece(name: str, state: BlokusState, seat: int) -> BlokusState:
    """Return the position in which the colours of a seat can never place a piece; it counts as not placed (BK-8)."""
    piece = state.ruleset.pieces.index(name)
    others = state.ruleset.windows.without[piece]

    def forbid(colour: ColourState) -> ColourState:
        return colour._replace(free=colour.free & others, attached=colour.attached & others)

    own = state.ruleset.seat_colours[seat]
    return replace(
        state,
        colours=tuple(
            forbid(colour) if number in own else colour for number, colour in enumerate(state.colours)
        ),
    )


def list_restrictions(ruleset: BlokusRuleset) -> list[Restriction]:
    """Return the restrictions to do without a piece."""
    fallback = "A colour that could place only this piece is out, and the piece counts as not placed."
    return [
        Restriction(f"piece {name}", fallback, partial(forbid_piece, name))
        for name in PIECES
        if name in ruleset.pieces
    ]
