"""The strategies of Spexxx. Only the kernel can play those whose function is None."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.game import Restriction
from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.learned_values import (
    BLOCK_CLOSED,
    DENIAL_PERCENT,
    OFF_FRAME,
    OTHERS_CUBE,
    OWN_CUBE,
    WINDOW_SIZE,
    make_value_layout,
    read_learned_values,
    require_learned_values,
    stage_of,
)
from engine.games.spexxx.rules import SeatState, SpexxxState, cube_gain
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT, SpexxxRuleset, iter_cells
from engine.games.spexxx.turn import THROW_SCALE, keep_values
from engine.luck import Luck, Source
from engine.strategy import Parameter, Strategy
from engine.weights import read_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


THOUSANDTHS_PER_POINT: Final = 1000
"""Values of squares are integers in thousandths of a point, so that equal values are equal numbers."""
POTENTIAL_WEIGHT: Final = 3
"""Value of one point of potential, in hundredths of a point. With 0, a player would start a line only by chance."""

FIRST_ERROR_DRAW: Final = 1
"""The random draw for the error of the first square. Draw 0 breaks the ties of the first decision."""

_OWN_CODE: Final = 1
_OTHERS_CODE: Final = 3
"""Codes of cubes. The sum of the codes of a line of three squares, 0 to 9, shows whose cubes are in it."""
_LINE_WEIGHTS_IN_TENTHS: Final = np.array([1, 10, 0, 0, 0, 0, 0, 0, 0, 0])
"""Weight of a line in the potential of its squares, in tenths, by its sum of codes: no cube, one own cube, or others."""


class BoardLines(NamedTuple):
    """The lines of three squares of a board, as arrays."""

    cells: NDArray[np.intp]
    """(3, lines) The cells of every line."""
    points: NDArray[np.int64]
    """(lines,) The sum of the points of the three squares of a line."""
    through: NDArray[np.intp]
    """(cells, 12) The lines through every cell; unused entries contain the number of lines."""
    matches: NDArray[np.bool_]
    """(252, cells) Whether a throw matches a square."""


@lru_cache(maxsize=16)
def board_lines(ruleset: SpexxxRuleset) -> BoardLines:
    """Return the lines of three squares of a ruleset's board."""
    threes, places = ruleset.lines_of_three, len(ruleset.marks)
    through = np.full((places, 12), len(threes), dtype=np.intp)
    for place in range(places):
        lines = [number for number, three in enumerate(threes) if place in three]
        through[place, : len(lines)] = lines
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
    """Return the value of a cube on every free square to a seat: (cells,) thousandths of a point, 0 if not free.

    The value is the score of the cube now, plus `potential` hundredths of the square's potential. The potential is a sum
    over the lines of three through the square that have no cube of another seat. A line with one own cube adds the
    points of its three squares, an empty line a tenth of them. A line with two own cubes adds nothing: it scores now.
    """
    lines, places = board_lines(ruleset), len(ruleset.marks)
    cubes = 0
    for other in seats:
        cubes |= other.cubes
    seat_state = seats[seat]
    code = _OTHERS_CODE * _square_array(cubes & ~seat_state.cubes, places) + _OWN_CODE * _square_array(
        seat_state.cubes, places
    )
    in_lines = code[lines.cells]
    code_sums = in_lines[0] + in_lines[1] + in_lines[2]
    line_potentials = np.append(_LINE_WEIGHTS_IN_TENTHS[code_sums] * lines.points, 0)
    # hundredths x tenths = thousandths of a point
    values: NDArray[np.int64] = potential * line_potentials[lines.through].sum(axis=1)
    completed = lines.cells[:, code_sums == 2 * _OWN_CODE]
    for place in set(completed[code[completed] == 0].tolist()):  # a cube scores on no other square
        values[place] += THOUSANDTHS_PER_POINT * cube_gain(
            ruleset, seat_state.cubes, seat_state.counted, place
        ).points(ruleset)
    values[code > 0] = 0
    return values


class TurnPlan(NamedTuple):
    """The solution of a turn."""

    squares: list[int]
    """Value of a cube on every cell, in thousandths of a point."""
    keeps: list[list[int]]
    """Entry r - 1: the value of every keep with r throws to come, times THROW_SCALE**r."""


def plan_turn(
    ruleset: SpexxxRuleset, seats: tuple[SeatState, ...], seat: int, potential: int = POTENTIAL_WEIGHT
) -> TurnPlan:
    """Return the exact solution of a turn of a seat, with the squares valued by `square_values`."""
    return solve_turn(ruleset, square_values(ruleset, seats, seat, potential))


def solve_turn(ruleset: SpexxxRuleset, values: NDArray[np.int64]) -> TurnPlan:
    """Return the exact solution of a turn; `values`: (cells,) the value of every square."""
    stopping = np.where(board_lines(ruleset).matches, values, 0).max(axis=1)
    keeps = keep_values(stopping, ruleset.options.throws - 1)
    return TurnPlan(values.tolist(), [keep.tolist() for keep in keeps])


def choose_action(state: SpexxxState, source: Source, plan: TurnPlan) -> int:
    """Return the best placement if it is worth at least as much as the best keep, otherwise the best keep.

    Ties among equal placements or equal keeps are broken by luck.
    """
    actions = state.actions
    if actions[0] == DISCARD_ACTION:
        return DISCARD_ACTION
    keeps = [action for action in actions if action < FIRST_THROW]
    stops = [plan.squares[action - FIRST_PLACEMENT] for action in actions[len(keeps) :]]
    if keeps:
        to_come = state.ruleset.options.throws - state.throws
        values = [plan.keeps[to_come - 1][keep] for keep in keeps]
        best = max(values)
        if not stops or max(stops) * THROW_SCALE**to_come < best:
            return source.choice([keep for keep, value in zip(keeps, values, strict=True) if value == best])
    best = max(stops)
    placements = actions[len(keeps) :]
    return source.choice([place for place, value in zip(placements, stops, strict=True) if value == best])


def add_value_errors(
    state: SpexxxState, values: NDArray[np.int64], sigma: float, source: Source
) -> NDArray[np.int64]:
    """Return the values with a normal error of `sigma` points on every free square, but none below 0.

    The errors are the same for the whole turn: the error of square n of the board, by cell index, is draw
    FIRST_ERROR_DRAW + n of the seat in this round, whether the squares before it are free or not.
    """
    wrong_values = values.copy()
    for number, place in enumerate(iter_cells(state.ruleset.squares)):
        if state.free >> place & 1:
            error = Source(source.luck, source.round, source.seat, FIRST_ERROR_DRAW + number).normal()
            wrong_values[place] = max(0, int(values[place]) + int(THOUSANDTHS_PER_POINT * sigma * error))
    return wrong_values


def greedy(potential: int = POTENTIAL_WEIGHT) -> Callable[[SpexxxState, Source], int]:
    """Return a player that solves every turn for `square_values` with this weight of the potential."""
    # the board does not change between the throws of a turn, so they all use one solution
    cached_plan = lru_cache(maxsize=8)(plan_turn)

    def decide_throw(state: SpexxxState, source: Source) -> int:
        return choose_action(state, source, cached_plan(state.ruleset, state.seats, state.thrower, potential))

    return decide_throw


def noisy(sigma: float) -> Callable[[SpexxxState, Source], int]:
    """Return a player that solves every turn for `square_values` with a normal error of `sigma` points."""
    cached_plan = lru_cache(maxsize=8)(_plan_with_errors)

    def decide_throw(state: SpexxxState, source: Source) -> int:
        turn = replace(state, throws=0, dice=0)
        return choose_action(state, source, cached_plan(turn, sigma, source.luck, source.round, source.seat))

    return decide_throw


def _plan_with_errors(state: SpexxxState, sigma: float, luck: Luck, round_: int, seat: int) -> TurnPlan:
    values = square_values(state.ruleset, state.seats, state.thrower)
    return solve_turn(state.ruleset, add_value_errors(state, values, sigma, Source(luck, round_, seat, 0)))


def learned_square_values(
    ruleset: SpexxxRuleset, seats: tuple[SeatState, ...], seat: int
) -> NDArray[np.int64]:
    """Return the value of a cube on every free square by learned values: (cells,) thousandths of a point, 0 if not free.

    The value is the score of the cube now, plus what it changes in the points that the seat may expect, minus the mean
    of what it changes in those that the other seats may expect.
    """
    seat_state, others = seats[seat], [other for number, other in enumerate(seats) if number != seat]
    cubes = 0
    for each in seats:
        cubes |= each.cubes
    changes, denials = np.zeros((2, len(ruleset.marks)), dtype=np.int64)
    add_expected_changes(
        ruleset, seat_state._replace(left=seat_state.left - 1), cubes & ~seat_state.cubes, OWN_CUBE, changes
    )
    for other in others:
        add_expected_changes(ruleset, other, cubes & ~other.cubes, OTHERS_CUBE, denials)
    values = np.zeros(len(ruleset.marks), dtype=np.int64)
    for place in iter_cells(ruleset.squares & ~cubes):
        points = cube_gain(ruleset, seat_state.cubes, seat_state.counted, place).points(ruleset)
        denied = DENIAL_PERCENT * int(denials[place]) // (100 * len(others))
        values[place] = max(0, THOUSANDTHS_PER_POINT * points + int(changes[place]) - denied)
    return values


def add_expected_changes(
    ruleset: SpexxxRuleset, seat: SeatState, others_cubes: int, cube: int, changes: NDArray[np.int64]
) -> None:
    """Add to `changes`, (cells,), what a cube on each free square changes in the points that a seat may expect.

    `cube` is OWN_CUBE or OTHERS_CUBE, as the seat sees it.
    """
    if seat.left < 1:
        return
    layout, values, stage = make_value_layout(ruleset), read_learned_values(ruleset), stage_of(seat.left)
    cubes = seat.cubes | others_cubes
    for window in layout.windows:
        digits = [
            0
            if cell == OFF_FRAME
            else OWN_CUBE * (seat.cubes >> cell & 1) + OTHERS_CUBE * (others_cubes >> cell & 1)
            for cell in window.cells
        ]
        at = layout.window_value_at(window.kind, stage)
        at += sum(digit * 3**place for place, digit in enumerate(digits))
        for place in range(WINDOW_SIZE):
            if window.cells[place] != OFF_FRAME and not digits[place]:
                changes[window.cells[place]] += values[at + cube * 3**place] - values[at]
    for number, block in enumerate(layout.blocks):
        if not block & (others_cubes | seat.counted):
            cube_count = (block & seat.cubes).bit_count()
            at = layout.block_value_at(number, stage)
            change = (
                values[at + (cube_count + 1 if cube == OWN_CUBE else BLOCK_CLOSED)] - values[at + cube_count]
            )
            for cell in iter_cells(block & ~cubes):
                changes[cell] += change


def learned() -> Callable[[SpexxxState, Source], int]:
    """Return a player that solves every turn for `learned_square_values`."""
    cached_plan = lru_cache(maxsize=8)(_plan_learned)

    def decide_throw(state: SpexxxState, source: Source) -> int:
        return choose_action(state, source, cached_plan(state.ruleset, state.seats, state.thrower))

    return decide_throw


def _plan_learned(ruleset: SpexxxRuleset, seats: tuple[SeatState, ...], seat: int) -> TurnPlan:
    return solve_turn(ruleset, learned_square_values(ruleset, seats, seat))


_WEIGHTS_FILE: Final = Path(__file__).with_name("weights.toml")

_POINT_RULES: Final = frozenset({"points", "line_bonus", "block_bonus"})
STRATEGIES: Final = (
    Strategy(
        "noisy",
        "Plays like greedy, but misjudges the value of every square by about sigma points, anew in every turn.",
        noisy,
        (Parameter("sigma", "typical error of a square's value, in points", 5.0, 0.0, 100.0),),
        reads=_POINT_RULES,
    ),
    Strategy(
        "greedy",
        "Takes the most points that it can get now, with a small bonus for squares where lines can still grow.",
        greedy,
        reads=_POINT_RULES,
    ),
    Strategy(
        "builder",
        "Weighs points now, the lines and blocks that they lead to, and what they spoil for others.",
        None,
        read_weights(_WEIGHTS_FILE, "builder"),
        reads=_POINT_RULES,
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
        reads=_POINT_RULES,
    ),
    Strategy(
        "learned",
        "Weighs points now and what a cube changes in the points that each player may expect, which it learned by "
        "playing against itself.",
        learned,
        check_ruleset=require_learned_values,
        reads=frozenset(),  # it plays no ruleset with other points
    ),
)


def forbid_throws(count: int, state: SpexxxState, seat: int) -> SpexxxState:
    """Return the position in which each turn of a seat begins as if `count` throws were made already (SP-2)."""
    seats = list(state.seats)
    seats[seat] = seats[seat]._replace(lost_throws=count)
    return replace(state, seats=tuple(seats), throws=seats[state.thrower].lost_throws)


def list_restrictions(ruleset: SpexxxRuleset) -> list[Restriction]:
    """Return the restrictions to do without the last throw, and without all but one."""
    throws = ruleset.options.throws
    fallback = "A player throws fewer times and then places or discards as always."
    counts = {1: "last throw", throws - 1: f"{throws - 1} of {throws} throws"}
    return [
        Restriction(name, fallback, partial(forbid_throws, count))
        for count, name in counts.items()
        if 0 < count < throws
    ]
