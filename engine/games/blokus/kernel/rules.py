"""The rules of Blokus, compiled: which placements are legal, and what a placement changes.

The words spot, orientation, plane and window are explained in `tables`. A position has the planes
    open          placements that lie on the board and on empty squares (BK-5), shared by all colours;
    free[c]       placements that touch no piece of colour c along an edge (BK-4);
    attached[c]   those among them that cover a corner point of colour c (BK-4), before its first piece a start cell;
and two words `unplaced[c]` with the orientations of the pieces that colour c has left (BK-4). At every spot
    legal(c) = open & attached[c] & unplaced[c]
and a placement changes the planes by the three windows of its orientation.

Going through the spots in ascending order, at each spot through the small word and then the big one, and through the
bits of a word from the lowest, meets the placements in the order of the action numbers. So the n-th legal action is
found by counting bits, without a list of the actions.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus.kernel.position import (
    COLOUR_COVERED,
    COLOUR_END_CHUNK,
    COLOUR_FIRST_CHUNK,
    COLOUR_IS_OUT,
    COLOUR_POINTS,
    COLOUR_UNPLACED,
    TURN_COLOUR,
    TURN_IS_OVER,
    TURN_ROUND,
)
from engine.games.blokus.kernel.tables import (
    CHUNK_SPOTS,
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
from engine.kernels.bits import count_bits, nth_bit
from engine.kernels.compiling import jit_inlined, jit_inlined_entry

_u64: Final = np.uint64
_1: Final = _u64(1)
_2: Final = _u64(2)
_3: Final = _u64(3)
_4: Final = _u64(4)


@jit_inlined
def count_members(word):
    """Return how many placements a word has, as a signed number: uint64 and int64 add up to a float in Numba."""
    return np.int64(count_bits(word))


@jit_inlined
def free_plane(tables, colour):
    """Return the index of the first word of a colour's plane of free placements."""
    return _u64((1 + colour) * tables.plane_words)


@jit_inlined
def attached_plane(tables, colour):
    """Return the index of the first word of a colour's plane of attached placements."""
    return _u64((1 + tables.colours + colour) * tables.plane_words)


@jit_inlined
def window_start(tables, spot):
    """Return the index within a plane of the first word that the window of a placement at a spot affects."""
    return tables.origin - WINDOW_REACH * tables.row_stride - WINDOW_REACH + spot


@jit_inlined
def window_row(orientation, row, kind):
    """Return the index of the first word of a row of a window."""
    return _u64(((orientation * WINDOW_ROWS + row) * 3 + kind) * WINDOW_WORDS)


@jit_inlined
def chunk_spots(position, colour):
    """Return the first spot at which a colour may have an attached placement, and one past the last."""
    colours = position.colours
    return colours[colour, COLOUR_FIRST_CHUNK] * CHUNK_SPOTS, colours[colour, COLOUR_END_CHUNK] * CHUNK_SPOTS


@jit_inlined
def legal_big(position, tables, colour, spot):
    """Return the big word of a colour's legal placements at a spot."""
    word = _u64(tables.origin) + _u64(spot)
    attached = attached_plane(tables, colour)
    return position.big[word] & position.big[attached + word] & position.unplaced[colour, 0]


@jit_inlined
def legal_small(position, tables, colour, spot):
    """Return the small word of a colour's legal placements at a spot, as a uint64."""
    word = _u64(tables.origin) + _u64(spot)
    attached = attached_plane(tables, colour)
    return _u64(position.small[word] & position.small[attached + word]) & position.unplaced[colour, 1]


@jit_inlined
def count_placements(position, tables, colour, workspace):
    """Return how many legal placements a colour has; `workspace.counts` gets the sum up to and including each chunk."""
    big, pairs = position.big, position.small_pairs
    unplaced_big, unplaced_pair = position.unplaced[colour, 0], position.unplaced[colour, 1]
    unplaced_pair |= unplaced_pair << _u64(32)
    attached_words = attached_plane(tables, colour)
    total = 0
    for chunk in range(
        position.colours[colour, COLOUR_FIRST_CHUNK], position.colours[colour, COLOUR_END_CHUNK]
    ):
        first = _u64(tables.origin + chunk * CHUNK_SPOTS)
        attached = attached_words + first
        members = 0
        for i in range(_u64(CHUNK_SPOTS // 2)):
            members += count_members(big[first + i] & big[attached + i] & unplaced_big)
            j = i + _u64(CHUNK_SPOTS // 2)
            members += count_members(big[first + j] & big[attached + j] & unplaced_big)
            members += count_members(pairs[(first >> _1) + i] & pairs[(attached >> _1) + i] & unplaced_pair)
        total += members
        workspace.counts[_u64(chunk)] = total
    return total


@jit_inlined
def nth_placement(position, tables, colour, workspace, n):
    """Return spot and orientation of the n-th legal placement, from 0; `count_placements` must have run just before."""
    chunk, before = nth_chunk(position, colour, workspace, n)
    n -= before
    spot = chunk * CHUNK_SPOTS
    while True:
        bits = legal_small(position, tables, colour, spot)
        members = count_members(bits)
        if n < members:
            return spot, np.int64(nth_bit(bits, n))
        n -= members
        bits = legal_big(position, tables, colour, spot)
        members = count_members(bits)
        if n < members:
            return spot, SMALL_ORIENTATIONS + np.int64(nth_bit(bits, n))
        n -= members
        spot += 1


@jit_inlined
def nth_chunk(position, colour, workspace, n):
    """Return the chunk of the n-th placement of `workspace.counts`, and how many there are in the chunks before it."""
    chunk = position.colours[colour, COLOUR_FIRST_CHUNK]
    before = 0
    while workspace.counts[chunk] <= n:
        before = workspace.counts[chunk]
        chunk += 1
    return chunk, before


@jit_inlined
def place_piece(position, tables, colour, spot, orientation):
    """Place a piece: BK-2, BK-4 and BK-5 change the planes, BK-8 the points."""
    own = position.colours[colour]
    facts = tables.orientations[orientation]
    if own[COLOUR_COVERED] == 0:
        _clear_start_cells(position, tables, colour)
    start = window_start(tables, spot)
    _apply_window(position.big, tables.big_windows, tables, colour, start, orientation)
    _apply_window(position.small, tables.small_windows, tables, colour, start, orientation)
    first = start - tables.origin + facts[ORIENTATION_FIRST_ROW] * tables.row_stride
    last = start - tables.origin + (facts[ORIENTATION_END_ROW] - 1) * tables.row_stride + WINDOW_WORDS
    own[COLOUR_FIRST_CHUNK] = min(own[COLOUR_FIRST_CHUNK], max(first, 0) // CHUNK_SPOTS)
    own[COLOUR_END_CHUNK] = max(own[COLOUR_END_CHUNK], min(last // CHUNK_SPOTS + 1, tables.chunks))
    row, column = spot // tables.row_stride, spot % tables.row_stride
    for i in range(5):
        position.covered[colour, row + 1 + i] |= _u64(facts[ORIENTATION_SHAPE + i] << column + 1)
    _spend_piece(position, tables, colour, facts[ORIENTATION_PIECE], facts[ORIENTATION_SQUARES])


@jit_inlined
def _clear_start_cells(position, tables, colour):
    """BK-2: empty the attached plane, which holds the start cells until the first piece is placed."""
    first = attached_plane(tables, colour) + _u64(tables.origin)
    spots = _u64(tables.side * tables.row_stride)
    for i in range(spots):
        position.big[first + i] = 0
    for i in range(spots):
        position.small[first + i] = 0
    position.colours[colour, COLOUR_FIRST_CHUNK] = tables.chunks
    position.colours[colour, COLOUR_END_CHUNK] = 0


@jit_inlined
def _apply_window(words, windows, tables, colour, start, orientation):
    """Change three planes by a placement: BK-5 the open placements, BK-4 the colour's free and attached placements."""
    facts = tables.orientations[orientation]
    free, attached = free_plane(tables, colour), attached_plane(tables, colour)
    for row in range(facts[ORIENTATION_FIRST_ROW], facts[ORIENTATION_END_ROW]):
        word = _u64(start + row * tables.row_stride)
        _subtract_window_row(words, word, windows, window_row(orientation, row, WINDOW_HITS))
        _subtract_window_row(words, free + word, windows, window_row(orientation, row, WINDOW_EDGES))
        corners = window_row(orientation, row, WINDOW_CORNERS)
        _add_window_row(words, attached + word, windows, corners, free + word)


@jit_inlined
def _subtract_window_row(plane, at, windows, row):
    """Take one row of a window away from a plane.

    Four words are read before four are written, so that the compiler may join them to a vector without knowing that
    the arrays do not overlap.
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


@jit_inlined
def _add_window_row(plane, at, windows, row, free):
    """Add one row of a window to a plane, then keep only what is free in that row. Four words at once, as above."""
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


@jit_inlined
def _spend_piece(position, tables, colour, piece, squares):
    """Take a piece from the unplaced ones (BK-4: no piece twice) and count the points as if the game ended now (BK-8)."""
    own = position.colours[colour]
    position.unplaced[colour, 0] &= ~tables.piece_orientations[piece, 0]
    position.unplaced[colour, 1] &= ~tables.piece_orientations[piece, 1]
    before = own[COLOUR_UNPLACED]
    own[COLOUR_UNPLACED] = before & ~(1 << piece)
    own[COLOUR_COVERED] += squares
    if own[COLOUR_UNPLACED] != 0:
        own[COLOUR_POINTS] = own[COLOUR_COVERED] - tables.squares
    elif before == tables.single_square_set:
        own[COLOUR_POINTS] = tables.bonus_single_last
    else:
        own[COLOUR_POINTS] = tables.bonus


@jit_inlined
def advance_turn(position, tables):
    """Go on to the next colour (BK-1) that is not out (BK-6), or end the game if all are (BK-7)."""
    colour, round_ = position.turn[TURN_COLOUR], position.turn[TURN_ROUND]
    for _ in range(tables.colours):
        colour += 1
        if colour == tables.colours:
            colour = 0
            round_ += 1
        if position.colours[colour, COLOUR_IS_OUT] == 0:
            position.turn[TURN_COLOUR] = colour
            position.turn[TURN_ROUND] = round_
            return
    position.turn[TURN_IS_OVER] = 1


@jit_inlined
def acting_seat(position, tables):
    """Return the seat that plays the colour on turn. BK-10: all seats take turns with a colour without an owner."""
    colour = position.turn[TURN_COLOUR]
    if tables.colour_owners[colour] >= 0:
        return tables.colour_owners[colour]
    placed = tables.pieces - count_members(_u64(position.colours[colour, COLOUR_UNPLACED]))
    return placed % tables.players


@jit_inlined
def score(position, tables, seat):
    """BK-9: return the sum of the points of a seat's colours."""
    total = 0
    for colour in range(tables.colours):
        if tables.colour_owners[colour] == seat:
            total += position.colours[colour, COLOUR_POINTS]
    return total


@jit_inlined_entry
def copy_position(source, target, tables):
    """Make one position equal to another.

    The padding of the planes is not copied: only that of the open placements matters, and it is always zero.
    """
    spots = _u64(tables.side * tables.row_stride)
    for plane in range(1 + 2 * tables.colours):
        first = _u64(tables.origin + plane * tables.plane_words)
        for i in range(spots):
            target.big[first + i] = source.big[first + i]
        for i in range(spots):
            target.small[first + i] = source.small[first + i]
    for colour in range(len(source.colours)):
        for i in range(source.colours.shape[1]):
            target.colours[colour, i] = source.colours[colour, i]
        for i in range(source.covered.shape[1]):
            target.covered[colour, i] = source.covered[colour, i]
        for i in range(2):
            target.unplaced[colour, i] = source.unplaced[colour, i]
    for i in range(len(source.turn)):
        target.turn[i] = source.turn[i]
