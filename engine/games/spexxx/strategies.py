"""Ways to play Spexxx."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, iter_cells
from engine.games.spexxx.scoring import cube_gain
from engine.games.spexxx.turn import THROW_SCALE, keep_values
from engine.luck import Source
from engine.strategy import Parameter, Strategy
from engine.weights import read_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.games.spexxx.rules import SeatState, SpexxxState
    from engine.games.spexxx.ruleset import SpexxxRuleset
    from engine.luck import Luck

THOUSANDTHS_PER_POINT: Final = 1000
"""Squares are valued in whole thousandths of a point, so that equal values are equal numbers."""
POTENTIAL_WEIGHT: Final = 3
"""Hundredths of a point for each point of potential. 0 leaves a player that starts a line only by chance."""

FIRST_ERROR_DRAW: Final = 1
"""Draw of the first square's error: draw 0 breaks the ties of the first decision."""

_OWN_CODE: Final = 1
_OTHERS_CODE: Final = 3
"""Codes of cubes; what a line of three holds is the sum of its squares' codes, 0 to 9."""
_LINE_WEIGHTS_IN_TENTHS: Final = np.array([1, 10, 0, 0, 0, 0, 0, 0, 0, 0])
"""Weight of a line in the potential of its squares, in tenths, by what it holds: nobody's cube, one own, or else."""


class BoardLines(NamedTuple):
    """The lines of three squares of a board, as arrays."""

    cells: NDArray[np.intp]
    """(3, lines) The cells of every line."""
    points: NDArray[np.int64]
    """(lines,) The points of its three squares."""
    through: NDArray[np.intp]
    """(cells, 12) The lines through every cell, filled up with the number of lines."""
    matches: NDArray[np.bool_]
    """(252, cells) Whether a throw matches a square."""


@lru_cache(maxsize=16)
def board_lines(ruleset: SpexxxRuleset) -> BoardLines:
    """Return the lines of a ruleset's board."""
    threes, places = ruleset.lines_of_three, len(ruleset.marks)
    through = np.full((places, 12), len(threes), dtype=np.intp)
    for place in range(places):
        own = [number for number, three in enumerate(threes) if place in three]
        through[place, : len(own)] = own
    return BoardLines(
        np.array(threes, dtype=np.intp).reshape(-1, 3).T.copy(),
        np.array([sum(ruleset.points[place] for place in three) for three in threes], dtype=np.int64),
        through,
        np.array([_square_array(match, places) for match in ruleset.matching_squares], dtype=np.bool_),
    )


def _square_array(squares: int, places: int) -> NDArray[np.uint8]:
    """Return a set of squares as (cells,) zeros and ones."""
    packed = np.frombuffer(squares.to_bytes(-(-places // 8), "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=places, bitorder="little")


def square_values(
    ruleset: SpexxxRuleset, seats: tuple[SeatState, ...], seat: int, potential: int = POTENTIAL_WEIGHT
) -> NDArray[np.int64]:
    """Return what a cube on every free square is worth to a seat: (cells,) thousandths of a point, 0 if not free.

    It is what the cube would score now and `potential` hundredths of the square's potential: the sum over the lines
    of three through it without another's cube of the points of its squares, whole if one of them has an own cube, a
    tenth if none has. A line with two own cubes has no potential: it scores.
    """
    lines, places = board_lines(ruleset), len(ruleset.marks)
    cubes = 0
    for other in seats:
        cubes |= other.cubes
    own = seats[seat]
    code = _OTHERS_CODE * _square_array(cubes & ~own.cubes, places) + _OWN_CODE * _square_array(
        own.cubes, places
    )
    in_lines = code[lines.cells]
    held = in_lines[0] + in_lines[1] + in_lines[2]
    weighed = np.append(_LINE_WEIGHTS_IN_TENTHS[held] * lines.points, 0)
    # hundredths x tenths are the thousandths of POINT
    values: NDArray[np.int64] = potential * weighed[lines.through].sum(axis=1)
    completed = lines.cells[:, held == 2 * _OWN_CODE]
    for place in set(completed[code[completed] == 0].tolist()):  # a cube scores nowhere else
        values[place] += THOUSANDTHS_PER_POINT * cube_gain(ruleset, own.cubes, own.counted, place).points(
            ruleset
        )
    values[code > 0] = 0
    return values


class TurnPlan(NamedTuple):
    """A turn thought through."""

    squares: list[int]
    """Value of a cube on every cell, in thousandths of a point."""
    keeps: list[list[int]]
    """With r throws to come, entry r - 1: the value of every keep times SCALE**r."""


def plan_turn(
    ruleset: SpexxxRuleset, seats: tuple[SeatState, ...], seat: int, potential: int = POTENTIAL_WEIGHT
) -> TurnPlan:
    """Solve a turn of a seat exactly, for its values of the free squares."""
    return solve_turn(ruleset, square_values(ruleset, seats, seat, potential))


def solve_turn(ruleset: SpexxxRuleset, values: NDArray[np.int64]) -> TurnPlan:
    """Solve a turn exactly, for any values of the squares."""
    stopping = np.where(board_lines(ruleset).matches, values, 0).max(axis=1)
    found = keep_values(stopping, ruleset.options.throws - 1)
    return TurnPlan(values.tolist(), [keeps.tolist() for keeps in found])


def choose_action(state: SpexxxState, source: Source, planned: TurnPlan) -> int:
    """Answer a throw by the best placement if it is worth at least as much as the best keep, else by that keep.

    Ties among equal placements or equal keeps are broken by luck.
    """
    actions = state.actions
    if actions[0] == DISCARD_ACTION:
        return DISCARD_ACTION
    kept = [action for action in actions if action < FIRST_THROW]
    stops = [planned.squares[action - FIRST_PLACEMENT] for action in actions[len(kept) :]]
    if kept:
        to_come = state.ruleset.options.throws - state.throws
        values = [planned.keeps[to_come - 1][keep] for keep in kept]
        best = max(values)
        if not stops or max(stops) * THROW_SCALE**to_come < best:
            return source.choice([keep for keep, value in zip(kept, values, strict=True) if value == best])
    best = max(stops)
    placements = actions[len(kept) :]
    return source.choice([place for place, value in zip(placements, stops, strict=True) if value == best])


def add_value_errors(
    state: SpexxxState, values: NDArray[np.int64], sigma: float, source: Source
) -> NDArray[np.int64]:
    """Return values with an error on every free square, normal with `sigma` points; none falls below nothing.

    The errors hold for the whole turn: draw FIRST_ERROR + n of the seat's round belongs to square n of the board, by
    cell index, whether the squares before it are free or not.
    """
    found = values.copy()
    for number, place in enumerate(iter_cells(state.ruleset.squares)):
        if state.free >> place & 1:
            error = Source(source.luck, source.round, source.seat, FIRST_ERROR_DRAW + number).normal()
            found[place] = max(0, int(values[place]) + int(THOUSANDTHS_PER_POINT * sigma * error))
    return found


def greedy(potential: int = POTENTIAL_WEIGHT) -> Callable[[SpexxxState, Source], int]:
    """Return the way to play that solves every turn for its points and these hundredths of the potential."""
    # Nothing on the board changes between the throws of a turn, so one plan serves them all.
    thought_through = lru_cache(maxsize=8)(plan_turn)

    def decide_throw(state: SpexxxState, source: Source) -> int:
        return choose_action(
            state, source, thought_through(state.ruleset, state.seats, state.thrower, potential)
        )

    return decide_throw


def noisy(sigma: float) -> Callable[[SpexxxState, Source], int]:
    """Return the way to play that solves every turn for values that are in error by about `sigma` points."""
    thought_through = lru_cache(maxsize=8)(_plan_with_errors)

    def decide_throw(state: SpexxxState, source: Source) -> int:
        turn = replace(state, throws=0, dice=0)
        return choose_action(
            state, source, thought_through(turn, sigma, source.luck, source.round, source.seat)
        )

    return decide_throw


def _plan_with_errors(state: SpexxxState, sigma: float, luck: Luck, round_: int, seat: int) -> TurnPlan:
    values = square_values(state.ruleset, state.seats, state.thrower)
    return solve_turn(state.ruleset, add_value_errors(state, values, sigma, Source(luck, round_, seat, 0)))


_WEIGHTS_FILE: Final = Path(__file__).with_name("weights.toml")

STRATEGIES: Final = (
    Strategy(
        "noisy",
        "Plays like greedy, but misjudges the value of every square by about sigma points, anew in every turn.",
        noisy,
        (Parameter("sigma", "typical error of a square's value, in points", 5.0, 0.0, 100.0),),
    ),
    Strategy(
        "greedy",
        "Keeps and places for the most points now + 0.03 x the potential of the square, every turn solved exactly; "
        "ties by luck.",
        greedy,
    ),
    Strategy(
        "builder",
        "Weighs points now, the lines and blocks that they lead to and what they spoil for others; every turn solved "
        "exactly.",
        None,
        read_weights(_WEIGHTS_FILE, "builder"),
    ),
    Strategy(
        "rollout",
        "Corrects the builder's values of the likeliest squares by games played out in its head before it throws.",
        None,
        (
            Parameter("playouts", "games played out for one turn", 256, 16, 65536),
            Parameter("candidates", "squares that are looked at", 8, 1, 64),
            *read_weights(_WEIGHTS_FILE, "rollout"),
        ),
    ),
)
