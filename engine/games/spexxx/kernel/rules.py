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
    completed_block_corner,
    jit_entry,
    jit_inlined,
    jit_internal,
    line_bonuses,
    line_points,
    line_value,
    opposite_step,
    run_length,
)
from engine.games.spexxx.kernel.outlook import add_block_outlook, add_spot_outlook, close_square
from engine.games.spexxx.kernel.position import (
    OUTLOOK_NOW,
    TALLY_BLOCKS,
    TALLY_COLUMNS,
    TALLY_CUBES_LEFT,
    TALLY_DISCARDS,
    TALLY_LINE_BONUS,
    TALLY_LINE_POINTS,
    TALLY_LINES,
    TALLY_SCORE,
)
from engine.games.spexxx.kernel.tables import LANES, NO_BLOCK
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT

THOUSANDTHS_PER_POINT: Final = 1000
POTENTIAL_WEIGHT: Final = 3
"""As in `strategies.py`."""

_u64 = np.uint64


@intrinsic
def count_bits(typingctx, bits):  # noqa: ARG001 - how Numba calls it
    """Return how many bits are set."""
    return types.uint64(bits), lambda _context, builder, _signature, args: builder.ctpop(args[0])


@intrinsic
def lowest_bit(typingctx, bits):  # noqa: ARG001 - how Numba calls it
    """Return the number of the lowest bit that is set."""

    def codegen(_context, builder, _signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(bits), codegen


# --- legal actions -----------------------------------------------------------------------------------------------
# They are numbered as in `ruleset.py`, but a placement by its square and not by its cell.


@jit_inlined
def count_keeps(b, hand, throws):
    """SP-2: count the keeps."""
    return _u64(b.keep_counts[hand - _u64(FIRST_THROW)]) if throws < b.throws else _u64(0)


@jit_inlined
def count_open_squares(b, t, lane, hand):
    """SP-3: count the squares that a throw opens."""
    found = _u64(0)
    for i in range(t.free.shape[1]):
        found += count_bits(t.free[lane, i] & b.matches[hand - _u64(FIRST_THROW), i])
    return found


@jit_inlined
def nth_action(b, t, lane, hand, keeps, k):
    """Return action k of the legal ones, which are ascending: SP-2, then SP-3, else SP-4."""
    throw = hand - _u64(FIRST_THROW)
    if k < keeps:
        return _u64(b.keeps[throw, k])
    k -= keeps
    for i in range(t.free.shape[1]):
        bits = t.free[lane, i] & b.matches[throw, i]
        here = count_bits(bits)
        if k < here:
            for _ in range(k):
                bits &= bits - _u64(1)
            return _u64(FIRST_PLACEMENT) + _u64(64) * _u64(i) + lowest_bit(bits)
        k -= here
    return _u64(DISCARD_ACTION)


@jit_entry
def list_legal_actions(b, t, hand, throws, found):
    """Fill in all legal actions of one game, as the rules number them; return how many there are."""
    keeps = count_keeps(b, hand, throws)
    count = max(keeps + count_open_squares(b, t, _u64(0), hand), _u64(1))
    for k in range(count):
        found[k] = nth_action(b, t, _u64(0), hand, keeps, k)
        if found[k] >= FIRST_PLACEMENT:
            found[k] = FIRST_PLACEMENT + b.cells[found[k] - FIRST_PLACEMENT]
    return count


# --- placing -----------------------------------------------------------------------------------------------------


@jit_inlined
def place_cube_inlined(b, t, lane, seat, square):
    """SP-3, SP-8 to SP-12: place a cube, and keep all values of squares as they are now."""
    spot = _u64(b.spots[square])
    mine = np.int8(seat + _u64(1))
    tally = t.tally
    surveyed = t.outlook.shape[2] > 0
    if surveyed:
        add_spot_outlook(b, t, lane, spot, -1)
    scored = 0
    for direction in range(4):
        step = b.steps[direction]
        before = run_length(t.grid, lane, spot, opposite_step(step), mine)
        after = run_length(t.grid, lane, spot, step, mine)
        if before + after >= 2:
            points = line_points(b.points, spot, step, before, after)
            bonuses = line_bonuses(before, after)
            tally[lane, seat, TALLY_LINES] += 1 - (before >= 3) - (after >= 3)
            tally[lane, seat, TALLY_LINE_POINTS] += points
            tally[lane, seat, TALLY_LINE_BONUS] += bonuses
            scored += points + b.line_bonus * bonuses
        if t.potential[seat] >= 0:
            _revalue_ends(b, t, lane, seat, spot, step, before, after)
    block = completed_block_corner(b, t, lane, seat, spot)
    if block:
        tally[lane, seat, TALLY_BLOCKS] += 1
        scored += b.block_bonus
    tally[lane, seat, TALLY_SCORE] += scored
    tally[lane, seat, TALLY_CUBES_LEFT] -= 1
    _revalue_potential(b, t, lane, seat, square)
    t.grid[lane, spot] = mine
    t.free[lane, square >> _u64(6)] &= ~(_u64(1) << (square & _u64(63)))
    for k in range(9):
        _add_cube_to_block(b, t, lane, seat, spot - b.corners[k])
    if surveyed:
        add_spot_outlook(b, t, lane, spot, 1)
        close_square(t, lane, square)
    if block:
        for k in range(9):
            t.counted[lane, seat, block + b.inside[k]] = 1
        for k in range(25):  # no further block with a square of this one
            _close_block(b, t, lane, seat, block + b.around[k])
    for other in range(t.potential.shape[0]):
        if t.potential[other] >= 0:
            t.worth[other, square * _u64(LANES) + lane] = 0


@jit_entry
def place_cube(b, t, lane, seat, square):
    """Place a cube, where `place_cube_inlined` would be too much to be compiled once more."""
    place_cube_inlined(b, t, lane, seat, square)


@jit_inlined
def copy_lane(t, lane, of, there):
    """Let one game lie on the table as another does: all but values, outlooks, and `counted`, which nothing reads."""
    for spot in range(t.grid.shape[1]):
        t.grid[lane, spot] = of.grid[there, spot]
    for i in range(t.free.shape[1]):
        t.free[lane, i] = of.free[there, i]
    for seat in range(t.potential.shape[0]):
        for spot in range(t.grid.shape[1]):
            t.blocks[lane, seat, spot] = of.blocks[there, seat, spot]
        for column in range(TALLY_COLUMNS):
            t.tally[lane, seat, column] = of.tally[there, seat, column]


@jit_entry
def discard_cube(t, lane, seat):
    """SP-4."""
    t.tally[lane, seat, TALLY_CUBES_LEFT] -= 1
    t.tally[lane, seat, TALLY_DISCARDS] += 1


@jit_inlined
def _add_cube_to_block(b, t, lane, seat, corner):
    """SP-12: one cube more in a block; when only one is missing its square is worth the bonus, if no other is."""
    cubes = t.blocks[lane, seat, corner] + 1
    t.blocks[lane, seat, corner] = cubes
    if cubes == 8:
        _revalue_block(b, t, lane, seat, corner, 1, b.block_bonus)


@jit_internal
def _close_block(b, t, lane, seat, corner):
    """SP-12: a block that cannot count any more; the square that would have completed it loses the bonus."""
    cubes = t.blocks[lane, seat, corner]
    if t.outlook.shape[2] > 0:
        add_block_outlook(b, t, lane, seat, corner, -1)
    t.blocks[lane, seat, corner] = NO_BLOCK
    if cubes == 8:
        _revalue_block(b, t, lane, seat, corner, 0, -b.block_bonus)


# --- what squares are worth --------------------------------------------------------------------------------------


@jit_inlined
def _revalue_spot(b, t, lane, seat, spot, change):
    """Change what the square on a spot is worth to a seat."""
    t.worth[seat, _u64(b.square_at[spot]) * _u64(LANES) + lane] += np.int32(change)


@jit_inlined
def _revalue_ends(b, t, lane, seat, spot, step, before, after):
    """Raise the values of the two squares at the ends of the line that a cube is about to make or make longer."""
    mine = np.int8(seat + _u64(1))
    for _ in range(2):  # with the line and against it
        end = spot + _u64(after + 1) * step
        if t.grid[lane, end] == 0:
            beyond = run_length(t.grid, lane, end, step, mine)
            joined = before + 1 + after
            if joined + beyond >= 2:
                now = line_value(b, end, opposite_step(step), beyond, after)
                then = line_value(b, end, opposite_step(step), beyond, joined)
                _revalue_spot(b, t, lane, seat, end, THOUSANDTHS_PER_POINT * (then - now))
        before, after = after, before
        step = opposite_step(step)


@jit_internal
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
                    _revalue_spot(b, t, lane, seat, missing, THOUSANDTHS_PER_POINT * change)
                if t.outlook.shape[2] > 0:
                    i = _u64(b.square_at[missing]) * _u64(LANES) + lane
                    t.outlook[OUTLOOK_NOW, seat, i] += np.int32(change)


@jit_inlined
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
                    _revalue_spot(b, t, lane, _u64(who), one, change)
                    _revalue_spot(b, t, lane, _u64(who), other, change)
        elif on_one == 0 or on_other == 0:
            owner = _u64(on_one + on_other - 1)
            if t.potential[owner] >= 0:
                end = one if on_one == 0 else other
                _revalue_spot(b, t, lane, owner, end, -10 * t.potential[owner] * points)


@jit_internal
def _square_value(b, t, lane, seat, square):
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
            b,
            spot,
            step,
            run_length(t.grid, lane, spot, opposite_step(step), mine),
            run_length(t.grid, lane, spot, step, mine),
        )
    if completed_block_corner(b, t, lane, seat, spot):
        scored += b.block_bonus
    return THOUSANDTHS_PER_POINT * scored + t.potential[seat] * tenths


@jit_entry
def value_squares(b, t, potential, valued):
    """Fill in the values of all free squares to greedy seats: (seats, squares)."""
    for seat in range(potential.shape[0]):
        t.potential[seat] = potential[seat]
        for square in range(b.cells.shape[0]):
            if potential[seat] >= 0 and t.grid[0, b.spots[square]] == 0:
                valued[seat, square] = _square_value(b, t, _u64(0), _u64(seat), _u64(square))
