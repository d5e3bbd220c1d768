"""Blokus compiled: greedy play, and greedy play with errors, as `strategies.py` has them."""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np

from engine.games.blokus.kernel.position import COLOUR_COVERED, COLOUR_END_BLOCK, COLOUR_FIRST_BLOCK
from engine.games.blokus.kernel.rules import (
    JIT_INLINED,
    JIT_OPTIONS,
    count_bits,
    legal_big,
    legal_small,
    lowest_bit,
)
from engine.games.blokus.kernel.tables import (
    BLOCK_SPOTS,
    ORIENTATION_SQUARES,
    ORIENTATION_SUM_SQUARED,
    ORIENTATION_SUM_X,
    ORIENTATION_SUM_Y,
    SMALL_ORIENTATIONS,
    WINDOW_CORNERS,
)
from engine.kernels.luck import normal_number, number_below, random_word

_u64: Final = np.uint64
_1: Final = _u64(1)

SPOT_STRIDE: Final = 128
"""Spot x this + orientation: a placement as one number, ascending as actions are."""

_UNITS_PER_POINT: Final = 1 << 20
_UNITS_PER_CORNER_POINT: Final = 1 << 16


@nb.njit(**JIT_INLINED)
def mark_untouched_squares(position, layout, colour, desk):
    """Note the empty squares of the board that no piece of the colour touches, at an edge or a corner."""
    board = (_1 << _u64(layout.side + 1)) - _u64(2)
    for row in range(1, layout.side + 1):
        near = _u64(0)
        for other in range(row - 1, row + 2):
            own = position.taken[colour, other]
            near |= own | own << _1 | own >> _1
        for other in range(layout.colours):
            near |= position.taken[other, row]
        desk.untouched[row] = board & ~near


@nb.njit(**JIT_INLINED)
def untouched_around(desk, row, column):
    """Return the untouched squares of the 7 x 7 round a spot, as `Tables.near` counts them."""
    bits = _u64(0)
    for i in range(7):
        bits |= (desk.untouched[row + i] >> _u64(column) & _u64(0x7F)) << _u64(7 * i)
    return bits


@nb.njit(**JIT_INLINED)
def centre_distance(layout, tables, row, column, orientation):
    """Sum over the squares of four times the squared distance of their middles from the board's.

    With a = 2 column - side + 1 it is the sum of (a + 2 x)^2 = a^2 + 4 a x + 4 x^2, and the same upwards.
    """
    numbers = tables.orientations[orientation]
    across, up = 2 * column - layout.side + 1, 2 * row - layout.side + 1
    mixed = (
        across * numbers[ORIENTATION_SUM_X]
        + up * numbers[ORIENTATION_SUM_Y]
        + numbers[ORIENTATION_SUM_SQUARED]
    )
    return (across * across + up * up) * numbers[ORIENTATION_SQUARES] + 4 * mixed


@nb.njit(**JIT_OPTIONS)
def choose_greedy(position, layout, tables, colour, desk, bits_of_luck):
    """Return one of the best placements as `strategies.py` ranks them; among equals 32 random bits choose.

    Orientations with many corner points come first. A later piece touches one of its own at a corner (BK-4), so one of
    its corner points is taken; those that cannot reach the best count so far need not be looked at.
    """
    mark_untouched_squares(position, layout, colour, desk)
    which, first, allowed = _largest_pieces(position, layout, tables, colour)
    spots = _list_legal_spots(position, layout, colour, desk, which, allowed)
    spare = 1 if position.colours[colour, COLOUR_COVERED] > 0 else 0
    best = nearest = found = 0
    corners = len(tables.with_corners) - 1
    while corners >= 0 and (found == 0 or corners - spare >= best):
        group = tables.with_corners[corners, which] & allowed
        corners -= 1
        if group == 0:
            continue
        for n in range(spots):
            bits = desk.words[_u64(n)] & group
            if bits == 0:
                continue
            spot = desk.spots[_u64(n)]
            row, column = spot // layout.rows_apart, spot % layout.rows_apart
            near = untouched_around(desk, row, column)
            while bits != 0:
                orientation = first + lowest_bit(bits)
                bits &= bits - _1
                added = count_bits(near & tables.near[_u64(orientation), WINDOW_CORNERS])
                if added < best:
                    continue
                distance = centre_distance(layout, tables, row, column, orientation)
                if found == 0 or added > best or distance < nearest:
                    best, nearest, found = added, distance, 0
                elif distance > nearest:
                    continue
                found = _insert_sorted(desk.found, found, spot * SPOT_STRIDE + orientation)
    return desk.found[np.int64(number_below(bits_of_luck, _u64(found)))]


@nb.njit(**JIT_INLINED)
def _list_legal_spots(position, layout, colour, desk, which, allowed):
    """List the spots with a legal placement among those allowed, without a branch; return how many there are."""
    found = before = 0
    for block in range(
        position.colours[colour, COLOUR_FIRST_BLOCK], position.colours[colour, COLOUR_END_BLOCK]
    ):
        if desk.counts[_u64(block)] == before:
            continue
        before = desk.counts[_u64(block)]
        for spot in range(_u64(block * BLOCK_SPOTS), _u64(block * BLOCK_SPOTS + BLOCK_SPOTS)):
            if which == 0:
                bits = legal_big(position, layout, colour, spot) & allowed
            else:
                bits = legal_small(position, layout, colour, spot) & allowed
            desk.words[_u64(found)] = bits
            desk.spots[_u64(found)] = spot
            found += bits != 0
    return found


@nb.njit(**JIT_INLINED)
def _insert_sorted(numbers, length, number):
    """Insert a number into an ascending list; return how long it is now."""
    at = length
    while at > 0 and numbers[at - 1] > number:
        numbers[at] = numbers[at - 1]
        at -= 1
    numbers[at] = number
    return length + 1


@nb.njit(**JIT_INLINED)
def _largest_pieces(position, layout, tables, colour):
    """Return the word of the largest pieces with a legal placement, its first orientation, and theirs in it.

    The big word is 0, the small one 1.
    """
    first, last = (
        position.colours[colour, COLOUR_FIRST_BLOCK] * BLOCK_SPOTS,
        position.colours[colour, COLOUR_END_BLOCK] * BLOCK_SPOTS,
    )
    bits = _u64(0)
    for spot in range(_u64(first), _u64(last)):
        bits |= legal_big(position, layout, colour, spot)
    if bits != 0:
        return 0, SMALL_ORIENTATIONS, bits
    for spot in range(_u64(first), _u64(last)):
        bits |= legal_small(position, layout, colour, spot)
    size = 4
    while bits & tables.of_size[size] == 0:
        size -= 1
    return 1, 0, bits & tables.of_size[size]


@nb.njit(**JIT_OPTIONS)
def choose_noisy(position, layout, tables, colour, desk, sigma, luck):
    """Return the placement that is worth most with a normal error on each: as `strategies.py` has it.

    `luck` is (seed, block, key, round, index) of the decision's first draw; one draw for each legal placement.
    """
    seed, block, key, lap, index = luck
    mark_untouched_squares(position, layout, colour, desk)
    best, best_worth = -1, 0.0
    first, last = (
        position.colours[colour, COLOUR_FIRST_BLOCK] * BLOCK_SPOTS,
        position.colours[colour, COLOUR_END_BLOCK] * BLOCK_SPOTS,
    )
    for spot in range(first, last):
        small = legal_small(position, layout, colour, spot)
        big = legal_big(position, layout, colour, spot)
        if small | big == 0:
            continue
        row, column = spot // layout.rows_apart, spot % layout.rows_apart
        near = untouched_around(desk, row, column)
        for which in range(2):
            bits = big if which else small
            while bits != 0:
                orientation = which * SMALL_ORIENTATIONS + lowest_bit(bits)
                bits &= bits - _1
                added = count_bits(near & tables.near[_u64(orientation), WINDOW_CORNERS])
                distance = centre_distance(layout, tables, row, column, orientation)
                squares = tables.orientations[orientation, ORIENTATION_SQUARES]
                worth = squares * _UNITS_PER_POINT + added * _UNITS_PER_CORNER_POINT - distance
                error = sigma * normal_number(desk.quantiles, random_word(seed, block, key, lap, index))
                index += _1
                noised = worth / _UNITS_PER_POINT + error
                if best < 0 or noised > best_worth:
                    best, best_worth = spot * SPOT_STRIDE + orientation, noised
    return best
