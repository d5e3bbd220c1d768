"""The strategies `greedy` and `noisy` of Blokus, compiled: the same choices as in `strategies.py`."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus.kernel.position import COLOUR_COVERED, COLOUR_END_CHUNK, COLOUR_FIRST_CHUNK
from engine.games.blokus.kernel.rules import chunk_spots, count_members, legal_big, legal_small
from engine.games.blokus.kernel.tables import (
    CHUNK_SPOTS,
    NEIGHBOURHOOD_SIDE,
    ORIENTATION_SQUARES,
    ORIENTATION_SUM_SQUARED,
    ORIENTATION_SUM_X,
    ORIENTATION_SUM_Y,
    SMALL_ORIENTATIONS,
    WINDOW_CORNERS,
)
from engine.games.blokus.kernel.workspace import SPOT_STRIDE
from engine.kernels.bits import lowest_bit
from engine.kernels.compiling import jit_inlined, jit_internal
from engine.kernels.luck import normal_number, number_below, random_word

_u64: Final = np.uint64
_1: Final = _u64(1)

_UNITS_PER_SQUARE: Final = 1 << 20
_UNITS_PER_CORNER_POINT: Final = 1 << 16


@jit_inlined
def mark_untouched_squares(position, tables, colour, workspace):
    """Write to `workspace.untouched` the empty squares that no piece of the colour touches at an edge or a corner."""
    board = (_1 << _u64(tables.side + 1)) - _u64(2)
    for row in range(1, tables.side + 1):
        near = _u64(0)
        for i in range(row - 1, row + 2):
            own = position.covered[colour, i]
            near |= own | own << _1 | own >> _1
        for other in range(tables.colours):
            near |= position.covered[other, row]
        workspace.untouched[row] = board & ~near


@jit_inlined
def squares_around(rows, row, column):
    """Return the 7 x 7 squares around a spot, bits as in `Tables.neighbourhoods`.

    `rows` are words of squares as in `Position.covered`.
    """
    mask = _u64((1 << NEIGHBOURHOOD_SIDE) - 1)
    bits = _u64(0)
    for i in range(NEIGHBOURHOOD_SIDE):
        bits |= (rows[row + i] >> _u64(column) & mask) << _u64(NEIGHBOURHOOD_SIDE * i)
    return bits


@jit_inlined
def centre_distance(tables, row, column, orientation):
    """Return the sum over a placement's squares of four times the squared distance of their middles from the board's.

    With a = 2 column - side + 1, the columns add up to the sum of (a + 2 x)^2 = a^2 + 4 a x + 4 x^2; so do the rows.
    """
    facts = tables.orientations[orientation]
    across, up = 2 * column - tables.side + 1, 2 * row - tables.side + 1
    mixed = across * facts[ORIENTATION_SUM_X] + up * facts[ORIENTATION_SUM_Y] + facts[ORIENTATION_SUM_SQUARED]
    return (across * across + up * up) * facts[ORIENTATION_SQUARES] + 4 * mixed


@jit_internal
def choose_greedy(position, tables, colour, workspace, bits_of_luck):
    """Return one of the best placements by the ranking of `strategies.py`; 32 random bits choose among equal ones.

    The placements must just have been counted. Orientations with many corner points come first. A later piece touches
    one of its own colour at a corner (BK-4), so at least one of its corner points is taken; orientations that cannot
    reach the best number so far are skipped.
    """
    mark_untouched_squares(position, tables, colour, workspace)
    which, first, largest = _largest_pieces(position, tables, colour)
    spots = _list_spots(position, tables, colour, workspace, which, largest)
    taken = 1 if position.colours[colour, COLOUR_COVERED] > 0 else 0
    best = nearest = count = 0
    corners = len(tables.orientations_by_corners) - 1
    while corners >= 0 and (count == 0 or corners - taken >= best):
        group = tables.orientations_by_corners[corners, which] & largest
        corners -= 1
        if group == 0:
            continue
        for n in range(spots):
            bits = workspace.spot_words[_u64(n)] & group
            if bits == 0:
                continue
            spot = workspace.spots[_u64(n)]
            row, column = spot // tables.row_stride, spot % tables.row_stride
            untouched = squares_around(workspace.untouched, row, column)
            while bits != 0:
                orientation = first + np.int64(lowest_bit(bits))
                bits &= bits - _1
                added = count_members(untouched & tables.neighbourhoods[_u64(orientation), WINDOW_CORNERS])
                if added < best:
                    continue
                distance = centre_distance(tables, row, column, orientation)
                if count == 0 or added > best or distance < nearest:
                    best, nearest, count = added, distance, 0
                elif distance > nearest:
                    continue
                count = _insert_ascending(workspace.placements, count, spot * SPOT_STRIDE + orientation)
    return workspace.placements[np.int64(number_below(bits_of_luck, _u64(count)))]


@jit_inlined
def _largest_pieces(position, tables, colour):
    """Return what the largest pieces with a legal placement have: their word, its first orientation, theirs in it.

    The first value is 0 for the big word and 1 for the small one.
    """
    first_spot, end_spot = chunk_spots(position, colour)
    bits = _u64(0)
    for spot in range(_u64(first_spot), _u64(end_spot)):
        bits |= legal_big(position, tables, colour, spot)
    if bits != 0:
        return 0, SMALL_ORIENTATIONS, bits
    for spot in range(_u64(first_spot), _u64(end_spot)):
        bits |= legal_small(position, tables, colour, spot)
    return 1, 0, bits & largest_small_orientations(tables, bits)


@jit_inlined
def largest_small_orientations(tables, bits):
    """Return the small word with all orientations of as many squares as the largest of these has; not empty."""
    size = 4
    while bits & tables.small_orientations_by_size[size] == 0:
        size -= 1
    return tables.small_orientations_by_size[size]


@jit_inlined
def _list_spots(position, tables, colour, workspace, which, orientations):
    """List the spots with legal placements of some orientations, and these placements; return how many spots.

    The loop writes every spot and moves on only after those that count, so that it needs no branch.
    """
    count = before = 0
    for chunk in range(
        position.colours[colour, COLOUR_FIRST_CHUNK], position.colours[colour, COLOUR_END_CHUNK]
    ):
        if workspace.counts[_u64(chunk)] == before:
            continue
        before = workspace.counts[_u64(chunk)]
        for spot in range(_u64(chunk * CHUNK_SPOTS), _u64(chunk * CHUNK_SPOTS + CHUNK_SPOTS)):
            if which == 0:
                bits = legal_big(position, tables, colour, spot) & orientations
            else:
                bits = legal_small(position, tables, colour, spot) & orientations
            workspace.spot_words[_u64(count)] = bits
            workspace.spots[_u64(count)] = spot
            count += bits != 0
    return count


@jit_inlined
def _insert_ascending(numbers, length, number):
    """Insert a number into an ascending list; return the new length."""
    at = length
    while at > 0 and numbers[at - 1] > number:
        numbers[at] = numbers[at - 1]
        at -= 1
    numbers[at] = number
    return length + 1


@jit_internal
def choose_noisy(position, tables, colour, workspace, sigma, luck):
    """Return the placement that is worth most with a normal error on each, as in `strategies.py`.

    `luck` is (seed, block, key, round, index) of the decision's first draw; each legal placement takes one draw.
    """
    seed, block, key, round_, index = luck
    mark_untouched_squares(position, tables, colour, workspace)
    best, best_worth = np.int64(-1), 0.0
    first_spot, end_spot = chunk_spots(position, colour)
    for spot in range(first_spot, end_spot):
        small = legal_small(position, tables, colour, spot)
        big = legal_big(position, tables, colour, spot)
        if small | big == 0:
            continue
        row, column = spot // tables.row_stride, spot % tables.row_stride
        untouched = squares_around(workspace.untouched, row, column)
        for which in range(2):
            bits = big if which else small
            while bits != 0:
                orientation = which * SMALL_ORIENTATIONS + np.int64(lowest_bit(bits))
                bits &= bits - _1
                added = count_members(untouched & tables.neighbourhoods[_u64(orientation), WINDOW_CORNERS])
                distance = centre_distance(tables, row, column, orientation)
                squares = tables.orientations[orientation, ORIENTATION_SQUARES]
                worth = squares * _UNITS_PER_SQUARE + added * _UNITS_PER_CORNER_POINT - distance
                error = sigma * normal_number(tables.quantiles, random_word(seed, block, key, round_, index))
                index += _1
                worth_with_error = worth / _UNITS_PER_SQUARE + error
                if best < 0 or worth_with_error > best_worth:
                    best, best_worth = spot * SPOT_STRIDE + orientation, worth_with_error
    return best
