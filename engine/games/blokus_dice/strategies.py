"""Ways to play Blokus Dice."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.games.blokus_dice.placements import iter_members
from engine.polyomino import SHAPES
from engine.strategy import Parameter, Strategy
from engine.weights import read_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.luck import Source

_SHAPE_SIZES: Final = sorted({len(shape) for shape in SHAPES.values()}, reverse=True)
_CORNER_POINTS_PER_SQUARE: Final = 16
"""Corner points that noisy counts as one square: more than any shape has, so that they only decide between equals."""


def _greedy() -> Callable[[BlokusDiceState, Source], int]:
    def decide(state: BlokusDiceState, source: Source) -> int:
        ways = _largest_choices(state)
        if not ways:
            return state.ruleset.out_action
        placements, spoilt = state.ruleset.play_area.placements, _spoilt_squares(state)
        ranked = [
            ((placements[number].at_corners & ~spoilt).bit_count(), first + number)
            for first, drawable in ways
            for number in iter_members(drawable)
        ]
        most = max(points for points, _ in ranked)
        return source.choice([action for points, action in ranked if points == most])

    return decide


def _noisy(sigma: float) -> Callable[[BlokusDiceState, Source], int]:
    """Draw one error for each placement, in the order of the legal actions; with strikes only when forced."""

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
    """Return for every different die what it offers, ascending; with a strike only when forced.

    Each entry is the number of the first action and the set of placements that are added to it.
    """
    ruleset, seat = state.ruleset, state.seat
    colour, board = state.held_colour(seat), state.boards[seat]
    fitting = board.fitting_placements(colour)
    dice = sorted(set(state.free_dice))
    ways = [
        (ruleset.first_action(die, colour, struck=False), fitting & ruleset.offered_placements[die])
        for die in dice
    ]
    if not any(drawable for _, drawable in ways) and board.strikes < ruleset.options.strikes:
        ways = [(ruleset.first_action(die, colour, struck=True), fitting) for die in dice]
    return ways


def _largest_choices(state: BlokusDiceState) -> list[tuple[int, int]]:
    """Return those ways with the placements of the largest size only."""
    ways = _die_choices(state)
    for size in _SHAPE_SIZES:
        sized = _placements_of_size(state.ruleset, size)
        largest = [(first, drawable & sized) for first, drawable in ways if drawable & sized]
        if largest:
            return largest
    return []


def _placements_of_size(ruleset: BlokusDiceRuleset, size: int) -> int:
    """Return the placements of the shapes of a size."""
    return ruleset.play_area.placements_of_shapes(
        name for name in ruleset.play_area.shaped if len(SHAPES[name]) == size
    )


def _spoilt_squares(state: BlokusDiceState) -> int:
    """Return the squares that are no corner points for the colour held: drawn ones, and those beside the colour.

    Squares at the corners of the colour already do count for a new shape there. Not counting them is a little stronger
    (24.4 unfilled squares instead of 24.9 with four players, 1,000 games), but a simpler rule makes a better yardstick.
    """
    board = state.boards[state.seat]
    spoilt = state.ruleset.play_area.squares_beside(board.filled[state.held_colour(state.seat)])
    for squares in board.filled:
        spoilt |= squares
    return spoilt


_SIGMA_PARAMETER: Final = Parameter("sigma", "Standard deviation of the errors, in squares", 1.0, 0.0, 100.0)
_WEIGHTS_FILE: Final = Path(__file__).with_name("weights.toml")
_KEEPER_WEIGHTS: Final = read_weights(_WEIGHTS_FILE, "keeper")
_ROLLOUT_WEIGHTS: Final = read_weights(_WEIGHTS_FILE, "rollout")

STRATEGIES: Final = (
    Strategy(
        "greedy",
        "The largest shape, a strike only when forced; ties by most empty squares at its corners, none of them "
        "beside its colour, then by luck.",
        _greedy,
    ),
    Strategy(
        "noisy",
        "As greedy, but its eye errs: a random error is added to the squares of every placement before it compares them.",
        _noisy,
        (_SIGMA_PARAMETER,),
    ),
    Strategy(
        "keeper",
        "Keeps all four colours alive: weighs the squares drawn against what still fits in each colour when it comes "
        "round, the dice there will be, and what a strike is worth.",
        None,
        _KEEPER_WEIGHTS,
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
            *_KEEPER_WEIGHTS,
        ),
    ),
)
