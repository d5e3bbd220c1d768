"""What a player of Blokus Dice may be forbidden: the strikes, or a shape."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from engine.game import Restriction

if TYPE_CHECKING:
    from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset

SHAPES_FORBIDDEN: Final = ("I1", "V3", "O4", "I5", "X5")
"""Shapes of one, three and four squares, and the longest and the most branched of five."""


def forbid_strikes(state: BlokusDiceState, seat: int) -> BlokusDiceState:
    """Return the position in which a seat has used all its strikes (BD-6), which decides ties (BD-13)."""
    return _with_board(state, seat, state.boards[seat]._replace(strikes=state.ruleset.options.strikes))


def forbid_shape(name: str, state: BlokusDiceState, seat: int) -> BlokusDiceState:
    """Return the position in which a seat has no shape of this name left to draw (BD-3)."""
    board = state.boards[seat]
    return _with_board(state, seat, board._replace(free=board.free & ~state.ruleset.play_area.shaped[name]))


def _with_board(state: BlokusDiceState, seat: int, board: SeatBoard) -> BlokusDiceState:
    return replace(state, boards=(*state.boards[:seat], board, *state.boards[seat + 1 :]))


def list_restrictions(ruleset: BlokusDiceRuleset) -> list[Restriction]:
    """Return the restrictions to do without strikes and without a shape."""
    out = "A player who could draw nothing else is out of the game."
    strikes = Restriction("strikes", out, forbid_strikes)
    shapes = [
        Restriction(f"shape {name}", out, partial(forbid_shape, name))
        for name in SHAPES_FORBIDDEN
        if name in ruleset.play_area.shaped
    ]
    return [*([strikes] if ruleset.options.strikes else []), *shapes]
