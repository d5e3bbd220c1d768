"""Simple strategies of BLOXX!, compiled: random, greedy and noisy.

Each returns an action and the number of legal ones. Actions come in the order of the rules: die, orientation, row,
column, place of the circle.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.bloxx.kernel.position import TURN_FACE_A, TURN_SEAT, TURN_TAKEN_DIE
from engine.games.bloxx.kernel.rules import (
    Placement,
    count_actions_at,
    find_contacts,
    list_legal_actions,
    lowest_spot,
    orientations_of_face,
    placement_action,
    row_points,
    store_legal_spots,
)
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit
from engine.kernels.compiling import forbid_inlining, jit_inlined, jit_internal
from engine.kernels.luck import normal_number, number_below, random_word

UNITS_PER_POINT: Final = 1 << 16
"""Greedy counts points in units of 1 / UNITS_PER_POINT, so that the rows of squares decide between equal points: the
rows of no shape add up to a whole point."""
LOWEST_WORTH: Final = -(1 << 62)


@jit_inlined
def choose_random(position, tables, workspace, bits):
    """Return a random legal action, all equally likely, by a word of random bits."""
    turn, spots, counts = position.turn, workspace.spots, workspace.counts
    contacts = find_contacts(position, tables, turn[TURN_SEAT])
    total = 0
    n = 0
    for die in range(2):
        crossed = die == turn[TURN_TAKEN_DIE]
        first, end = orientations_of_face(tables, contacts, die, turn[TURN_FACE_A + die])
        for o in range(first, end):
            counts[n] = store_legal_spots(contacts, tables, o, spots[n])
            total += counts[n] * count_actions_at(tables, o, crossed)
            n += 1
    if total == 0:
        return tables.forfeit, 1
    left = np.int64(number_below(bits, np.uint64(total)))
    n = 0
    for die in range(2):
        crossed = die == turn[TURN_TAKEN_DIE]
        first, end = orientations_of_face(tables, contacts, die, turn[TURN_FACE_A + die])
        for o in range(first, end):
            actions_each = count_actions_at(tables, o, crossed)
            if left < counts[n] * actions_each:
                place = np.int64(np.uint64(left) // np.uint64(actions_each))
                square = nth_square(tables, spots[n], place)
                mark = left - place * actions_each
                return placement_action(tables, o, square, mark, crossed), total
            left -= counts[n] * actions_each
            n += 1
    return tables.forfeit, 1  # never reached: the actions add up to the total


@jit_internal
def nth_square(tables, spots, n):
    """Return the square of spot n, counted from 0 row by row; `spots` has one integer for each group."""
    for row in range(tables.rows):
        for group in range(tables.groups):
            in_row = spots[group] & tables.bottom_rows << row
            if n < count_bits(in_row):
                for _ in range(n):
                    in_row = clear_lowest_bit(in_row)
                x, y = lowest_spot(tables, group, in_row)
                return x + tables.columns * y
            n -= count_bits(in_row)
    return -1  # never reached: there are more than n


@jit_inlined
def choose_greedy(position, tables, workspace, bits):
    """Return the action with most points: its number, rows that it completes, less `Tables.greedy_gap_cost` for each new gap.

    Of equal ones those with the lowest squares are better; a word of random bits decides between the rest.
    """
    turn, ties = position.turn, workspace.actions
    seat = turn[TURN_SEAT]
    almost_complete = almost_complete_rows(position, tables, seat)
    sum_heights(position, tables, seat, workspace.height_sums)
    contacts = find_contacts(position, tables, seat)
    best = LOWEST_WORTH
    total = 0
    tied = 0
    for die in range(2):
        crossed = die == turn[TURN_TAKEN_DIE]
        most_by_number = 0 if crossed else UNITS_PER_POINT * tables.largest_number
        first, end = orientations_of_face(tables, contacts, die, turn[TURN_FACE_A + die])
        for o in range(first, end):
            actions_each = count_actions_at(tables, o, crossed)
            total += store_legal_spots(contacts, tables, o, workspace.spots[0]) * actions_each
            for group in range(tables.groups):
                spots = workspace.spots[0, group]
                # Columns come before rows here. The order of ties is that of the rules all the same: ties of one
                # orientation lie in one row.
                while spots:
                    x, y = lowest_spot(tables, group, spots)
                    spots = clear_lowest_bit(spots)
                    placement = Placement(np.int64(o), x, y)
                    worth = greedy_worth(
                        position, tables, seat, placement, workspace.height_sums, almost_complete
                    )
                    if worth + most_by_number < best:
                        continue
                    square = x + tables.columns * y
                    for mark in range(actions_each):
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
def almost_complete_rows(position, tables, seat):
    """Return the set of coloured rows that one placement may complete."""
    rows = 0
    widest = tables.top.shape[1]
    for row in range(tables.rows):
        if tables.coloured[row] >= 0 and 0 < count_bits(position.missing[seat, row]) <= widest:
            rows |= 1 << row
    return rows


@jit_internal
def sum_heights(position, tables, seat, height_sums):
    """Set height_sums[c] to the sum of the heights of the columns left of c."""
    height_sums[0] = 0
    for c in range(tables.columns):
        height_sums[c + 1] = height_sums[c] + position.heights[seat, c]


@jit_internal
def greedy_worth(position, tables, seat, placement, height_sums, almost_complete):
    """Return what greedy thinks of a placement without its circle, in 1 / UNITS_PER_POINT; lower squares are better."""
    o, x, y = placement
    width = np.int64(tables.width[o])
    gaps = tables.hollow[o] + width * y - (height_sums[x + width] - height_sums[x])
    points = 0
    rows = almost_complete >> y & (1 << tables.height[o]) - 1
    while rows:
        r = lowest_bit(rows)
        rows = clear_lowest_bit(rows)
        if position.missing[seat, y + r] & ~(tables.across[o, r] << x) == 0:
            points += row_points(position, tables, tables.coloured[y + r])
    return UNITS_PER_POINT * (points - tables.greedy_gap_cost * gaps) - (
        tables.low[o, 0] + y * tables.low[o, 1]
    )


@jit_internal
def choose_noisy(position, tables, workspace, sigma, luck):
    """Return the action with most points as greedy counts them, each with a normal error of `sigma` points.

    Errors are drawn in the order of the legal actions. Of equal worths, which only sigma = 0 brings, the one with the
    lowest squares is better, and then the first.
    """
    forbid_inlining()
    seed, block, key, round_, index = luck
    seat = position.turn[TURN_SEAT]
    almost_complete = almost_complete_rows(position, tables, seat)
    sum_heights(position, tables, seat, workspace.height_sums)
    actions = workspace.actions
    total = list_legal_actions(position, tables, workspace.spots[0], actions)
    if total == 1:
        return actions[0], 1
    best = lowest_squares = 0.0
    chosen = -1
    for n in range(total):
        o, x, y, mark = tables.placements[actions[n] - tables.forfeit - 1]
        placement = Placement(np.int64(o), np.int64(x), np.int64(y))
        units = greedy_worth(position, tables, seat, placement, workspace.height_sums, almost_complete)
        points = -(-units // UNITS_PER_POINT)  # upwards: the rows of the squares were taken off
        squares = np.float64(points * UNITS_PER_POINT - units)
        if mark >= 0:  # BX-12
            points += np.int64(tables.number[x + tables.columns * y + tables.mark_square[o, mark]])
        error = normal_number(
            workspace.quantiles, random_word(seed, block, key, round_, index + np.uint64(n))
        )
        worth = np.float64(points) + sigma * error
        if chosen < 0 or worth > best or (worth == best and squares < lowest_squares):
            best, lowest_squares, chosen = worth, squares, actions[n]
    return chosen, total
