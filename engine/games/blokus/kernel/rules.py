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

from engine.games.blokus.kernel.position import (
    COLOUR_COVERED,
    COLOUR_END_BLOCK,
    COLOUR_FIRST_BLOCK,
    COLOUR_IS_OUT,
    COLOUR_POINTS,
    COLOUR_UNPLACED,
    TURN_COLOUR,
    TURN_IS_OVER,
    TURN_ROUND,
)
from engine.games.blokus.kernel.tables import (
    BLOCK_SPOTS,
    ORIENTATION_END_ROW,
    ORIENTATION_FIRST_ROW,
    ORIENTATION_PIECE,
    ORIENTATION_SHAPE,
    ORIENTATION_SQUARES,
    SMALL_ORIENTATIONS,
    WINDOW_CORNERS,
    WINDOW_EDGES,
    WINDOW_HITS,
    WINDOW_REACH,
    WINDOW_ROWS,
    WINDOW_WORDS,
)

JIT_OPTIONS: Final = {"nogil": True, "_nrt": False}
"""How functions are compiled: without counting references to arrays. It is done with locked instructions, and took half
of the time of a game. So nothing can be allocated."""
JIT_INLINED: Final = {**JIT_OPTIONS, "forceinline": True}
JIT_MERGED: Final = {**JIT_OPTIONS, "inline": "always"}
"""For what is used once: merged into its caller before it is compiled. Whatever is compiled by itself is compiled again
with every caller, and each level between a search and a batch of games took 6 s."""

_u64: Final = np.uint64
_1: Final = _u64(1)
_2: Final = _u64(2)
_3: Final = _u64(3)
_4: Final = _u64(4)


@nb.njit(**JIT_INLINED)
def count_bits(bits):
    """Count the bits of a uint64: the textbook sum in pairs, nibbles and bytes, which compiles to one instruction."""
    bits -= (bits >> _1) & _u64(0x5555555555555555)
    bits = (bits & _u64(0x3333333333333333)) + ((bits >> _u64(2)) & _u64(0x3333333333333333))
    bits = (bits + (bits >> _u64(4))) & _u64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * _u64(0x0101010101010101)) >> _u64(56))


@nb.njit(**JIT_INLINED)
def lowest_bit(bits):
    """Return the place of the lowest bit: those below it, counted."""
    return count_bits(~bits & (bits - _1))


@nb.njit(**JIT_INLINED)
def nth_bit(bits, n):
    """Return the place of bit number n that is set: the lowest n are taken away."""
    for _ in range(n):
        bits &= bits - _1
    return lowest_bit(bits)


@nb.njit(**JIT_INLINED)
def _subtract_window_row(plane, at, windows, row):
    """Take one row of a window away from a plane.

    Four words are read before four are written: so the compiler may join them to a vector without knowing that the
    arrays do not overlap.
    """
    for _ in range(WINDOW_WORDS // 4):
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


@nb.njit(**JIT_INLINED)
def _add_window_row(plane, at, windows, row, free):
    """Add one row of a window to a plane, and keep in that row only what is free; fours as above."""
    for _ in range(WINDOW_WORDS // 4):
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


@nb.njit(**JIT_INLINED)
def legal_big(position, layout, colour, spot):
    """Return the big word of a colour's legal placements at a spot."""
    here = _u64(layout.origin) + _u64(spot)
    attached = _u64((1 + layout.colours + colour) * layout.plane)
    both = position.big[here] & position.big[attached + here]
    return both & position.unplaced[colour, 0]


@nb.njit(**JIT_INLINED)
def legal_small(position, layout, colour, spot):
    """Return the small word, as a uint64."""
    here = _u64(layout.origin) + _u64(spot)
    attached = _u64((1 + layout.colours + colour) * layout.plane)
    both = position.small[here] & position.small[attached + here]
    return _u64(both) & position.unplaced[colour, 1]


@nb.njit(**JIT_INLINED)
def count_placements(position, layout, colour, desk):
    """Return how many legal placements a colour has, and note the sum up to and with each block."""
    big, pairs = position.big, position.pairs
    unplaced_big, unplaced_pair = position.unplaced[colour, 0], position.unplaced[colour, 1]
    unplaced_pair |= unplaced_pair << _u64(32)
    attached = _u64((1 + layout.colours + colour) * layout.plane)
    total = 0
    for block in range(
        position.colours[colour, COLOUR_FIRST_BLOCK], position.colours[colour, COLOUR_END_BLOCK]
    ):
        first = _u64(layout.origin + block * BLOCK_SPOTS)
        mine = attached + first
        ones = 0
        for i in range(_u64(BLOCK_SPOTS // 2)):
            ones += count_bits(big[first + i] & big[mine + i] & unplaced_big)
            other = i + _u64(BLOCK_SPOTS // 2)
            ones += count_bits(big[first + other] & big[mine + other] & unplaced_big)
            ones += count_bits(pairs[(first >> _1) + i] & pairs[(mine >> _1) + i] & unplaced_pair)
        total += ones
        desk.counts[_u64(block)] = total
    return total


@nb.njit(**JIT_INLINED)
def nth_placement(position, layout, colour, desk, n):
    """Return spot and orientation of legal placement number n; the blocks have just been counted."""
    block = position.colours[colour, COLOUR_FIRST_BLOCK]
    before = 0
    while desk.counts[block] <= n:
        before = desk.counts[block]
        block += 1
    n -= before
    spot = block * BLOCK_SPOTS
    while True:
        bits = legal_small(position, layout, colour, spot)
        ones = count_bits(bits)
        if n < ones:
            return spot, nth_bit(bits, n)
        n -= ones
        bits = legal_big(position, layout, colour, spot)
        ones = count_bits(bits)
        if n < ones:
            return spot, SMALL_ORIENTATIONS + nth_bit(bits, n)
        n -= ones
        spot += 1


@nb.njit(**JIT_INLINED)
def place_piece(position, layout, tables, colour, spot, orientation):
    """Place a piece: BK-2, BK-4, BK-5 in the planes, BK-8 in the points."""
    big, small, now = position.big, position.small, position.colours[colour]
    numbers = tables.orientations[orientation]
    plane = layout.plane
    free, attached = _u64((1 + colour) * plane), _u64((1 + layout.colours + colour) * plane)
    if now[COLOUR_COVERED] == 0:  # BK-2: the start cells have served
        spots = _u64(layout.side * layout.rows_apart)
        for i in range(spots):
            big[attached + _u64(layout.origin) + i] = 0
        for i in range(spots):
            small[attached + _u64(layout.origin) + i] = 0
        now[COLOUR_FIRST_BLOCK], now[COLOUR_END_BLOCK] = layout.blocks, 0
    corner = layout.origin - WINDOW_REACH * layout.rows_apart - WINDOW_REACH + spot  # the window's first word
    for row in range(numbers[ORIENTATION_FIRST_ROW], numbers[ORIENTATION_END_ROW]):
        here = _u64(corner + row * layout.rows_apart)
        windows = (orientation * WINDOW_ROWS + row) * 3
        hits = _u64((windows + WINDOW_HITS) * WINDOW_WORDS)
        edges = _u64((windows + WINDOW_EDGES) * WINDOW_WORDS)
        corners = _u64((windows + WINDOW_CORNERS) * WINDOW_WORDS)
        _subtract_window_row(big, here, tables.big, hits)
        _subtract_window_row(big, free + here, tables.big, edges)
        _add_window_row(big, attached + here, tables.big, corners, free + here)
        _subtract_window_row(small, here, tables.small, hits)
        _subtract_window_row(small, free + here, tables.small, edges)
        _add_window_row(small, attached + here, tables.small, corners, free + here)
    first = corner - layout.origin + numbers[ORIENTATION_FIRST_ROW] * layout.rows_apart
    last = corner - layout.origin + (numbers[ORIENTATION_END_ROW] - 1) * layout.rows_apart + WINDOW_WORDS
    now[COLOUR_FIRST_BLOCK] = min(now[COLOUR_FIRST_BLOCK], max(first, 0) // BLOCK_SPOTS)
    now[COLOUR_END_BLOCK] = max(now[COLOUR_END_BLOCK], min(last // BLOCK_SPOTS + 1, layout.blocks))
    row, column = spot // layout.rows_apart, spot % layout.rows_apart
    for i in range(5):
        position.taken[colour, row + 1 + i] |= _u64(numbers[ORIENTATION_SHAPE + i] << column + 1)
    _spend_piece(position, layout, tables, colour, numbers[ORIENTATION_PIECE], numbers[ORIENTATION_SQUARES])


@nb.njit(**JIT_INLINED)
def _spend_piece(position, layout, tables, colour, piece, squares):
    """A piece has gone to the board: BK-4, no piece twice; BK-8, the points as if the game ended here."""
    now = position.colours[colour]
    position.unplaced[colour, 0] &= ~tables.of_piece[piece, 0]
    position.unplaced[colour, 1] &= ~tables.of_piece[piece, 1]
    before = now[COLOUR_UNPLACED]
    now[COLOUR_UNPLACED] = before & ~(1 << piece)
    now[COLOUR_COVERED] += squares
    if now[COLOUR_UNPLACED] != 0:
        now[COLOUR_POINTS] = now[COLOUR_COVERED] - layout.squares
    elif before == layout.single:
        now[COLOUR_POINTS] = layout.bonus_single_last
    else:
        now[COLOUR_POINTS] = layout.bonus


@nb.njit(**JIT_INLINED)
def advance_turn(position, layout):
    """Go on to the next colour (BK-1) that is not out (BK-6, BK-7), or to the end."""
    turn, lap = position.now[TURN_COLOUR], position.now[TURN_ROUND]
    for _ in range(layout.colours):
        turn += 1
        if turn == layout.colours:
            turn = 0
            lap += 1
        if position.colours[turn, COLOUR_IS_OUT] == 0:
            position.now[TURN_COLOUR] = turn
            position.now[TURN_ROUND] = lap
            return
    position.now[TURN_IS_OVER] = 1


@nb.njit(**JIT_INLINED)
def seat_on_turn(position, layout, tables):
    """Return who places the colour on turn. BK-10: one without an owner is placed by all seats in turn."""
    turn = position.now[TURN_COLOUR]
    if tables.owners[turn] >= 0:
        return tables.owners[turn]
    return (layout.pieces - count_bits(_u64(position.colours[turn, COLOUR_UNPLACED]))) % layout.players


@nb.njit(**JIT_INLINED)
def score(position, layout, tables, seat):
    """BK-9: the points of a seat's colours."""
    total = 0
    for colour in range(layout.colours):
        if tables.owners[colour] == seat:
            total += position.colours[colour, COLOUR_POINTS]
    return total


@nb.njit(cache=True, **JIT_INLINED)
def copy_position(source, target, layout):
    """Make one position equal to another. Planes beside the board are of no meaning, but for `open`, never set there."""
    spots = _u64(layout.side * layout.rows_apart)
    for plane in range(1 + 2 * layout.colours):
        first = _u64(layout.origin + plane * layout.plane)
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
