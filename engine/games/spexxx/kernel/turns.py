"""How all strategies but random go through a turn, compiled: the turn is solved in LANES games at once.

The solution adds and compares *rows*: LANES numbers, one of each game. A row takes a few vector instructions. Numba has
no vectors, so `add_six` and `greatest_of_four` are intrinsics that emit them.

All numbers are integers, as in `engine.games.spexxx.turn`: values of squares in thousandths of a point, values of keeps
with r throws to come in 1 / THROW_SCALE**r of them. Up to four throws they fit 64 bits whatever the ruleset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from engine.games.spexxx.dice import FIRST_THROW, HANDS, NUMBER_OF_DICE
from engine.games.spexxx.kernel.rules import count_keeps, count_open_squares
from engine.games.spexxx.kernel.tables import LANES, Tables, aligned_zeros
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.bits import clear_lowest_bit, lowest_bit
from engine.kernels.compiling import jit_entry, jit_inlined, jit_merged, vector_pointer
from engine.kernels.luck import number_below, random_word

if TYPE_CHECKING:
    from numpy.typing import NDArray


_u64 = np.uint64
THROW_COUNT: Final = len(HANDS) - FIRST_THROW
"""Different throws of five dice."""
_FIRST_HANDS: Final = np.array([0, 1, 7, 28, 84, 210])
"""Number of the first hand of 0, 1, 2, 3, 4 and 5 dice."""


class SolvedTurn(NamedTuple):
    """A turn, solved in all lanes."""

    plan: NDArray[np.int32]
    """(rows x LANES) values of the squares, then of the throws: see `Tables.rows`. In thousandths of a point."""
    sums: NDArray[np.int64]
    """(throws to come - 1, hands x LANES) value of a keep, added up over the dice still to be thrown; without a factor
    of 6 for each die that is kept."""
    best: NDArray[np.int64]
    """(hands and more x LANES) value of the best keep of a hand."""


class Throw(NamedTuple):
    """A throw in one game, and what the seat may do with it."""

    hand: np.uint64
    keeps: np.uint64
    """Number of hands that may be kept."""
    squares: np.uint64
    """Number of free squares that it matches."""
    to_come: np.int64
    """Throws still to come in this turn."""


def make_solved_turn(tables: Tables) -> SolvedTurn:
    """Return room for a turn."""
    return SolvedTurn(
        aligned_zeros((tables.rows * LANES,), np.int32),
        aligned_zeros((tables.throws - 1, len(HANDS) * LANES), np.int64),
        aligned_zeros((int(tables.keep_recipe.max()) + LANES,), np.int64),
    )


def _emit_fold(fold, builder, context, signature, arguments):
    """Emit `target[row] = fold(source[a], source[b], ...)` for rows of LANES numbers, each named by its first index.

    A plain loop over the lanes does not become vector instructions, because the rows might overlap.
    """
    target, row, source, *operands = zip(signature.args, arguments, strict=True)
    align = source[0].dtype.bitwidth // 8
    rows = [
        builder.load(vector_pointer(context, builder, source, operand, LANES), align=align)
        for operand in operands
    ]
    while len(rows) > 1:  # in pairs, so that the instructions do not wait for one another
        rows = [*rows[2:], fold(builder, *rows[:2])]
    builder.store(rows[0], vector_pointer(context, builder, target, row, LANES), align=align)
    return context.get_dummy_value()


def _emit_sum(builder, left, right):
    return builder.add(left, right)


def _emit_greatest(builder, left, right):
    return builder.select(builder.icmp_signed(">", left, right), left, right)


@intrinsic
def add_six(_typing, target, row, source, a, b, c, d, e, f):
    """Set a row to the sum of six others."""

    def codegen(context, builder, signature, arguments):
        return _emit_fold(_emit_sum, builder, context, signature, arguments)

    return types.void(target, row, source, a, b, c, d, e, f), codegen


@intrinsic
def greatest_of_four(_typing, target, row, source, a, b, c, d):
    """Set a row to the greatest of four others, lane by lane."""

    def codegen(context, builder, signature, arguments):
        return _emit_fold(_emit_greatest, builder, context, signature, arguments)

    return types.void(target, row, source, a, b, c, d), codegen


@jit_entry
def solve_turn(tables, turn):
    """Value every throw and every keep in all lanes, for the values of squares in the plan.

    It computes the same as `engine.games.spexxx.turn.keep_values`.
    """
    plan, sums_of, best = turn
    follow_recipe(tables.stop_recipe, plan, plan)
    throws, stops = _u64(FIRST_THROW * LANES), _u64((tables.rows - THROW_COUNT) * LANES)
    scale = 1
    for throw in range(tables.throws - 1):
        sums = sums_of[throw]
        if throw:
            follow_recipe(tables.keep_recipe, best, best)
            follow_recipe(tables.throw_recipe, sums, best)
        for i in range(_u64(THROW_COUNT * LANES)):
            stop = plan[stops + i] * np.int64(np.int32(scale))  # a product of 32-bit numbers takes less time
            sums[throws + i] = max(stop, sums[throws + i]) if throw else stop
        scale *= THROW_SCALE
        for step in range(tables.sum_recipe.shape[0]):
            r = tables.sum_recipe[step]
            add_six(sums, r[0], sums, r[1], r[2], r[3], r[4], r[5], r[6])
        if throw + 2 < tables.throws:
            ways = 1
            for size in range(NUMBER_OF_DICE):
                for i in range(_u64(_FIRST_HANDS[size] * LANES), _u64(_FIRST_HANDS[size + 1] * LANES)):
                    best[i] = sums[i] * ways
                ways *= 6


@jit_merged
def follow_recipe(recipe, target, source):
    """Take all steps of a recipe."""
    for step in range(recipe.shape[0]):
        r = recipe[step]
        greatest_of_four(target, r[0], source, r[1], r[2], r[3], r[4])


@jit_inlined
def open_throw(tables, boards, lane, hand, to_come):
    """Return a throw with what the seat may do with it (SP-2, SP-3)."""
    keeps = count_keeps(tables, hand, tables.throws - to_come)
    return Throw(hand, keeps, count_open_squares(tables, boards, lane, hand), to_come)


@jit_merged
def _draw_below(luck, n):
    """Return a number below n by a strategy's own luck; for a single item no luck is drawn."""
    if n < _u64(2):
        return _u64(0)
    seed, block, key, round_, index = luck
    return number_below(random_word(seed, block, key, round_, index), n)


@jit_inlined
def choose_action(tables, boards, lane, turn, throw, luck):
    """Return what `strategies.choose_action` does with a throw in a solved turn; a placement by its square."""
    row = throw.hand - _u64(FIRST_THROW)
    stop = np.int64(turn.plan[(_u64(tables.rows - THROW_COUNT) + row) * _u64(LANES) + lane])
    if throw.keeps:
        sums = turn.sums[throw.to_come - 1]
        best = np.int64(-1)
        equal = first = _u64(0)
        for k in range(throw.keeps):
            keep = _u64(tables.keeps[row, k])
            value = sums[keep * _u64(LANES) + lane] * tables.ways[keep]
            equal = _u64(1) if value > best else equal + _u64(value == best)
            first = keep if value > best else first
            best = max(value, best)
        if not throw.squares or stop * THROW_SCALE**throw.to_come < best:
            further = _draw_below(luck, equal)
            if further == 0:
                return first
            for k in range(throw.keeps):
                keep = _u64(tables.keeps[row, k])
                if keep > first and sums[keep * _u64(LANES) + lane] * tables.ways[keep] == best:
                    further -= _u64(1)
                    if further == 0:
                        return keep
    elif not throw.squares:
        return _u64(DISCARD_ACTION)
    return _choose_best_square(tables, boards, lane, turn.plan, row, stop, luck)


@jit_merged
def _choose_best_square(tables, boards, lane, plan, row, stop, luck):
    """Return the action that places a cube on one of the best open squares, whose value is `stop`."""
    equal = first = _u64(0)
    for i in range(boards.free.shape[1]):
        bits = boards.free[lane, i] & tables.matches[row, i]
        while bits:
            square = _u64(64) * _u64(i) + lowest_bit(bits)
            bits = clear_lowest_bit(bits)
            if plan[square * _u64(LANES) + lane] == stop:
                first = first if equal else square
                equal += _u64(1)
    further = _draw_below(luck, equal)
    if further:
        for square in range(first + _u64(1), _u64(tables.cells.shape[0])):
            bits = boards.free[lane, square >> _u64(6)] & tables.matches[row, square >> _u64(6)]
            if bits >> (square & _u64(63)) & _u64(1) and plan[square * _u64(LANES) + lane] == stop:
                further -= _u64(1)
                if further == 0:
                    return _u64(FIRST_PLACEMENT) + square
    return _u64(FIRST_PLACEMENT) + first
