"""The rules of Blokus compiled: planes of placements, and what a placement changes in them.

`kernel_tables` says what spots, words, planes and windows are. A position has the planes
    open          placements that lie on the board and on empty squares (BK-5), shared by all colours;
    free[c]       placements that touch no piece of colour c along an edge (BK-4);
    attached[c]   those among them that cover a corner point of colour c (BK-4), before its first piece a start cell,
and two words `unplaced[c]` with the orientations of the pieces that colour c has left (BK-4). At every spot
    legal(c) = open & attached[c] & unplaced[c]
and a placement changes the planes by the three windows of its orientation. Spots ascending, at each the small word
before the big one, bits ascending: that is the order of the action numbers, so drawing the k-th of n legal actions
takes counts of bits and no list.
"""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np

from engine.games.blokus.kernel.position import COVERED, ENDED, HIGH, LEFT, LOW, OUT, POINTS, ROUND, TURN
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
    SHAPE,
    SMALL,
    SQUARES,
    WIDE,
)

BARE: Final = {"nogil": True, "_nrt": False}
"""How functions are compiled: without counting references to arrays. It is done with locked instructions, and took half
of the time of a game. So nothing can be allocated."""
INLINED: Final = {**BARE, "forceinline": True}
MERGED: Final = {**BARE, "inline": "always"}
"""For what is used once: merged into its caller before it is compiled. Whatever is compiled by itself is compiled again
with every caller, and each level between a search and a batch of games took 6 s."""

_U: Final = np.uint64
_1: Final = _U(1)
_2: Final = _U(2)
_3: Final = _U(3)
_4: Final = _U(4)


@nb.njit(**INLINED)
def bits_in(bits):
    """Count the bits of a uint64: the textbook sum in pairs, nibbles and bytes, which compiles to one instruction."""
    bits -= (bits >> _1) & _U(0x5555555555555555)
    bits = (bits & _U(0x3333333333333333)) + ((bits >> _U(2)) & _U(0x3333333333333333))
    bits = (bits + (bits >> _U(4))) & _U(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * _U(0x0101010101010101)) >> _U(56))


@nb.njit(**INLINED)
def lowest(bits):
    """Return the place of the lowest bit: those below it, counted."""
    return bits_in(~bits & (bits - _1))


@nb.njit(**INLINED)
def nth(bits, n):
    """Return the place of bit number n that is set: the lowest n are taken away."""
    for _ in range(n):
        bits &= bits - _1
    return lowest(bits)


@nb.njit(**INLINED)
def _clear(plane, at, windows, row):
    """Take one row of a window away from a plane.

    Four words are read before four are written: so the compiler may join them to a vector without knowing that the
    arrays do not overlap.
    """
    for _ in range(WIDE // 4):
        a = plane[at] & ~windows[row]
        b = plane[at + _1] & ~windows[row + _1]
        c = plane[at + _2] & ~windows[row + _2]
        d = plane[at + _3] & ~windows[row + _3]
        plane[at] = a
        plane[at + _1] = b
        plane[at + _2] = c
        plane[at + _3] = d
        at += _4
        row += _4


@nb.njit(**INLINED)
def _grow(plane, at, windows, row, free):
    """Add one row of a window to a plane, and keep in that row only what is free; fours as above."""
    for _ in range(WIDE // 4):
        a = (plane[at] | windows[row]) & plane[free]
        b = (plane[at + _1] | windows[row + _1]) & plane[free + _1]
        c = (plane[at + _2] | windows[row + _2]) & plane[free + _2]
        d = (plane[at + _3] | windows[row + _3]) & plane[free + _3]
        plane[at] = a
        plane[at + _1] = b
        plane[at + _2] = c
        plane[at + _3] = d
        at += _4
        free += _4
        row += _4


@nb.njit(**INLINED)
def legal_big(position, layout, colour, spot):
    """Return the big word of a colour's legal placements at a spot."""
    here = _U(layout.origin) + _U(spot)
    attached = _U((1 + layout.colours + colour) * layout.plane)
    both = position.big[here] & position.big[attached + here]
    return both & position.unplaced[colour, 0]


@nb.njit(**INLINED)
def legal_small(position, layout, colour, spot):
    """Return the small word, as a uint64."""
    here = _U(layout.origin) + _U(spot)
    attached = _U((1 + layout.colours + colour) * layout.plane)
    both = position.small[here] & position.small[attached + here]
    return _U(both) & position.unplaced[colour, 1]


@nb.njit(**INLINED)
def count(position, layout, colour, desk):
    """Return how many legal placements a colour has, and note the sum up to and with each block."""
    big, pairs = position.big, position.pairs
    unplaced_big, unplaced_pair = position.unplaced[colour, 0], position.unplaced[colour, 1]
    unplaced_pair |= unplaced_pair << _U(32)
    attached = _U((1 + layout.colours + colour) * layout.plane)
    total = 0
    for block in range(position.colours[colour, LOW], position.colours[colour, HIGH]):
        first = _U(layout.origin + block * BLOCK)
        mine = attached + first
        ones = 0
        for i in range(_U(BLOCK // 2)):
            ones += bits_in(big[first + i] & big[mine + i] & unplaced_big)
            other = i + _U(BLOCK // 2)
            ones += bits_in(big[first + other] & big[mine + other] & unplaced_big)
            ones += bits_in(pairs[(first >> _1) + i] & pairs[(mine >> _1) + i] & unplaced_pair)
        total += ones
        desk.counts[_U(block)] = total
    return total


@nb.njit(**INLINED)
def placement(position, layout, colour, desk, n):
    """Return spot and orientation of legal placement number n; the blocks have just been counted."""
    block = position.colours[colour, LOW]
    before = 0
    while desk.counts[block] <= n:
        before = desk.counts[block]
        block += 1
    n -= before
    spot = block * BLOCK
    while True:
        bits = legal_small(position, layout, colour, spot)
        ones = bits_in(bits)
        if n < ones:
            return spot, nth(bits, n)
        n -= ones
        bits = legal_big(position, layout, colour, spot)
        ones = bits_in(bits)
        if n < ones:
            return spot, SMALL + nth(bits, n)
        n -= ones
        spot += 1


@nb.njit(**INLINED)
def place(position, layout, tables, colour, spot, orientation):
    """Place a piece: BK-2, BK-4, BK-5 in the planes, BK-8 in the points."""
    big, small, now = position.big, position.small, position.colours[colour]
    numbers = tables.orientations[orientation]
    plane = layout.plane
    free, attached = _U((1 + colour) * plane), _U((1 + layout.colours + colour) * plane)
    if now[COVERED] == 0:  # BK-2: the start cells have served
        spots = _U(layout.side * layout.rows_apart)
        for i in range(spots):
            big[attached + _U(layout.origin) + i] = 0
        for i in range(spots):
            small[attached + _U(layout.origin) + i] = 0
        now[LOW], now[HIGH] = layout.blocks, 0
    corner = layout.origin - REACH * layout.rows_apart - REACH + spot  # the window's first word
    for row in range(numbers[FIRST], numbers[LAST]):
        here = _U(corner + row * layout.rows_apart)
        windows = (orientation * ROWS + row) * 3
        hits = _U((windows + HITS) * WIDE)
        edges = _U((windows + EDGES) * WIDE)
        corners = _U((windows + CORNERS) * WIDE)
        _clear(big, here, tables.big, hits)
        _clear(big, free + here, tables.big, edges)
        _grow(big, attached + here, tables.big, corners, free + here)
        _clear(small, here, tables.small, hits)
        _clear(small, free + here, tables.small, edges)
        _grow(small, attached + here, tables.small, corners, free + here)
    first = corner - layout.origin + numbers[FIRST] * layout.rows_apart
    last = corner - layout.origin + (numbers[LAST] - 1) * layout.rows_apart + WIDE
    now[LOW] = min(now[LOW], max(first, 0) // BLOCK)
    now[HIGH] = max(now[HIGH], min(last // BLOCK + 1, layout.blocks))
    row, column = spot // layout.rows_apart, spot % layout.rows_apart
    for i in range(5):
        position.taken[colour, row + 1 + i] |= _U(numbers[SHAPE + i] << column + 1)
    _spend(position, layout, tables, colour, numbers[PIECE], numbers[SQUARES])


@nb.njit(**INLINED)
def _spend(position, layout, tables, colour, piece, squares):
    """A piece has gone to the board: BK-4, no piece twice; BK-8, the points as if the game ended here."""
    now = position.colours[colour]
    position.unplaced[colour, 0] &= ~tables.of_piece[piece, 0]
    position.unplaced[colour, 1] &= ~tables.of_piece[piece, 1]
    before = now[LEFT]
    now[LEFT] = before & ~(1 << piece)
    now[COVERED] += squares
    if now[LEFT] != 0:
        now[POINTS] = now[COVERED] - layout.squares
    elif before == layout.single:
        now[POINTS] = layout.bonus_single_last
    else:
        now[POINTS] = layout.bonus


@nb.njit(**INLINED)
def go_on(position, layout):
    """Go on to the next colour (BK-1) that is not out (BK-6, BK-7), or to the end."""
    turn, lap = position.now[TURN], position.now[ROUND]
    for _ in range(layout.colours):
        turn += 1
        if turn == layout.colours:
            turn = 0
            lap += 1
        if position.colours[turn, OUT] == 0:
            position.now[TURN] = turn
            position.now[ROUND] = lap
            return
    position.now[ENDED] = 1


@nb.njit(**INLINED)
def seat_on_turn(position, layout, tables):
    """Return who places the colour on turn. BK-10: one without an owner is placed by all seats in turn."""
    turn = position.now[TURN]
    if tables.owners[turn] >= 0:
        return tables.owners[turn]
    return (layout.pieces - bits_in(_U(position.colours[turn, LEFT]))) % layout.players


@nb.njit(**INLINED)
def score(position, layout, tables, seat):
    """BK-9: the points of a seat's colours."""
    total = 0
    for colour in range(layout.colours):
        if tables.owners[colour] == seat:
            total += position.colours[colour, POINTS]
    return total


@nb.njit(cache=True, **INLINED)
def copy(source, target, layout):
    """Make one position equal to another. Planes beside the board are of no meaning, but for `open`, never set there."""
    spots = _U(layout.side * layout.rows_apart)
    for plane in range(1 + 2 * layout.colours):
        first = _U(layout.origin + plane * layout.plane)
        for i in range(spots):
            target.big[first + i] = source.big[first + i]
        for i in range(spots):
            target.small[first + i] = source.small[first + i]
    for colour in range(len(source.colours)):
        for i in range(source.colours.shape[1]):
            target.colours[colour, i] = source.colours[colour, i]
        for i in range(source.taken.shape[1]):
            target.taken[colour, i] = source.taken[colour, i]
        for i in range(2):
            target.unplaced[colour, i] = source.unplaced[colour, i]
    for i in range(len(source.now)):
        target.now[i] = source.now[i]
