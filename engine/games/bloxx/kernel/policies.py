"""Simple strategies of BLOXX!, compiled: random, greedy and noisy.

Each returns an action and the number of legal ones. The order of actions is that of the rules: die, orientation, row,
column, place of the circle. The words of the functions of `kernel_rules` hold here too.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.bloxx.kernel.compiling import compiled, stay_apart
from engine.games.bloxx.kernel.packed_columns import count, lowest
from engine.games.bloxx.kernel.position import FACE_A, SEAT, TAKEN
from engine.games.bloxx.kernel.rules import action_at, legal, places, row_points, spot, ways
from engine.kernels.luck import below, normal, word

GAP_COST: Final = 2
"""What a gap costs in the eyes of greedy."""
FINER: Final = 1 << 16
"""Greedy's points count in units of this, so that row numbers settle ties: no shape's add up to as much."""
LEAST: Final = -(1 << 62)


@compiled
def at_random(at, tables, spots, bits):
    """Every legal action is equally likely. `spots` has room for the squares of the orientations of two faces."""
    turn = at.turn
    seat = turn[SEAT]
    total = 0
    n = 0
    for die in range(2):
        face = turn[FACE_A + die]
        crossed = die == turn[TAKEN]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            size = 0
            for group in range(tables.groups):
                spots[n, group] = places(at, tables, seat, o, group)
                size += count(spots[n, group])
            total += size * ways(tables, o, crossed)
            n += 1
    if total == 0:
        return tables.forfeit, 1
    left = np.int64(below(bits, np.uint64(total)))
    n = 0
    for die in range(2):
        face = turn[FACE_A + die]
        crossed = die == turn[TAKEN]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            size = 0
            for group in range(tables.groups):
                size += count(spots[n, group])
            many = ways(tables, o, crossed)
            if left < size * many:
                square = nth(tables, spots[n], left // many)
                return action_at(tables, o, square, left % many, crossed), total
            left -= size * many
            n += 1
    return tables.forfeit, 1  # never reached: the sizes add up to the total


@compiled
def nth(tables, spots, n):
    """Return the n-th square, from 0, row by row."""
    for row in range(tables.rows):
        for group in range(tables.groups):
            found = spots[group] & tables.edge << row
            if n < count(found):
                for _ in range(n):
                    found &= found - 1
                x, y = spot(tables, group, found)
                return x + tables.columns * y
            n -= count(found)
    return -1  # never reached: there are more than n


@compiled
def greedily(at, tables, ties, left, bits):
    """Most of circled number + row points - 2 for each new gap; ties by the lowest squares, then by luck.

    `ties` has room for all legal actions, `left` for a number for each column and one more.
    """
    turn = at.turn
    seat = turn[SEAT]
    ending = almost_complete(at, tables, seat)
    sum_heights(at, tables, seat, left)
    best = LEAST
    total = 0
    tied = 0
    for die in range(2):
        face = turn[FACE_A + die]
        crossed = die == turn[TAKEN]
        largest = 0 if crossed else FINER * tables.largest
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            many = ways(tables, o, crossed)
            for group in range(tables.groups):
                spots = places(at, tables, seat, o, group)
                total += count(spots) * many
                # column before row is no other order of ties: those of one orientation lie in one row
                while spots:
                    x, y = spot(tables, group, spots)
                    spots &= spots - 1
                    worth = value(at, tables, seat, o, x, y, left, ending)
                    if worth + largest < best:
                        continue
                    square = x + tables.columns * y
                    for mark in range(many):
                        circled = worth
                        if not crossed:  # BX-12
                            circled += FINER * np.int64(tables.number[square + tables.mark_square[o, mark]])
                        if circled < best:
                            continue
                        if circled > best:
                            best = circled
                            tied = 0
                        ties[tied] = action_at(tables, o, square, mark, crossed)
                        tied += 1
    if total == 0:
        return tables.forfeit, 1
    return ties[below(bits, np.uint64(tied))], total


@compiled
def almost_complete(at, tables, seat):
    """Return the set of coloured rows that one placement may complete."""
    ending = 0
    for row in range(tables.rows):
        if tables.coloured[row] >= 0 and 0 < count(at.missing[seat, row]) <= tables.bottom.shape[1]:
            ending |= 1 << row
    return ending


@compiled
def sum_heights(at, tables, seat, left):
    """Set left[c] to the sum of the heights of the columns left of c."""
    left[0] = 0
    for c in range(tables.columns):
        left[c + 1] = left[c] + at.heights[seat, c]


@compiled
def value(at, tables, seat, o, x, y, left, ending):
    """Return what an orientation is worth to greedy without its circle, and at equal worth more if it lies lower."""
    width = np.int64(tables.width[o])
    gaps = tables.hollow[o] + width * y - (left[x + width] - left[x])
    points = 0
    rows = ending >> y & (1 << tables.height[o]) - 1
    while rows:
        r = lowest(rows)
        rows &= rows - 1
        if at.missing[seat, y + r] & ~(tables.across[o, r] << x) == 0:
            points += row_points(at, tables, tables.coloured[y + r])
    return FINER * (points - GAP_COST * gaps) - (tables.low[o, 0] + y * tables.low[o, 1])


@compiled
def noisily(at, tables, found, left, quantiles, sigma, luck):
    """Greedy's points with a normal error of `sigma` points, one for each legal action in their order.

    Equal worths, which only sigma = 0 brings, are settled by the lowest squares and then by the order. `luck` is the
    own luck of the decision: seed, block, key, round, index of the first draw.
    """
    stay_apart()
    seed, block, own, round_, index = luck
    seat = at.turn[SEAT]
    ending = almost_complete(at, tables, seat)
    sum_heights(at, tables, seat, left)
    total = legal(at, tables, found)
    if total == 1:
        return found[0], 1
    best = lowest_squares = 0.0
    chosen = -1
    for n in range(total):
        o, x, y, mark = tables.placed[found[n] - tables.forfeit - 1]
        finer = value(at, tables, seat, np.int64(o), np.int64(x), np.int64(y), left, ending)
        points = -(-finer // FINER)  # upwards: the squares' rows were taken off
        squares = np.float64(points * FINER - finer)
        if mark >= 0:  # BX-12
            points += np.int64(tables.number[x + tables.columns * y + tables.mark_square[o, mark]])
        draw = normal(quantiles, word(seed, block, own, round_, index + np.uint64(n)))
        worth = np.float64(points) + sigma * draw
        if chosen < 0 or worth > best or (worth == best and squares < lowest_squares):
            best, lowest_squares, chosen = worth, squares, found[n]
    return chosen, total
