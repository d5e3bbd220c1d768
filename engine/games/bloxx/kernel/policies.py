"""Simple strategies of BLOXX!, compiled: random, greedy and noisy.

Each returns an action and the number of legal ones. The order of actions is that of the rules: die, orientation, row,
column, place of the circle. The words of the functions of `kernel_rules` hold here too.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.bloxx.kernel.compiling import forbid_inlining, jit_internal
from engine.games.bloxx.kernel.packed_columns import count_bits, lowest_bit
from engine.games.bloxx.kernel.position import TURN_FACE_A, TURN_SEAT, TURN_TAKEN_DIE
from engine.games.bloxx.kernel.rules import (
    count_actions_at,
    first_spot,
    legal_spots,
    list_legal_actions,
    placement_action,
    row_points,
)
from engine.kernels.luck import normal_number, number_below, random_word

GAP_COST: Final = 2
"""What a gap costs in the eyes of greedy."""
UNITS_PER_POINT: Final = 1 << 16
"""Greedy's points count in units of this, so that row numbers settle ties: no shape's add up to as much."""
LOWEST_WORTH: Final = -(1 << 62)


@jit_internal
def choose_random(at, tables, spots, bits):
    """Every legal action is equally likely. `spots` has room for the squares of the orientations of two faces."""
    turn = at.turn
    seat = turn[TURN_SEAT]
    total = 0
    n = 0
    for die in range(2):
        face = turn[TURN_FACE_A + die]
        crossed = die == turn[TURN_TAKEN_DIE]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            size = 0
            for group in range(tables.groups):
                spots[n, group] = legal_spots(at, tables, seat, o, group)
                size += count_bits(spots[n, group])
            total += size * count_actions_at(tables, o, crossed)
            n += 1
    if total == 0:
        return tables.forfeit, 1
    left = np.int64(number_below(bits, np.uint64(total)))
    n = 0
    for die in range(2):
        face = turn[TURN_FACE_A + die]
        crossed = die == turn[TURN_TAKEN_DIE]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            size = 0
            for group in range(tables.groups):
                size += count_bits(spots[n, group])
            many = count_actions_at(tables, o, crossed)
            if left < size * many:
                square = nth_square(tables, spots[n], left // many)
                return placement_action(tables, o, square, left % many, crossed), total
            left -= size * many
            n += 1
    return tables.forfeit, 1  # never reached: the sizes add up to the total


@jit_internal
def nth_square(tables, spots, n):
    """Return the n-th square, from 0, row by row."""
    for row in range(tables.rows):
        for group in range(tables.groups):
            found = spots[group] & tables.edge << row
            if n < count_bits(found):
                for _ in range(n):
                    found &= found - 1
                x, y = first_spot(tables, group, found)
                return x + tables.columns * y
            n -= count_bits(found)
    return -1  # never reached: there are more than n


@jit_internal
def choose_greedy(at, tables, ties, left, bits):
    """Most of circled number + row points - 2 for each new gap; ties by the lowest squares, then by luck.

    `ties` has room for all legal actions, `left` for a number for each column and one more.
    """
    turn = at.turn
    seat = turn[TURN_SEAT]
    ending = almost_complete_rows(at, tables, seat)
    sum_heights(at, tables, seat, left)
    best = LOWEST_WORTH
    total = 0
    tied = 0
    for die in range(2):
        face = turn[TURN_FACE_A + die]
        crossed = die == turn[TURN_TAKEN_DIE]
        largest = 0 if crossed else UNITS_PER_POINT * tables.largest
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            many = count_actions_at(tables, o, crossed)
            for group in range(tables.groups):
                spots = legal_spots(at, tables, seat, o, group)
                total += count_bits(spots) * many
                # column before row is no other order of ties: those of one orientation lie in one row
                while spots:
                    x, y = first_spot(tables, group, spots)
                    spots &= spots - 1
                    worth = greedy_worth(at, tables, seat, o, x, y, left, ending)
                    if worth + largest < best:
                        continue
                    square = x + tables.columns * y
                    for mark in range(many):
                        circled = worth
                        if not crossed:  # BX-12
                            circled += UNITS_PER_POINT * np.int64(
                                tables.number[square + tables.mark_square[o, mark]]
                            )
                        if circled < best:
                            continue
                        if circled > best:
                            best = circled
                            tied = 0
                        ties[tied] = placement_action(tables, o, square, mark, crossed)
                        tied += 1
    if total == 0:
        return tables.forfeit, 1
    return ties[number_below(bits, np.uint64(tied))], total


@jit_internal
def almost_complete_rows(at, tables, seat):
    """Return the set of coloured rows that one placement may complete."""
    ending = 0
    for row in range(tables.rows):
        if tables.coloured[row] >= 0 and 0 < count_bits(at.missing[seat, row]) <= tables.bottom.shape[1]:
            ending |= 1 << row
    return ending


@jit_internal
def sum_heights(at, tables, seat, left):
    """Set left[c] to the sum of the heights of the columns left of c."""
    left[0] = 0
    for c in range(tables.columns):
        left[c + 1] = left[c] + at.heights[seat, c]


@jit_internal
def greedy_worth(at, tables, seat, o, x, y, left, ending):
    """Return what an orientation is worth to greedy without its circle, and at equal worth more if it lies lower."""
    width = np.int64(tables.width[o])
    gaps = tables.hollow[o] + width * y - (left[x + width] - left[x])
    points = 0
    rows = ending >> y & (1 << tables.height[o]) - 1
    while rows:
        r = lowest_bit(rows)
        rows &= rows - 1
        if at.missing[seat, y + r] & ~(tables.across[o, r] << x) == 0:
            points += row_points(at, tables, tables.coloured[y + r])
    return UNITS_PER_POINT * (points - GAP_COST * gaps) - (tables.low[o, 0] + y * tables.low[o, 1])


@jit_internal
def choose_noisy(at, tables, found, left, quantiles, sigma, luck):
    """Greedy's points with a normal error of `sigma` points, one for each legal action in their order.

    Equal worths, which only sigma = 0 brings, are settled by the lowest squares and then by the order. `luck` is the
    own luck of the decision: seed, block, key, round, index of the first draw.
    """
    forbid_inlining()
    seed, block, own, round_, index = luck
    seat = at.turn[TURN_SEAT]
    ending = almost_complete_rows(at, tables, seat)
    sum_heights(at, tables, seat, left)
    total = list_legal_actions(at, tables, found)
    if total == 1:
        return found[0], 1
    best = lowest_squares = 0.0
    chosen = -1
    for n in range(total):
        o, x, y, mark = tables.placed[found[n] - tables.forfeit - 1]
        finer = greedy_worth(at, tables, seat, np.int64(o), np.int64(x), np.int64(y), left, ending)
        points = -(-finer // UNITS_PER_POINT)  # upwards: the squares' rows were taken off
        squares = np.float64(points * UNITS_PER_POINT - finer)
        if mark >= 0:  # BX-12
            points += np.int64(tables.number[x + tables.columns * y + tables.mark_square[o, mark]])
        draw = normal_number(quantiles, random_word(seed, block, own, round_, index + np.uint64(n)))
        worth = np.float64(points) + sigma * draw
        if chosen < 0 or worth > best or (worth == best and squares < lowest_squares):
            best, lowest_squares, chosen = worth, squares, found[n]
    return chosen, total
