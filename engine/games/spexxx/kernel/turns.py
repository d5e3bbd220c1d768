"""How all but the random player go through a turn, compiled: it is solved in LANES games at once.

Whatever the solution adds or compares is a *row* of LANES numbers, one of each game, and a row is a few vector
instructions. Numba knows no vectors: `add_six` and `greatest_of_four` are given to the compiler in its own terms.

Whole numbers as in `turn.py`: values of squares in thousandths of a point, of keeps with r throws to come in
1 / SCALE**r of them. Up to four throws they fit 64 bits whatever the ruleset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.games.spexxx.dice import FIRST_THROW, HANDS, NUMBER_OF_DICE
from engine.games.spexxx.kernel.lines import jit_entry, jit_inlined, jit_merged
from engine.games.spexxx.kernel.rules import lowest_bit
from engine.games.spexxx.kernel.tables import LANES
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT
from engine.kernels.luck import counter_key, number_below, random_word
from engine.luck import PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

_u64 = np.uint64
_THROW_COUNT: Final = len(HANDS) - FIRST_THROW
_SCALE: Final = 6**NUMBER_OF_DICE
_HAND_SPANS: Final = np.array([0, 1, 7, 28, 84, 210])
"""Where hands of none, one, ... dice begin."""


class SolvedTurn(NamedTuple):
    """A turn solved, in all lanes."""

    sums: NDArray[np.int64]
    """(throws to come - 1, hands x LANES) Sum over the dice still to be thrown, without 6 for each kept."""
    best: NDArray[np.int64]
    """(hands and more x LANES) Value of the best keep of a hand."""


def _emit_fold(fold, builder, context, signature, args):
    """Compile `into[row] = fold(table[a], table[b], ...)` on rows of LANES numbers, named by the first of them.

    A plain loop over lanes does not become vector instructions, because the rows might overlap.
    """

    def row_pointer(array, type_, row, row_type):
        first = context.cast(builder, row, row_type, types.uintp)
        data = context.make_array(type_)(context, builder, array).data
        vector = ir.VectorType(context.get_value_type(type_.dtype), LANES)
        return builder.bitcast(builder.gep(data, [first]), vector.as_pointer())

    into, row, table, *others = args
    into_type, row_type, table_type, *other_types = signature.args
    align = table_type.dtype.bitwidth // 8
    rows = [
        builder.load(row_pointer(table, table_type, one, type_), align=align)
        for one, type_ in zip(others, other_types, strict=True)
    ]
    while len(rows) > 1:  # two by two, so that they do not wait for one another
        rows = [*rows[2:], fold(builder, *rows[:2])]
    builder.store(rows[0], row_pointer(into, into_type, row, row_type), align=align)
    return context.get_dummy_value()


def _emit_sum(builder, one, other):
    return builder.add(one, other)


def _emit_greatest(builder, one, other):
    return builder.select(builder.icmp_signed(">", one, other), one, other)


@intrinsic
def add_six(typingctx, into, row, table, a, b, c, d, e, f):  # noqa: ARG001 - how Numba calls it
    """Let a row become the sum of six others."""

    def codegen(context, builder, signature, args):
        return _emit_fold(_emit_sum, builder, context, signature, args)

    return types.void(into, row, table, a, b, c, d, e, f), codegen


@intrinsic
def greatest_of_four(typingctx, into, row, table, a, b, c, d):  # noqa: ARG001 - as above
    """Let a row become the greatest of four others, lane by lane."""

    def codegen(context, builder, signature, args):
        return _emit_fold(_emit_greatest, builder, context, signature, args)

    return types.void(into, row, table, a, b, c, d), codegen


@jit_entry
def solve_turn(b, plan, solved):
    """Value every throw and every keep in all lanes, for the values of squares: `turn.keeping`."""
    _follow_recipe(b.stopping, plan, plan)
    best = solved.best
    throws, stops = _u64(FIRST_THROW * LANES), _u64((b.rows - _THROW_COUNT) * LANES)
    scale = 1
    for throw in range(b.throws - 1):
        sums = solved.sums[throw]
        if throw:
            _follow_recipe(b.raising, best, best)
            _follow_recipe(b.answering, sums, best)
        for i in range(_u64(_THROW_COUNT * LANES)):
            stop = plan[stops + i] * np.int64(np.int32(scale))  # a product of 32-bit numbers is quicker
            sums[throws + i] = max(stop, sums[throws + i]) if throw else stop
        scale *= _SCALE
        for step in range(b.adding.shape[0]):
            r = b.adding[step]
            add_six(sums, r[0], sums, r[1], r[2], r[3], r[4], r[5], r[6])
        if throw + 2 < b.throws:
            ways = 1
            for size in range(NUMBER_OF_DICE):
                for i in range(_u64(_HAND_SPANS[size] * LANES), _u64(_HAND_SPANS[size + 1] * LANES)):
                    best[i] = sums[i] * ways
                ways *= 6


@jit_merged
def _follow_recipe(recipe, into, table):
    """Take all steps of a recipe."""
    for step in range(recipe.shape[0]):
        r = recipe[step]
        greatest_of_four(into, r[0], table, r[1], r[2], r[3], r[4])


@jit_merged
def _draw_below(luck, seat, n):
    """Return a number below n by the own luck of a strategy; a single item costs no luck.

    `luck`: seed, block, round and the index of the decision's first draw.
    """
    if n < _u64(2):
        return _u64(0)
    seed, block, round_, index = luck
    return number_below(
        random_word(seed, block, counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1)), round_, index), n
    )


@jit_inlined
def choose_action(b, t, plan, solved, lane, seat, hand, kept, opened, to_come, luck):
    """Answer a throw as `strategies.decide` does, for a plan that is solved."""
    throw = hand - _u64(FIRST_THROW)
    stop = np.int64(plan[(_u64(b.rows - _THROW_COUNT) + throw) * _u64(LANES) + lane])
    if kept:
        sums = solved.sums[to_come - 1]
        best = np.int64(-1)
        equal = first = _u64(0)
        for k in range(kept):
            keep = _u64(b.keeps[throw, k])
            value = sums[keep * _u64(LANES) + lane] * b.ways[keep]
            equal = _u64(1) if value > best else equal + _u64(value == best)
            first = keep if value > best else first
            best = max(value, best)
        if not opened or stop * _SCALE**to_come < best:
            further = _draw_below(luck, seat, equal)
            if further == 0:
                return first
            for k in range(kept):
                keep = _u64(b.keeps[throw, k])
                if keep > first and sums[keep * _u64(LANES) + lane] * b.ways[keep] == best:
                    further -= _u64(1)
                    if further == 0:
                        return keep
    elif not opened:
        return _u64(DISCARD_ACTION)
    return _choose_best_square(b, t, plan, lane, seat, throw, stop, luck)


@jit_merged
def _choose_best_square(b, t, plan, lane, seat, throw, stop, luck):
    """Return one of the open squares that are worth most."""
    equal = first = _u64(0)
    for i in range(t.free.shape[1]):
        bits = t.free[lane, i] & b.matches[throw, i]
        while bits:
            square = _u64(64) * _u64(i) + lowest_bit(bits)
            bits &= bits - _u64(1)
            if plan[square * _u64(LANES) + lane] == stop:
                first = first if equal else square
                equal += _u64(1)
    further = _draw_below(luck, seat, equal)
    if further:
        for square in range(first + _u64(1), _u64(b.cells.shape[0])):
            bits = t.free[lane, square >> _u64(6)] & b.matches[throw, square >> _u64(6)]
            if bits >> (square & _u64(63)) & _u64(1) and plan[square * _u64(LANES) + lane] == stop:
                further -= _u64(1)
                if further == 0:
                    return _u64(FIRST_PLACEMENT) + square
    return _u64(FIRST_PLACEMENT) + first
