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

from engine.games.blokus.kernel.policies import ORIENTATIONS, centre_distance, look_round, seven_by_seven
from engine.games.blokus.kernel.position import COVERED, HIGH, LOW, OUT, TURN
from engine.games.blokus.kernel.rules import BARE, INLINED, MERGED, bits_in, legal_big, legal_small, lowest
from engine.games.blokus.kernel.tables import (
    BLOCK,
    CORNERS,
    EDGES,
    FIRST,
    HITS,
    LAST,
    PIECE,
    REACH,
    ROWS,
    SMALL,
    SQUARES,
    WIDE,
)
from engine.kernels.luck import below

_U: Final = np.uint64
_1: Final = _U(1)

# Places of the weights, each followed by that of the end of the game
SIZE: Final = 0
GAINED: Final = 2
LOST: Final = 4
TAKEN: Final = 6
CENTRE: Final = 8
OPENED: Final = 10
SHUT: Final = 12

_LOOKED_AT: Final = 64
"""Placements of which `mobility` counts what they open and shut."""


@nb.njit(**INLINED)
def _weight(weights, place, phase):
    return weights[place] + (weights[place + 1] - weights[place]) * phase


@nb.njit(**INLINED)
def _look_at_others(position, layout, tables, colour, seat, desk):
    """Note who is friend (1), foe (-1) or neither (0), and the corner points of each colour."""
    board = (_1 << _U(layout.side + 1)) - _U(2)
    for other in range(layout.colours):
        owner = tables.owners[other]
        desk.relation[other] = 0
        if other != colour and owner >= 0 and position.colours[other, OUT] == 0:
            desk.relation[other] = 1 if owner == seat else -1
        if other != colour and desk.relation[other] == 0:
            continue
        for row in range(1, layout.side + 1):
            own = position.taken[other, row]
            beside = position.taken[other, row - 1] | position.taken[other, row + 1]
            taken = _U(0)
            for any_colour in range(layout.colours):
                taken |= position.taken[any_colour, row]
            edges = beside | own << _1 | own >> _1
            corners = beside << _1 | beside >> _1
            desk.corner_points[other, row] = corners & ~edges & ~taken & board


@nb.njit(**INLINED)
def _corner_points(desk, colour, row, column):
    """Return a colour's corner points of the 7 x 7 round a spot, as `Tables.near` counts them."""
    bits = _U(0)
    for i in range(7):
        bits |= (desk.corner_points[colour, row + i] >> _U(column) & _U(0x7F)) << _U(7 * i)
    return bits


@nb.njit(**INLINED)
def _keep(desk, found, wanted, code, worth):
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


@nb.njit(**BARE)
def _by_squares(position, layout, tables, weights, colour, is_own, phase, desk, wanted):
    """Note the placements best by size, corner points and nearness to the middle; return how many."""
    size, gained, lost, taken, centre = (
        is_own * _weight(weights, SIZE, phase),
        is_own * _weight(weights, GAINED, phase),
        is_own * _weight(weights, LOST, phase),
        _weight(weights, TAKEN, phase),
        is_own * _weight(weights, CENTRE, phase) / (layout.side * layout.side),
    )
    found = 0
    first, last = position.colours[colour, LOW] * BLOCK, position.colours[colour, HIGH] * BLOCK
    for spot in range(first, last):
        small = legal_small(position, layout, colour, spot)
        big = legal_big(position, layout, colour, spot)
        if small | big == 0:
            continue
        row, column = spot // layout.rows_apart, spot % layout.rows_apart
        untouched = seven_by_seven(desk, row, column)
        own = _corner_points(desk, colour, row, column)
        for other in range(layout.colours):
            if desk.relation[other] != 0:
                desk.near[other] = _corner_points(desk, other, row, column)
        for which in range(2):
            bits = big if which else small
            while bits != 0:
                orientation = which * SMALL + lowest(bits)
                bits &= bits - _1
                squares = tables.near[_U(orientation), HITS]
                edges = tables.near[_U(orientation), EDGES]
                corners = tables.near[_U(orientation), CORNERS]
                count = tables.orientations[orientation, SQUARES]
                against = 0
                for other in range(layout.colours):
                    if desk.relation[other] != 0:
                        against -= desk.relation[other] * bits_in(desk.near[other] & squares)
                distance = centre_distance(layout, tables, row, column, orientation) / count
                worth = (
                    size * count
                    + gained * bits_in(untouched & corners)
                    + lost * bits_in(own & (squares | edges))
                    + taken * against
                    + centre * distance
                )
                found = _keep(desk, found, wanted, spot * ORIENTATIONS + orientation, worth)
    return found


@nb.njit(**INLINED)
def _note_legal(position, layout, colour, desk):
    """Note all legal placements of a colour, were it on turn, and how many they are."""
    attached = _U((1 + layout.colours + colour) * layout.plane)
    there = _U(colour * layout.plane)
    big, small = position.unplaced[colour, 0], np.uint32(position.unplaced[colour, 1])
    total = 0
    for i in range(_U(layout.plane)):
        legal = position.big[i] & position.big[attached + i] & big
        desk.big[there + i] = legal
        total += bits_in(legal)
    for i in range(_U(layout.plane)):
        legal_too = position.small[i] & position.small[attached + i] & small
        desk.small[there + i] = legal_too
        total += bits_in(_U(legal_too))
    desk.legal[colour] = total


@nb.njit(**INLINED)
def _shut(layout, tables, desk, colour, corner, orientation):
    """Return how many of a colour's legal placements a placement of another colour hits."""
    hit = 0
    there = colour * layout.plane + corner
    for row in range(tables.orientations[orientation, FIRST], tables.orientations[orientation, LAST]):
        here = _U(there + row * layout.rows_apart)
        hits = _U(((orientation * ROWS + row) * 3 + HITS) * WIDE)
        for i in range(_U(WIDE)):
            hit += bits_in(desk.big[here + i] & tables.big[hits + i])
            hit += bits_in(_U(desk.small[here + i] & tables.small[hits + i]))
    return hit


@nb.njit(**INLINED)
def _opened(position, layout, tables, desk, colour, corner, orientation):
    """Return how many legal placements more the colour would have in the window of a placement, without its piece."""
    piece = tables.orientations[orientation, PIECE]
    unplaced_big = position.unplaced[colour, 0] & ~tables.of_piece[piece, 0]
    unplaced_small = np.uint32(position.unplaced[colour, 1] & ~tables.of_piece[piece, 1])
    now, legal = _U(corner), _U(colour * layout.plane + corner)
    free = _U((1 + colour) * layout.plane + corner)
    more = 0
    for row in range(tables.orientations[orientation, FIRST], tables.orientations[orientation, LAST]):
        step = _U(row * layout.rows_apart)
        windows = (orientation * ROWS + row) * 3
        hits = _U((windows + HITS) * WIDE)
        edges = _U((windows + EDGES) * WIDE)
        corners = _U((windows + CORNERS) * WIDE)
        for i in range(_U(WIDE)):
            at = step + i
            big = desk.big[legal + at]
            may = position.big[now + at] & position.big[free + at] & tables.big[corners + i]
            after = (big | may) & ~(tables.big[hits + i] | tables.big[edges + i])
            more += bits_in(after & unplaced_big) - bits_in(big & unplaced_big)
        for i in range(_U(WIDE)):
            at = step + i
            small = desk.small[legal + at]
            may_too = position.small[now + at] & position.small[free + at] & tables.small[corners + i]
            after_too = (small | may_too) & ~(tables.small[hits + i] | tables.small[edges + i])
            more += bits_in(_U(after_too & unplaced_small)) - bits_in(_U(small & unplaced_small))
    return more


@nb.njit(**INLINED)
def _without(position, layout, tables, desk, colour, piece):
    """Return how many legal placements a colour has of its other pieces; none before its first (BK-2)."""
    if position.colours[colour, COVERED] == 0:
        return 0
    if desk.others[piece] < 0:
        there = _U(colour * layout.plane)
        big, small = tables.of_piece[piece, 0], np.uint32(tables.of_piece[piece, 1])
        own = 0
        for i in range(_U(layout.plane)):
            own += bits_in(desk.big[there + i] & big)
            own += bits_in(_U(desk.small[there + i] & small))
        desk.others[piece] = desk.legal[colour] - own
    return desk.others[piece]


@nb.njit(**BARE)
def _by_placements(position, layout, tables, weights, colour, is_own, phase, desk, found):
    """Add to the worths of the noted placements what they open to their colour and shut to others; sort again."""
    opened, shut = is_own * _weight(weights, OPENED, phase), _weight(weights, SHUT, phase)
    desk.others[:] = -1
    for other in range(layout.colours):
        if other == colour or desk.relation[other] != 0:
            _note_legal(position, layout, other, desk)
    if position.colours[colour, COVERED] == 0:  # BK-2: the start cells will have served
        first = colour * layout.plane
        desk.big[first : first + layout.plane] = 0
        desk.small[first : first + layout.plane] = 0
    for n in range(found):
        code, worth = desk.found[n], desk.worths[n]
        spot, orientation = code // ORIENTATIONS, code % ORIENTATIONS
        corner = layout.origin - REACH * layout.rows_apart - REACH + spot
        if opened != 0.0:
            after = _without(position, layout, tables, desk, colour, tables.orientations[orientation, PIECE])
            after += _opened(position, layout, tables, desk, colour, corner, orientation)
            worth += opened * log(after + 1.0)
        for other in range(layout.colours):
            if desk.relation[other] != 0:
                legal = desk.legal[other]
                rest = legal - _shut(layout, tables, desk, other, corner, orientation)
                worth -= shut * desk.relation[other] * log((legal + 1.0) / (rest + 1.0))
        _keep(desk, n, n + 1, code, worth)


@nb.njit(**BARE)
def ranked(position, layout, tables, weights, seat, desk, wanted):
    """Note the best placements of the colour on turn, best first, with their worths; return how many.

    `desk.found` and `desk.worths` hold them. What they open and shut is looked at only for the `wanted` best by the
    rest, which are all but a few in most positions.
    """
    colour = position.now[TURN]
    is_own = 1.0 if tables.owners[colour] == seat else 0.0
    phase = position.colours[colour, COVERED] / layout.squares
    look_round(position, layout, colour, desk)
    _look_at_others(position, layout, tables, colour, seat, desk)
    found = _by_squares(position, layout, tables, weights, colour, is_own, phase, desk, wanted)
    _by_placements(position, layout, tables, weights, colour, is_own, phase, desk, found)
    return found


@nb.njit(**MERGED)
def most_mobile(position, layout, tables, weights, seat, desk, bits_of_luck):
    """Return the placement that is worth most; among equals 32 random bits choose."""
    found = ranked(position, layout, tables, weights, seat, desk, np.int64(_LOOKED_AT))
    equal = 1
    while equal < found and desk.worths[equal] == desk.worths[0]:
        equal += 1
    return desk.found[np.int64(below(bits_of_luck, _U(equal)))]
