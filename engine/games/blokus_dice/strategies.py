"""Ways to play Blokus Dice."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.game import Parameter, Strategy
from engine.games.blokus_dice.placements import members
from engine.polyomino import SHAPES
from engine.weights import weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.luck import Source

_SIZES: Final = sorted({len(shape) for shape in SHAPES.values()}, reverse=True)
_POINTS_A_SQUARE: Final = 16
"""Corner points that noisy counts as one square: more than any shape has, so that they only decide between equals."""


def _greedy() -> Callable[[BlokusDiceState, Source], int]:
    def decide(state: BlokusDiceState, source: Source) -> int:
        ways = _drafts(state)
        if not ways:
            return state.ruleset.out
        placements, spoilt = state.ruleset.area.placements, _spoilt(state)
        ranked = [
            ((placements[number].at_corners & ~spoilt).bit_count(), first + number)
            for first, drawable in ways
            for number in members(drawable)
        ]
        most = max(points for points, _ in ranked)
        return source.choice([action for points, action in ranked if points == most])

    return decide


def _noisy(sigma: float) -> Callable[[BlokusDiceState, Source], int]:
    """Draw one error for each placement, in the order of the legal actions; with strikes only when forced."""

    def decide(state: BlokusDiceState, source: Source) -> int:
        placements, spoilt = state.ruleset.area.placements, _spoilt(state)
        best, worth = state.ruleset.out, -math.inf
        for first, drawable in _ways(state):
            for number in members(drawable):
                points = (placements[number].at_corners & ~spoilt).bit_count()
                value = len(placements[number].cells) + points / _POINTS_A_SQUARE + sigma * source.normal()
                if value > worth:
                    best, worth = first + number, value
        return best

    return decide


def _ways(state: BlokusDiceState) -> list[tuple[int, int]]:
    """Return for every different die what it offers, ascending; with a strike only when forced.

    Each entry is the number of the first action and the set of placements that are added to it.
    """
    ruleset, seat = state.ruleset, state.seat
    colour, board = state.colour(seat), state.boards[seat]
    fitting = board.fitting(colour)
    dice = sorted(set(state.dice))
    ways = [(ruleset.first(die, colour, struck=False), fitting & ruleset.offered[die]) for die in dice]
    if not any(drawable for _, drawable in ways) and board.strikes < ruleset.options.strikes:
        ways = [(ruleset.first(die, colour, struck=True), fitting) for die in dice]
    return ways


def _drafts(state: BlokusDiceState) -> list[tuple[int, int]]:
    """Return those ways with the placements of the largest size only."""
    ways = _ways(state)
    for size in _SIZES:
        sized = _sized(state.ruleset, size)
        largest = [(first, drawable & sized) for first, drawable in ways if drawable & sized]
        if largest:
            return largest
    return []


def _sized(ruleset: BlokusDiceRuleset, size: int) -> int:
    """Return the placements of the shapes of a size."""
    return ruleset.area.with_shapes(name for name in ruleset.area.shaped if len(SHAPES[name]) == size)


def _spoilt(state: BlokusDiceState) -> int:
    """Return the squares that are no corner points for the colour held: drawn ones, and those beside the colour.

    Squares at the corners of the colour already do count for a new shape there. Not counting them is a little stronger
    (24.4 unfilled squares instead of 24.9 with four players, 1,000 games), but a simpler rule makes a better yardstick.
    """
    board = state.boards[state.seat]
    spoilt = state.ruleset.area.beside(board.filled[state.colour(state.seat)])
    for squares in board.filled:
        spoilt |= squares
    return spoilt


_SIGMA: Final = Parameter("sigma", "Standard deviation of the errors, in squares", 1.0, 0.0, 100.0)
_WEIGHTS: Final = Path(__file__).with_name("weights.toml")
_KEEPER: Final = weights(_WEIGHTS, "keeper")
_ROLLOUT: Final = weights(_WEIGHTS, "rollout")

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
        (_SIGMA,),
    ),
    Strategy(
        "keeper",
        "Keeps all four colours alive: weighs the squares drawn against what still fits in each colour when it comes "
        "round, the dice there will be, and what a strike is worth.",
        None,
        _KEEPER,
    ),
    Strategy(
        "rollout",
        "Plays keeper's best placements on to the end many times, with imagined dice and greedy drawing, and takes the "
        "one that leaves the fewest squares.",
        None,
        (
            Parameter("playouts", "Imagined games for each decision, over all placements", 256, 1, 1_000_000),
            Parameter("candidates", "Placements that are compared", 8, 1, 64),
            *_ROLLOUT,
            *_KEEPER,
        ),
    ),
)
