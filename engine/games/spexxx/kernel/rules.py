"""The rules of Spexxx, compiled: clauses SP-2 to SP-12. Every placed cube also updates what the squares are worth."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.kernel.outlook import (
    LineRuns,
    add_block_outlook,
    add_spot_outlook,
    close_square,
    completed_block_corner,
    line_bonuses,
    line_points,
    line_runs,
    line_value,
    opposite_step,
    run_length,
)
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
from engine.kernels.bits import count_bits, nth_bit
from engine.kernels.compiling import jit_entry, jit_inlined, jit_internal

THOUSANDTHS_PER_POINT: Final = 1000
POTENTIAL_WEIGHT: Final = 3
"""As in `strategies.py`."""

_u64 = np.uint64


# Legal actions --------------------------------------------------------------------------------------------------------
# They are numbered as in `ruleset.py`, but a placement has the number of its square instead of its cell.


@jit_inlined
def count_keeps(tables, hand, throws):
    """Return how many hands may be kept of a throw (SP-2)."""
    return _u64(tables.keep_counts[hand - _u64(FIRST_THROW)]) if throws < tables.throws else _u64(0)


@jit_inlined
def count_open_squares(tables, boards, lane, hand):
    """Return how many free squares a throw matches (SP-3)."""
    total = _u64(0)
    for i in range(boards.free.shape[1]):
        total += count_bits(boards.free[lane, i] & tables.matches[hand - _u64(FIRST_THROW), i])
    return total


@jit_inlined
def nth_action(tables, boards, lane, hand, keeps, k):
    """Return action k of the legal ones, ascending: keeps (SP-2), then placements (SP-3), or else a discard (SP-4)."""
    throw = hand - _u64(FIRST_THROW)
    if k < keeps:
        return _u64(tables.keeps[throw, k])
    k -= keeps
    for i in range(boards.free.shape[1]):
        bits = boards.free[lane, i] & tables.matches[throw, i]
        in_word = count_bits(bits)
        if k < in_word:
            return _u64(FIRST_PLACEMENT) + _u64(64) * _u64(i) + nth_bit(bits, k)
        k -= in_word
    return _u64(DISCARD_ACTION)


@jit_entry
def list_legal_actions(tables, boards, hand, throws, actions):
    """Write all legal actions of one game, as the rules number them, into `actions`; return how many there are."""
    keeps = count_keeps(tables, hand, throws)
    count = max(keeps + count_open_squares(tables, boards, _u64(0), hand), _u64(1))
    for k in range(count):
        actions[k] = nth_action(tables, boards, _u64(0), hand, keeps, k)
        if actions[k] >= FIRST_PLACEMENT:
            actions[k] = FIRST_PLACEMENT + tables.cells[actions[k] - FIRST_PLACEMENT]
    return count


# Cubes ----------------------------------------------------------------------------------------------------------------


@jit_inlined
def place_cube_inlined(tables, boards, lane, seat, square):
    """Place a cube (SP-3, SP-8 to SP-12), and update all values of squares."""
    spot = _u64(tables.spots[square])
    mine = np.int8(seat + _u64(1))
    tally = boards.tally
    has_outlook = boards.outlook.shape[2] > 0
    if has_outlook:
        add_spot_outlook(tables, boards, lane, spot, -1)
    scored = 0
    for direction in range(4):
        step = tables.steps[direction]
        runs = line_runs(boards.grid, lane, spot, step, mine)
        if runs.before + runs.after >= 2:
            points = line_points(tables.points, spot, runs)
            bonuses = line_bonuses(runs)
            tally[lane, seat, TALLY_LINES] += 1 - (runs.before >= 3) - (runs.after >= 3)
            tally[lane, seat, TALLY_LINE_POINTS] += points
            tally[lane, seat, TALLY_LINE_BONUS] += bonuses
            scored += points + tables.line_bonus * bonuses
        if boards.potential[seat] >= 0:
            _revalue_ends(tables, boards, lane, seat, spot, runs)
    block = completed_block_corner(tables, boards, lane, seat, spot)
    if block:
        tally[lane, seat, TALLY_BLOCKS] += 1
        scored += tables.block_bonus
    tally[lane, seat, TALLY_SCORE] += scored
    tally[lane, seat, TALLY_CUBES_LEFT] -= 1
    _revalue_potential(tables, boards, lane, seat, square)
    boards.grid[lane, spot] = mine
    boards.free[lane, square >> _u64(6)] &= ~(_u64(1) << (square & _u64(63)))
    for k in range(9):
        _add_cube_to_block(tables, boards, lane, seat, spot - tables.corners[k])
    if has_outlook:
        add_spot_outlook(tables, boards, lane, spot, 1)
        close_square(boards, lane, square)
    if block:
        for k in range(9):
            boards.counted[lane, seat, block + tables.inside[k]] = 1
        for k in range(25):  # blocks that share a square with it cannot count any more
            _close_block(tables, boards, lane, seat, block + tables.around[k])
    for other in range(boards.potential.shape[0]):
        if boards.potential[other] >= 0:
            boards.worth[other, square * _u64(LANES) + lane] = 0


@jit_entry
def place_cube(tables, boards, lane, seat, square):
    """Place a cube as `place_cube_inlined` does, which takes long to compile into each of its callers."""
    place_cube_inlined(tables, boards, lane, seat, square)


@jit_inlined
def copy_lane(boards, lane, source, source_lane):
    """Copy the board of one game to another: not its values and outlook, nor `counted`, which compiled code never reads."""
    for spot in range(boards.grid.shape[1]):
        boards.grid[lane, spot] = source.grid[source_lane, spot]
    for i in range(boards.free.shape[1]):
        boards.free[lane, i] = source.free[source_lane, i]
    for seat in range(boards.potential.shape[0]):
        for spot in range(boards.grid.shape[1]):
            boards.blocks[lane, seat, spot] = source.blocks[source_lane, seat, spot]
        for column in range(TALLY_COLUMNS):
            boards.tally[lane, seat, column] = source.tally[source_lane, seat, column]


@jit_entry
def discard_cube(boards, lane, seat):
    """Discard a cube (SP-4)."""
    boards.tally[lane, seat, TALLY_CUBES_LEFT] -= 1
    boards.tally[lane, seat, TALLY_DISCARDS] += 1


@jit_inlined
def _add_cube_to_block(tables, boards, lane, seat, corner):
    """Add a cube to a block (SP-12). If one cube is missing then, its square is worth the bonus, unless it was already."""
    cubes = boards.blocks[lane, seat, corner] + 1
    boards.blocks[lane, seat, corner] = cubes
    if cubes == 8:
        _revalue_block(tables, boards, lane, seat, corner, 1, tables.block_bonus)


@jit_internal
def _close_block(tables, boards, lane, seat, corner):
    """Mark a block that cannot count any more (SP-12). The square that would have completed it loses the bonus."""
    cubes = boards.blocks[lane, seat, corner]
    if boards.outlook.shape[2] > 0:
        add_block_outlook(tables, boards, lane, seat, corner, -1)
    boards.blocks[lane, seat, corner] = NO_BLOCK
    if cubes == 8:
        _revalue_block(tables, boards, lane, seat, corner, 0, -tables.block_bonus)


# What squares are worth -----------------------------------------------------------------------------------------------


@jit_inlined
def _revalue_spot(tables, boards, lane, seat, spot, change):
    """Change what the square on a spot is worth to a seat."""
    boards.worth[seat, _u64(tables.square_at[spot]) * _u64(LANES) + lane] += np.int32(change)


@jit_inlined
def _revalue_ends(tables, boards, lane, seat, spot, runs):
    """Raise the values of the two squares at the ends of the line that a cube is about to start or to lengthen."""
    step, before, after = runs
    mine = np.int8(seat + _u64(1))
    for _ in range(2):  # with the line and against it
        end = spot + _u64(after + 1) * step
        if boards.grid[lane, end] == 0:
            beyond = run_length(boards.grid, lane, end, step, mine)
            joined = before + 1 + after
            if joined + beyond >= 2:
                back = opposite_step(step)
                now = line_value(tables, end, LineRuns(back, beyond, after))
                then = line_value(tables, end, LineRuns(back, beyond, joined))
                _revalue_spot(tables, boards, lane, seat, end, THOUSANDTHS_PER_POINT * (then - now))
        before, after = after, before
        step = opposite_step(step)


@jit_internal
def _revalue_block(tables, boards, lane, seat, corner, waiting_before, change):
    """Change the value of a block's missing square, if it completes exactly `waiting_before` blocks now."""
    mine = np.int8(seat + _u64(1))
    for k in range(9):
        missing = corner + tables.inside[k]
        if boards.grid[lane, missing] != mine:
            waiting = 0
            for block in range(9):
                waiting += boards.blocks[lane, seat, missing - tables.corners[block]] == 8
            if boards.grid[lane, missing] == 0 and waiting == waiting_before:
                if boards.potential[seat] >= 0:
                    _revalue_spot(tables, boards, lane, seat, missing, THOUSANDTHS_PER_POINT * change)
                if boards.outlook.shape[2] > 0:
                    i = _u64(tables.square_at[missing]) * _u64(LANES) + lane
                    boards.outlook[OUTLOOK_NOW, seat, i] += np.int32(change)


@jit_inlined
def _revalue_potential(tables, boards, lane, seat, square):
    """Change the potential of the squares in line with a cube that is about to be placed.

    Lines of three without a cube weigh 1 tenth for every seat, those with one cube 10 tenths for its seat, others none.
    """
    for k in range(12):
        points = tables.line_points[square, k]
        first, second = _u64(tables.lines[square, k, 0]), _u64(tables.lines[square, k, 1])
        if first == 0:
            return
        on_first, on_second = boards.grid[lane, first], boards.grid[lane, second]
        if on_first == 0 and on_second == 0:
            for other in range(boards.potential.shape[0]):
                if boards.potential[other] >= 0:
                    change = boards.potential[other] * points * (9 if other == np.int64(seat) else -1)
                    _revalue_spot(tables, boards, lane, _u64(other), first, change)
                    _revalue_spot(tables, boards, lane, _u64(other), second, change)
        elif on_first == 0 or on_second == 0:
            owner = _u64(on_first + on_second - 1)
            if boards.potential[owner] >= 0:
                end = first if on_first == 0 else second
                _revalue_spot(tables, boards, lane, owner, end, -10 * boards.potential[owner] * points)


@jit_internal
def _square_value(tables, boards, lane, seat, square):
    """Return what a cube on a free square is worth, by its definition in `strategies.square_values`."""
    spot, mine = _u64(tables.spots[square]), np.int8(seat + _u64(1))
    tenths = 0
    for k in range(12):
        on_first = boards.grid[lane, _u64(tables.lines[square, k, 0])]
        on_second = boards.grid[lane, _u64(tables.lines[square, k, 1])]
        if on_first == 0 and on_second == 0:
            tenths += tables.line_points[square, k]
        elif on_first + on_second == mine and on_first * on_second == 0:
            tenths += 10 * tables.line_points[square, k]
    scored = 0
    for direction in range(4):
        runs = line_runs(boards.grid, lane, spot, tables.steps[direction], mine)
        scored += line_value(tables, spot, runs)
    if completed_block_corner(tables, boards, lane, seat, spot):
        scored += tables.block_bonus
    return THOUSANDTHS_PER_POINT * scored + boards.potential[seat] * tenths


@jit_entry
def value_squares(tables, boards, potential, values):
    """Write the values of all free squares to greedy seats into `values`: (seats, squares), for the boards of one game.

    `potential` becomes that of the boards.
    """
    for seat in range(potential.shape[0]):
        boards.potential[seat] = potential[seat]
        for square in range(tables.cells.shape[0]):
            if potential[seat] >= 0 and boards.grid[0, tables.spots[square]] == 0:
                values[seat, square] = _square_value(tables, boards, _u64(0), _u64(seat), _u64(square))
