"""The rules of Spexxx, compiled: clauses SP-2 to SP-12, and what squares are worth kept up to date.

In every compiled function `b` is a `kernel_tables.Board`, `t` a `kernel_position.Table` and `lane` one of its games. A
lane, a seat, a square, a spot and a hand are unsigned: signed indices would be tested for being negative.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.kernel.lines import (
    back,
    compiled,
    completes_block,
    inlined,
    line_bonuses,
    line_points,
    line_value,
    run,
    within,
)
from engine.games.spexxx.kernel.outlook import close, survey, weigh_block
from engine.games.spexxx.kernel.position import (
    BLOCKS,
    DISCARDS,
    LEFT,
    LINE_BONUS,
    LINE_POINTS,
    LINES,
    NOW,
    SCORE,
    TALLY,
)
from engine.games.spexxx.kernel.tables import LANES, NO_BLOCK
from engine.games.spexxx.ruleset import DISCARD, FIRST_SQUARE

POINT: Final = 1000
POTENTIAL: Final = 3
"""As in `strategies.py`."""

_u64 = np.uint64


@intrinsic
def ones(typingctx, bits):  # noqa: ARG001 - how Numba calls it
    """Return how many bits are set."""
    return types.uint64(bits), lambda _context, builder, _signature, args: builder.ctpop(args[0])


@intrinsic
def lowest(typingctx, bits):  # noqa: ARG001 - how Numba calls it
    """Return the number of the lowest bit that is set."""

    def codegen(_context, builder, _signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(bits), codegen


# --- legal actions -----------------------------------------------------------------------------------------------
# They are numbered as in `ruleset.py`, but a placement by its square and not by its cell.


@inlined
def kept(b, hand, throws):
    """SP-2: count the keeps."""
    return _u64(b.keep_counts[hand - _u64(FIRST_THROW)]) if throws < b.throws else _u64(0)


@inlined
def opened(b, t, lane, hand):
    """SP-3: count the squares that a throw opens."""
    found = _u64(0)
    for i in range(t.free.shape[1]):
        found += ones(t.free[lane, i] & b.matches[hand - _u64(FIRST_THROW), i])
    return found


@inlined
def chosen(b, t, lane, hand, keeps, k):
    """Return action k of the legal ones, which are ascending: SP-2, then SP-3, else SP-4."""
    throw = hand - _u64(FIRST_THROW)
    if k < keeps:
        return _u64(b.keeps[throw, k])
    k -= keeps
    for i in range(t.free.shape[1]):
        bits = t.free[lane, i] & b.matches[throw, i]
        here = ones(bits)
        if k < here:
            for _ in range(k):
                bits &= bits - _u64(1)
            return _u64(FIRST_SQUARE) + _u64(64) * _u64(i) + lowest(bits)
        k -= here
    return _u64(DISCARD)


@compiled
def legal(b, t, hand, throws, found):
    """Fill in all legal actions of one game, as the rules number them; return how many there are."""
    keeps = kept(b, hand, throws)
    count = max(keeps + opened(b, t, _u64(0), hand), _u64(1))
    for k in range(count):
        found[k] = chosen(b, t, _u64(0), hand, keeps, k)
        if found[k] >= FIRST_SQUARE:
            found[k] = FIRST_SQUARE + b.cells[found[k] - FIRST_SQUARE]
    return count


# --- placing -----------------------------------------------------------------------------------------------------


@inlined
def placing(b, t, lane, seat, square):
    """SP-3, SP-8 to SP-12: place a cube, and keep all values of squares as they are now."""
    spot = _u64(b.spots[square])
    mine = np.int8(seat + _u64(1))
    tally = t.tally
    surveyed = t.outlook.shape[2] > 0
    if surveyed:
        survey(b, t, lane, spot, -1)
    scored = 0
    for direction in range(4):
        step = b.steps[direction]
        before = run(t.grid, lane, spot, back(step), mine)
        after = run(t.grid, lane, spot, step, mine)
        if before + after >= 2:
            points = line_points(b.points, spot, step, before, after)
            bonuses = line_bonuses(before, after)
            tally[lane, seat, LINES] += 1 - (before >= 3) - (after >= 3)
            tally[lane, seat, LINE_POINTS] += points
            tally[lane, seat, LINE_BONUS] += bonuses
            scored += points + b.line_bonus * bonuses
        if t.potential[seat] >= 0:
            _revalue_ends(b, t, lane, seat, spot, step, before, after)
    block = completes_block(b, t, lane, seat, spot)
    if block:
        tally[lane, seat, BLOCKS] += 1
        scored += b.block_bonus
    tally[lane, seat, SCORE] += scored
    tally[lane, seat, LEFT] -= 1
    _revalue_potential(b, t, lane, seat, square)
    t.grid[lane, spot] = mine
    t.free[lane, square >> _u64(6)] &= ~(_u64(1) << (square & _u64(63)))
    for k in range(9):
        _count_block(b, t, lane, seat, spot - b.corners[k])
    if surveyed:
        survey(b, t, lane, spot, 1)
        close(t, lane, square)
    if block:
        for k in range(9):
            t.counted[lane, seat, block + b.inside[k]] = 1
        for k in range(25):  # no further block with a square of this one
            _close_block(b, t, lane, seat, block + b.around[k])
    for other in range(t.potential.shape[0]):
        if t.potential[other] >= 0:
            t.worth[other, square * _u64(LANES) + lane] = 0


@compiled
def place(b, t, lane, seat, square):
    """Place a cube, where `placing` would be too much to be compiled once more."""
    placing(b, t, lane, seat, square)


@inlined
def lay(t, lane, of, there):
    """Let one game lie on the table as another does: all but values, outlooks, and `counted`, which nothing reads."""
    for spot in range(t.grid.shape[1]):
        t.grid[lane, spot] = of.grid[there, spot]
    for i in range(t.free.shape[1]):
        t.free[lane, i] = of.free[there, i]
    for seat in range(t.potential.shape[0]):
        for spot in range(t.grid.shape[1]):
            t.blocks[lane, seat, spot] = of.blocks[there, seat, spot]
        for column in range(TALLY):
            t.tally[lane, seat, column] = of.tally[there, seat, column]


@compiled
def discard(t, lane, seat):
    """SP-4."""
    t.tally[lane, seat, LEFT] -= 1
    t.tally[lane, seat, DISCARDS] += 1


@inlined
def _count_block(b, t, lane, seat, corner):
    """SP-12: one cube more in a block; when only one is missing its square is worth the bonus, if no other is."""
    cubes = t.blocks[lane, seat, corner] + 1
    t.blocks[lane, seat, corner] = cubes
    if cubes == 8:
        _revalue_block(b, t, lane, seat, corner, 1, b.block_bonus)


@within
def _close_block(b, t, lane, seat, corner):
    """SP-12: a block that cannot count any more; the square that would have completed it loses the bonus."""
    cubes = t.blocks[lane, seat, corner]
    if t.outlook.shape[2] > 0:
        weigh_block(b, t, lane, seat, corner, -1)
    t.blocks[lane, seat, corner] = NO_BLOCK
    if cubes == 8:
        _revalue_block(b, t, lane, seat, corner, 0, -b.block_bonus)


# --- what squares are worth --------------------------------------------------------------------------------------


@inlined
def _revalue(b, t, lane, seat, spot, change):
    """Change what the square on a spot is worth to a seat."""
    t.worth[seat, _u64(b.square_at[spot]) * _u64(LANES) + lane] += np.int32(change)


@inlined
def _revalue_ends(b, t, lane, seat, spot, step, before, after):
    """Raise the values of the two squares at the ends of the line that a cube is about to make or make longer."""
    mine = np.int8(seat + _u64(1))
    for _ in range(2):  # with the line and against it
        end = spot + _u64(after + 1) * step
        if t.grid[lane, end] == 0:
            beyond = run(t.grid, lane, end, step, mine)
            joined = before + 1 + after
            if joined + beyond >= 2:
                now = line_value(b, end, back(step), beyond, after)
                then = line_value(b, end, back(step), beyond, joined)
                _revalue(b, t, lane, seat, end, POINT * (then - now))
        before, after = after, before
        step = back(step)


@within
def _revalue_block(b, t, lane, seat, corner, others, change):
    """Change the value of a block's missing square, if so many blocks wait for it."""
    mine = np.int8(seat + _u64(1))
    for k in range(9):
        missing = corner + b.inside[k]
        if t.grid[lane, missing] != mine:
            waiting = 0
            for block in range(9):
                waiting += t.blocks[lane, seat, missing - b.corners[block]] == 8
            if t.grid[lane, missing] == 0 and waiting == others:
                if t.potential[seat] >= 0:
                    _revalue(b, t, lane, seat, missing, POINT * change)
                if t.outlook.shape[2] > 0:
                    i = _u64(b.square_at[missing]) * _u64(LANES) + lane
                    t.outlook[NOW, seat, i] += np.int32(change)


@inlined
def _revalue_potential(b, t, lane, seat, square):
    """Change the potential of the squares in line with a cube that is about to be placed.

    Lines without a cube weigh 1 tenth for everybody, those with one cube 10 for its seat, all others nothing.
    """
    for k in range(12):
        points = b.line_points[square, k]
        one, other = _u64(b.lines[square, k, 0]), _u64(b.lines[square, k, 1])
        if one == 0:
            return
        on_one, on_other = t.grid[lane, one], t.grid[lane, other]
        if on_one == 0 and on_other == 0:
            for who in range(t.potential.shape[0]):
                if t.potential[who] >= 0:
                    change = t.potential[who] * points * (9 if who == np.int64(seat) else -1)
                    _revalue(b, t, lane, _u64(who), one, change)
                    _revalue(b, t, lane, _u64(who), other, change)
        elif on_one == 0 or on_other == 0:
            owner = _u64(on_one + on_other - 1)
            if t.potential[owner] >= 0:
                end = one if on_one == 0 else other
                _revalue(b, t, lane, owner, end, -10 * t.potential[owner] * points)


@within
def _value(b, t, lane, seat, square):
    """Return what a cube on a free square is worth, from the definition: `strategies.square_values`."""
    spot, mine = _u64(b.spots[square]), np.int8(seat + _u64(1))
    tenths = 0
    for k in range(12):
        on_one = t.grid[lane, _u64(b.lines[square, k, 0])]
        on_other = t.grid[lane, _u64(b.lines[square, k, 1])]
        if on_one == 0 and on_other == 0:
            tenths += b.line_points[square, k]
        elif on_one + on_other == mine and on_one * on_other == 0:
            tenths += 10 * b.line_points[square, k]
    scored = 0
    for direction in range(4):
        step = b.steps[direction]
        scored += line_value(
            b, spot, step, run(t.grid, lane, spot, back(step), mine), run(t.grid, lane, spot, step, mine)
        )
    if completes_block(b, t, lane, seat, spot):
        scored += b.block_bonus
    return POINT * scored + t.potential[seat] * tenths


@compiled
def value_squares(b, t, potential, valued):
    """Fill in the values of all free squares to greedy seats: (seats, squares)."""
    for seat in range(potential.shape[0]):
        t.potential[seat] = potential[seat]
        for square in range(b.cells.shape[0]):
            if potential[seat] >= 0 and t.grid[0, b.spots[square]] == 0:
                valued[seat, square] = _value(b, t, _u64(0), _u64(seat), _u64(square))
