"""The strategies of Blokus Dice. Only the kernel can play those whose function is None."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.game import Restriction
from engine.number_sets import iter_members
from engine.polyomino import SHAPES
from engine.strategy import Parameter, Strategy
from engine.weights import read_weights

if TYPE_CHECKING:
    from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.luck import Source

_SHAPE_SIZES: Final = sorted({len(shape) for shape in SHAPES.values()}, reverse=True)
_CORNER_POINTS_PER_SQUARE: Final = 16
"""The number of corner points that `noisy` counts as one square. No shape has as many, so they only break ties."""


def _greedy() -> Callable[[BlokusDiceState, Source], int]:
    def decide(state: BlokusDiceState, source: Source) -> int:
        blocks = _largest_choices(state)
        if not blocks:
            return state.ruleset.out_action
        placements, spoilt = state.ruleset.play_area.placements, _spoilt_squares(state)
        ranked = [
            ((placements[number].at_corners & ~spoilt).bit_count(), first + number)
            for first, drawable in blocks
            for number in iter_members(drawable)
        ]
        highest = max(points for points, _ in ranked)
        return source.choice([action for points, action in ranked if points == highest])

    return decide


def _noisy(sigma: float) -> Callable[[BlokusDiceState, Source], int]:
    """Return a player that adds a normal error to the worth of every placement.

    It draws one normal number for each placement of `_die_choices`, in the order of the actions.
    """

    def decide(state: BlokusDiceState, source: Source) -> int:
        placements, spoilt = state.ruleset.play_area.placements, _spoilt_squares(state)
        best, worth = state.ruleset.out_action, -math.inf
        for first, drawable in _die_choices(state):
            for number in iter_members(drawable):
                points = (placements[number].at_corners & ~spoilt).bit_count()
                value = (
                    len(placements[number].cells)
                    + points / _CORNER_POINTS_PER_SQUARE
                    + sigma * source.normal()
                )
                if value > worth:
                    best, worth = first + number, value
        return best

    return decide


def _die_choices(state: BlokusDiceState) -> list[tuple[int, int]]:
    """Return a block of placements for every different die, ascending; with a strike only if nothing else is legal.

    Each block is a pair: the action number of placement 0, and a set of placements.
    """
    ruleset, seat = state.ruleset, state.seat
    colour, board = state.held_colour(seat), state.boards[seat]
    fitting = board.fitting_placements(colour)
    dice = sorted(set(state.free_dice))
    blocks = [
        (ruleset.first_action(die, colour, struck=False), fitting & ruleset.offered_placements[die])
        for die in dice
    ]
    if not any(drawable for _, drawable in blocks) and board.strikes < ruleset.options.strikes:
        blocks = [(ruleset.first_action(die, colour, struck=True), fitting) for die in dice]
    return blocks


def _largest_choices(state: BlokusDiceState) -> list[tuple[int, int]]:
    """Return the blocks of `_die_choices`, reduced to the placements of the largest shapes."""
    blocks = _die_choices(state)
    for size in _SHAPE_SIZES:
        sized = _placements_of_size(state.ruleset, size)
        largest = [(first, drawable & sized) for first, drawable in blocks if drawable & sized]
        if largest:
            return largest
    return []


def _placements_of_size(ruleset: BlokusDiceRuleset, size: int) -> int:
    """Return the set of placements of the shapes with `size` squares."""
    return ruleset.play_area.placements_of_shapes(
        name for name in ruleset.play_area.shaped if len(SHAPES[name]) == size
    )


def _spoilt_squares(state: BlokusDiceState) -> int:
    """Return the squares that cannot be corner points of the colour held: drawn ones, and those beside the colour.

    Squares that already were corner points of the colour are counted again for a new shape. Not counting them is slightly
    stronger (24.4 instead of 24.9 unfilled squares with four players, 1,000 games), but the simpler rule is a better
    reference for comparisons.
    """
    board = state.boards[state.seat]
    spoilt = state.ruleset.play_area.squares_beside(board.filled[state.held_colour(state.seat)])
    for squares in board.filled:
        spoilt |= squares
    return spoilt


_SIGMA_PARAMETER: Final = Parameter("sigma", "Standard deviation of the errors, in squares", 1.0, 0.0, 100.0)
_WEIGHTS_FILE: Final = Path(__file__).with_name("weights.toml")
KEEPER_WEIGHTS: Final = read_weights(_WEIGHTS_FILE, "keeper")
_ROLLOUT_WEIGHTS: Final = read_weights(_WEIGHTS_FILE, "rollout")

_READ: Final[frozenset[str]] = frozenset()
"""Every option and table decides which actions are legal."""
STRATEGIES: Final = (
    Strategy(
        "greedy",
        "The largest shape, a strike only when forced; ties by most empty squares at its corners, none of them "
        "beside its colour, then by luck.",
        _greedy,
        reads=_READ,
    ),
    Strategy(
        "noisy",
        "As greedy, but its eye errs: a random error is added to the squares of every placement before it compares them.",
        _noisy,
        (_SIGMA_PARAMETER,),
        reads=_READ,
    ),
    Strategy(
        "keeper",
        "Keeps all four colours alive: weighs the squares drawn against what still fits in each colour when it comes "
        "round, the dice there will be, and what a strike is worth.",
        None,
        KEEPER_WEIGHTS,
        reads=_READ,
    ),
    Strategy(
        "learned",
        "Weighs the squares of a placement and those that may still be drawn after it, which a small neural network has "
        "learned to tell by playing against itself.",
        None,
        reads=_READ,
    ),
    Strategy(
        "rollout",
        "Plays keeper's best placements on to the end many times, with imagined dice and greedy drawing, and takes the "
        "one that leaves the fewest squares.",
        None,
        (
            Parameter("playouts", "Imagined games for each decision, over all placements", 256, 1, 1_000_000),
            Parameter("candidates", "Placements that are compared", 8, 1, 64),
            *_ROLLOUT_WEIGHTS,
            *KEEPER_WEIGHTS,
        ),
        reads=_READ,
    ),
)


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
