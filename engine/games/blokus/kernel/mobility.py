"""Blokus compiled: what a placement is worth, by squares, corner points and the placements that it opens and shuts.

The worth is a weighted sum. Each weight is given for a colour that has placed nothing and for one that has placed
everything, and lies on the straight line between them. Colours of the same seat are friends and those of other seats
foes; one that belongs to nobody is neither, and placing it (BK-10) is worth what it does to others.
"""

from __future__ import annotations

from math import log
from typing import Final

import numba as nb
import numpy as np

from engine.games.blokus.kernel.policies import (
    SPOT_STRIDE,
    centre_distance,
    mark_untouched_squares,
    untouched_around,
)
from engine.games.blokus.kernel.position import (
    COLOUR_COVERED,
    COLOUR_END_BLOCK,
    COLOUR_FIRST_BLOCK,
    COLOUR_IS_OUT,
    TURN_COLOUR,
)
from engine.games.blokus.kernel.rules import (
    JIT_INLINED,
    JIT_MERGED,
    JIT_OPTIONS,
    count_bits,
    legal_big,
    legal_small,
    lowest_bit,
)
from engine.games.blokus.kernel.tables import (
    BLOCK_SPOTS,
    ORIENTATION_END_ROW,
    ORIENTATION_FIRST_ROW,
    ORIENTATION_PIECE,
    ORIENTATION_SQUARES,
    SMALL_ORIENTATIONS,
    WINDOW_CORNERS,
    WINDOW_EDGES,
    WINDOW_HITS,
    WINDOW_REACH,
    WINDOW_ROWS,
    WINDOW_WORDS,
)
from engine.kernels.luck import number_below

_u64: Final = np.uint64
_1: Final = _u64(1)

# Places of the weights, each followed by that of the end of the game
WEIGHT_SIZE: Final = 0
WEIGHT_GAINED: Final = 2
WEIGHT_LOST: Final = 4
WEIGHT_TAKEN: Final = 6
WEIGHT_CENTRE: Final = 8
WEIGHT_OPENED: Final = 10
WEIGHT_SHUT: Final = 12

_MAX_PLACEMENTS_COMPARED: Final = 64
"""Placements of which `mobility` counts what they open and shut."""


@nb.njit(**JIT_INLINED)
def _weight_at_phase(weights, place, phase):
    return weights[place] + (weights[place + 1] - weights[place]) * phase


@nb.njit(**JIT_INLINED)
def _store_other_colours(position, layout, tables, colour, seat, desk):
    """Note who is friend (1), foe (-1) or neither (0), and the corner points of each colour."""
    board = (_1 << _u64(layout.side + 1)) - _u64(2)
    for other in range(layout.colours):
        owner = tables.owners[other]
        desk.relation[other] = 0
        if other != colour and owner >= 0 and position.colours[other, COLOUR_IS_OUT] == 0:
            desk.relation[other] = 1 if owner == seat else -1
        if other != colour and desk.relation[other] == 0:
            continue
        for row in range(1, layout.side + 1):
            own = position.taken[other, row]
            beside = position.taken[other, row - 1] | position.taken[other, row + 1]
            taken = _u64(0)
            for any_colour in range(layout.colours):
                taken |= position.taken[any_colour, row]
            edges = beside | own << _1 | own >> _1
            corners = beside << _1 | beside >> _1
            desk.corner_points[other, row] = corners & ~edges & ~taken & board


@nb.njit(**JIT_INLINED)
def _corner_points_around(desk, colour, row, column):
    """Return a colour's corner points of the 7 x 7 round a spot, as `Tables.near` counts them."""
    bits = _u64(0)
    for i in range(7):
        bits |= (desk.corner_points[colour, row + i] >> _u64(column) & _u64(0x7F)) << _u64(7 * i)
    return bits


@nb.njit(**JIT_INLINED)
def _insert_ranked(desk, found, wanted, code, worth):
    """Put a placement into the list of the best so far, equal ones in ascending order; return how many there are."""
    at = found
    if found == wanted:
        if desk.worths[found - 1] >= worth:
            return found
        at -= 1
    while at > 0 and desk.worths[at - 1] < worth:
        desk.worths[at], desk.found[at] = desk.worths[at - 1], desk.found[at - 1]
        at -= 1
    desk.worths[at], desk.found[at] = worth, code
    return min(found + 1, wanted)


@nb.njit(**JIT_OPTIONS)
def _rank_by_squares(position, layout, tables, weights, colour, is_own, phase, desk, wanted):
    """Note the placements best by size, corner points and nearness to the middle; return how many."""
    size, gained, lost, taken, centre = (
        is_own * _weight_at_phase(weights, WEIGHT_SIZE, phase),
        is_own * _weight_at_phase(weights, WEIGHT_GAINED, phase),
        is_own * _weight_at_phase(weights, WEIGHT_LOST, phase),
        _weight_at_phase(weights, WEIGHT_TAKEN, phase),
        is_own * _weight_at_phase(weights, WEIGHT_CENTRE, phase) / (layout.side * layout.side),
    )
    found = 0
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
        untouched = untouched_around(desk, row, column)
        own = _corner_points_around(desk, colour, row, column)
        for other in range(layout.colours):
            if desk.relation[other] != 0:
                desk.near[other] = _corner_points_around(desk, other, row, column)
        for which in range(2):
            bits = big if which else small
            while bits != 0:
                orientation = which * SMALL_ORIENTATIONS + lowest_bit(bits)
                bits &= bits - _1
                squares = tables.near[_u64(orientation), WINDOW_HITS]
                edges = tables.near[_u64(orientation), WINDOW_EDGES]
                corners = tables.near[_u64(orientation), WINDOW_CORNERS]
                count = tables.orientations[orientation, ORIENTATION_SQUARES]
                against = 0
                for other in range(layout.colours):
                    if desk.relation[other] != 0:
                        against -= desk.relation[other] * count_bits(desk.near[other] & squares)
                distance = centre_distance(layout, tables, row, column, orientation) / count
                worth = (
                    size * count
                    + gained * count_bits(untouched & corners)
                    + lost * count_bits(own & (squares | edges))
                    + taken * against
                    + centre * distance
                )
                found = _insert_ranked(desk, found, wanted, spot * SPOT_STRIDE + orientation, worth)
    return found


@nb.njit(**JIT_INLINED)
def _store_legal_placements(position, layout, colour, desk):
    """Note all legal placements of a colour, were it on turn, and how many they are."""
    attached = _u64((1 + layout.colours + colour) * layout.plane)
    there = _u64(colour * layout.plane)
    big, small = position.unplaced[colour, 0], np.uint32(position.unplaced[colour, 1])
    total = 0
    for i in range(_u64(layout.plane)):
        legal = position.big[i] & position.big[attached + i] & big
        desk.big[there + i] = legal
        total += count_bits(legal)
    for i in range(_u64(layout.plane)):
        legal_too = position.small[i] & position.small[attached + i] & small
        desk.small[there + i] = legal_too
        total += count_bits(_u64(legal_too))
    desk.legal[colour] = total


@nb.njit(**JIT_INLINED)
def _count_shut_placements(layout, tables, desk, colour, corner, orientation):
    """Return how many of a colour's legal placements a placement of another colour hits."""
    hit = 0
    there = colour * layout.plane + corner
    for row in range(
        tables.orientations[orientation, ORIENTATION_FIRST_ROW],
        tables.orientations[orientation, ORIENTATION_END_ROW],
    ):
        here = _u64(there + row * layout.rows_apart)
        hits = _u64(((orientation * WINDOW_ROWS + row) * 3 + WINDOW_HITS) * WINDOW_WORDS)
        for i in range(_u64(WINDOW_WORDS)):
            hit += count_bits(desk.big[here + i] & tables.big[hits + i])
            hit += count_bits(_u64(desk.small[here + i] & tables.small[hits + i]))
    return hit


@nb.njit(**JIT_INLINED)
def _count_opened_placements(position, layout, tables, desk, colour, corner, orientation):
    """Return how many legal placements more the colour would have in the window of a placement, without its piece."""
    piece = tables.orientations[orientation, ORIENTATION_PIECE]
    unplaced_big = position.unplaced[colour, 0] & ~tables.of_piece[piece, 0]
    unplaced_small = np.uint32(position.unplaced[colour, 1] & ~tables.of_piece[piece, 1])
    now, legal = _u64(corner), _u64(colour * layout.plane + corner)
    free = _u64((1 + colour) * layout.plane + corner)
    more = 0
    for row in range(
        tables.orientations[orientation, ORIENTATION_FIRST_ROW],
        tables.orientations[orientation, ORIENTATION_END_ROW],
    ):
        step = _u64(row * layout.rows_apart)
        windows = (orientation * WINDOW_ROWS + row) * 3
        hits = _u64((windows + WINDOW_HITS) * WINDOW_WORDS)
        edges = _u64((windows + WINDOW_EDGES) * WINDOW_WORDS)
        corners = _u64((windows + WINDOW_CORNERS) * WINDOW_WORDS)
        for i in range(_u64(WINDOW_WORDS)):
            at = step + i
            big = desk.big[legal + at]
            may = position.big[now + at] & position.big[free + at] & tables.big[corners + i]
            after = (big | may) & ~(tables.big[hits + i] | tables.big[edges + i])
            more += count_bits(after & unplaced_big) - count_bits(big & unplaced_big)
        for i in range(_u64(WINDOW_WORDS)):
            at = step + i
            small = desk.small[legal + at]
            may_too = position.small[now + at] & position.small[free + at] & tables.small[corners + i]
            after_too = (small | may_too) & ~(tables.small[hits + i] | tables.small[edges + i])
            more += count_bits(_u64(after_too & unplaced_small)) - count_bits(_u64(small & unplaced_small))
    return more


@nb.njit(**JIT_INLINED)
def _count_without_piece(position, layout, tables, desk, colour, piece):
    """Return how many legal placements a colour has of its other pieces; none before its first (BK-2)."""
    if position.colours[colour, COLOUR_COVERED] == 0:
        return 0
    if desk.others[piece] < 0:
        there = _u64(colour * layout.plane)
        big, small = tables.of_piece[piece, 0], np.uint32(tables.of_piece[piece, 1])
        own = 0
        for i in range(_u64(layout.plane)):
            own += count_bits(desk.big[there + i] & big)
            own += count_bits(_u64(desk.small[there + i] & small))
        desk.others[piece] = desk.legal[colour] - own
    return desk.others[piece]


@nb.njit(**JIT_OPTIONS)
def _rerank_by_placements(position, layout, tables, weights, colour, is_own, phase, desk, found):
    """Add to the worths of the noted placements what they open to their colour and shut to others; sort again."""
    opened, shut = (
        is_own * _weight_at_phase(weights, WEIGHT_OPENED, phase),
        _weight_at_phase(weights, WEIGHT_SHUT, phase),
    )
    desk.others[:] = -1
    for other in range(layout.colours):
        if other == colour or desk.relation[other] != 0:
            _store_legal_placements(position, layout, other, desk)
    if position.colours[colour, COLOUR_COVERED] == 0:  # BK-2: the start cells will have served
        first = colour * layout.plane
        desk.big[first : first + layout.plane] = 0
        desk.small[first : first + layout.plane] = 0
    for n in range(found):
        code, worth = desk.found[n], desk.worths[n]
        spot, orientation = code // SPOT_STRIDE, code % SPOT_STRIDE
        corner = layout.origin - WINDOW_REACH * layout.rows_apart - WINDOW_REACH + spot
        if opened != 0.0:
            after = _count_without_piece(
                position, layout, tables, desk, colour, tables.orientations[orientation, ORIENTATION_PIECE]
            )
            after += _count_opened_placements(position, layout, tables, desk, colour, corner, orientation)
            worth += opened * log(after + 1.0)
        for other in range(layout.colours):
            if desk.relation[other] != 0:
                legal = desk.legal[other]
                rest = legal - _count_shut_placements(layout, tables, desk, other, corner, orientation)
                worth -= shut * desk.relation[other] * log((legal + 1.0) / (rest + 1.0))
        _insert_ranked(desk, n, n + 1, code, worth)


@nb.njit(**JIT_OPTIONS)
def rank_placements(position, layout, tables, weights, seat, desk, wanted):
    """Note the best placements of the colour on turn, best first, with their worths; return how many.

    `desk.found` and `desk.worths` hold them. What they open and shut is looked at only for the `wanted` best by the
    rest, which are all but a few in most positions.
    """
    colour = position.now[TURN_COLOUR]
    is_own = 1.0 if tables.owners[colour] == seat else 0.0
    phase = position.colours[colour, COLOUR_COVERED] / layout.squares
    mark_untouched_squares(position, layout, colour, desk)
    _store_other_colours(position, layout, tables, colour, seat, desk)
    found = _rank_by_squares(position, layout, tables, weights, colour, is_own, phase, desk, wanted)
    _rerank_by_placements(position, layout, tables, weights, colour, is_own, phase, desk, found)
    return found


@nb.njit(**JIT_MERGED)
def choose_mobility(position, layout, tables, weights, seat, desk, bits_of_luck):
    """Return the placement that is worth most; among equals 32 random bits choose."""
    found = rank_placements(position, layout, tables, weights, seat, desk, np.int64(_MAX_PLACEMENTS_COMPARED))
    equal = 1
    while equal < found and desk.worths[equal] == desk.worths[0]:
        equal += 1
    return desk.found[np.int64(number_below(bits_of_luck, _u64(equal)))]
