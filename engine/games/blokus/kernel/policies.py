"""Blokus compiled: greedy play, and greedy play with errors, as `strategies.py` has them."""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np

from engine.games.blokus.kernel.position import COVERED, HIGH, LOW
from engine.games.blokus.kernel.rules import BARE, INLINED, bits_in, legal_big, legal_small, lowest
from engine.games.blokus.kernel.tables import BLOCK, CORNERS, SMALL, SQUARES, SUM_SQUARED, SUM_X, SUM_Y
from engine.kernels.luck import below, normal, word

_U: Final = np.uint64
_1: Final = _U(1)

ORIENTATIONS: Final = 128
"""Spot x this + orientation: a placement as one number, ascending as actions are."""

_A_POINT: Final = 1 << 20
_A_CORNER_POINT: Final = 1 << 16


@nb.njit(**INLINED)
def look_round(position, layout, colour, desk):
    """Note the empty squares of the board that no piece of the colour touches, at an edge or a corner."""
    board = (_1 << _U(layout.side + 1)) - _U(2)
    for row in range(1, layout.side + 1):
        near = _U(0)
        for other in range(row - 1, row + 2):
            own = position.taken[colour, other]
            near |= own | own << _1 | own >> _1
        for other in range(layout.colours):
            near |= position.taken[other, row]
        desk.untouched[row] = board & ~near


@nb.njit(**INLINED)
def seven_by_seven(desk, row, column):
    """Return the untouched squares of the 7 x 7 round a spot, as `Tables.near` counts them."""
    bits = _U(0)
    for i in range(7):
        bits |= (desk.untouched[row + i] >> _U(column) & _U(0x7F)) << _U(7 * i)
    return bits


@nb.njit(**INLINED)
def centre_distance(layout, tables, row, column, orientation):
    """Sum over the squares of four times the squared distance of their middles from the board's.

    With a = 2 column - side + 1 it is the sum of (a + 2 x)^2 = a^2 + 4 a x + 4 x^2, and the same upwards.
    """
    numbers = tables.orientations[orientation]
    across, up = 2 * column - layout.side + 1, 2 * row - layout.side + 1
    mixed = across * numbers[SUM_X] + up * numbers[SUM_Y] + numbers[SUM_SQUARED]
    return (across * across + up * up) * numbers[SQUARES] + 4 * mixed


@nb.njit(**BARE)
def greedy(position, layout, tables, colour, desk, bits_of_luck):
    """Return one of the best placements as `strategies.py` ranks them; among equals 32 random bits choose.

    Orientations with many corner points come first. A later piece touches one of its own at a corner (BK-4), so one of
    its corner points is taken; those that cannot reach the best count so far need not be looked at.
    """
    look_round(position, layout, colour, desk)
    which, first, allowed = _largest(position, layout, tables, colour)
    spots = _gather(position, layout, colour, desk, which, allowed)
    spare = 1 if position.colours[colour, COVERED] > 0 else 0
    best = nearest = found = 0
    corners = len(tables.with_corners) - 1
    while corners >= 0 and (found == 0 or corners - spare >= best):
        group = tables.with_corners[corners, which] & allowed
        corners -= 1
        if group == 0:
            continue
        for n in range(spots):
            bits = desk.words[_U(n)] & group
            if bits == 0:
                continue
            spot = desk.spots[_U(n)]
            row, column = spot // layout.rows_apart, spot % layout.rows_apart
            near = seven_by_seven(desk, row, column)
            while bits != 0:
                orientation = first + lowest(bits)
                bits &= bits - _1
                added = bits_in(near & tables.near[_U(orientation), CORNERS])
                if added < best:
                    continue
                distance = centre_distance(layout, tables, row, column, orientation)
                if found == 0 or added > best or distance < nearest:
                    best, nearest, found = added, distance, 0
                elif distance > nearest:
                    continue
                found = _insert(desk.found, found, spot * ORIENTATIONS + orientation)
    return desk.found[np.int64(below(bits_of_luck, _U(found)))]


@nb.njit(**INLINED)
def _gather(position, layout, colour, desk, which, allowed):
    """List the spots with a legal placement among those allowed, without a branch; return how many there are."""
    found = before = 0
    for block in range(position.colours[colour, LOW], position.colours[colour, HIGH]):
        if desk.counts[_U(block)] == before:
            continue
        before = desk.counts[_U(block)]
        for spot in range(_U(block * BLOCK), _U(block * BLOCK + BLOCK)):
            if which == 0:
                bits = legal_big(position, layout, colour, spot) & allowed
            else:
                bits = legal_small(position, layout, colour, spot) & allowed
            desk.words[_U(found)] = bits
            desk.spots[_U(found)] = spot
            found += bits != 0
    return found


@nb.njit(**INLINED)
def _insert(numbers, length, number):
    """Insert a number into an ascending list; return how long it is now."""
    at = length
    while at > 0 and numbers[at - 1] > number:
        numbers[at] = numbers[at - 1]
        at -= 1
    numbers[at] = number
    return length + 1


@nb.njit(**INLINED)
def _largest(position, layout, tables, colour):
    """Return the word of the largest pieces with a legal placement, its first orientation, and theirs in it.

    The big word is 0, the small one 1.
    """
    first, last = position.colours[colour, LOW] * BLOCK, position.colours[colour, HIGH] * BLOCK
    bits = _U(0)
    for spot in range(_U(first), _U(last)):
        bits |= legal_big(position, layout, colour, spot)
    if bits != 0:
        return 0, SMALL, bits
    for spot in range(_U(first), _U(last)):
        bits |= legal_small(position, layout, colour, spot)
    size = 4
    while bits & tables.of_size[size] == 0:
        size -= 1
    return 1, 0, bits & tables.of_size[size]


@nb.njit(**BARE)
def noisy(position, layout, tables, colour, desk, sigma, luck):
    """Return the placement that is worth most with a normal error on each: as `strategies.py` has it.

    `luck` is (seed, block, key, round, index) of the decision's first draw; one draw for each legal placement.
    """
    seed, block, key, lap, index = luck
    look_round(position, layout, colour, desk)
    best, best_worth = -1, 0.0
    first, last = position.colours[colour, LOW] * BLOCK, position.colours[colour, HIGH] * BLOCK
    for spot in range(first, last):
        small = legal_small(position, layout, colour, spot)
        big = legal_big(position, layout, colour, spot)
        if small | big == 0:
            continue
        row, column = spot // layout.rows_apart, spot % layout.rows_apart
        near = seven_by_seven(desk, row, column)
        for which in range(2):
            bits = big if which else small
            while bits != 0:
                orientation = which * SMALL + lowest(bits)
                bits &= bits - _1
                added = bits_in(near & tables.near[_U(orientation), CORNERS])
                distance = centre_distance(layout, tables, row, column, orientation)
                squares = tables.orientations[orientation, SQUARES]
                worth = squares * _A_POINT + added * _A_CORNER_POINT - distance
                error = sigma * normal(desk.quantiles, word(seed, block, key, lap, index))
                index += _1
                noised = worth / _A_POINT + error
                if best < 0 or noised > best_worth:
                    best, best_worth = spot * ORIENTATIONS + orientation, noised
    return best
