"""How much room the colours have on a board of Blokus Dice after each candidate, compiled.

The strategy `learned` asks this for each of its candidates. A colour may cover the squares that are not drawn and not
beside a square of it; some of them are at its corners. A drawn shape takes squares from all colours, and changes the
corners of its own only. So the corners of the other colours are listed once for a decision.

Columns have a bit for each row, both with a margin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.position import BOARD_COLOURS
from engine.games.blokus_dice.kernel.rules import placement_corner
from engine.games.blokus_dice.ruleset import COLOUR_NAMES
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit
from engine.kernels.compiling import copy_array, jit_inlined, jit_internal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Tables

MARGIN: Final = 2
"""Columns and rows around the play area, so that a square has neighbours at a distance of two on all sides."""
COLOURS: Final = len(COLOUR_NAMES)


class Room(NamedTuple):
    """The squares of a board before a decision, and after a candidate."""

    empty: NDArray[np.int64]
    """(columns,) squares that are not drawn."""
    free: NDArray[np.int64]
    """(colours, columns) squares that a colour may cover."""
    diagonal: NDArray[np.int64]
    """(colours, columns) squares that meet one of the colour corner to corner; BD-4: before its first, the corner squares."""
    drawn_counts: NDArray[np.int64]
    """(colours,) squares of a colour."""
    free_counts: NDArray[np.int64]
    """(colours,) squares that it may cover."""
    corner_counts: NDArray[np.int64]
    """(colours,) of these, squares at its corners."""
    corners: NDArray[np.int64]
    """(colours, squares, 3) column and row of each of these, and the squares around it that the colour may cover."""
    some: NDArray[np.int64]
    """(columns,) squares that at least one of the colours that are not held may cover."""
    several: NDArray[np.int64]
    """(columns,) squares that at least two of them may cover."""
    placed: NDArray[np.int64]
    """(columns,) squares of the candidate."""
    free_after: NDArray[np.int64]
    """(columns,) squares that the colour held may cover after it."""


class ColourRoom(NamedTuple):
    """The room that a colour has after a candidate."""

    drawn: np.int64
    """Its squares."""
    free: np.int64
    """Squares that it may cover."""
    corners: np.int64
    """Of these, squares at its corners."""
    around: np.int64
    """For each of the corners the squares around it that the colour may cover, added up."""
    most: np.int64
    """The most squares around one corner."""


def make_room(tables: Tables) -> Room:
    """Return room for the decisions under one ruleset."""
    columns = tables.side + 2 * MARGIN
    of_colours, of_board = (COLOURS, columns), (columns,)
    return Room(
        empty=np.zeros(of_board, np.int64),
        free=np.zeros(of_colours, np.int64),
        diagonal=np.zeros(of_colours, np.int64),
        drawn_counts=np.zeros(COLOURS, np.int64),
        free_counts=np.zeros(COLOURS, np.int64),
        corner_counts=np.zeros(COLOURS, np.int64),
        corners=np.zeros((COLOURS, tables.side**2, 3), np.int64),
        some=np.zeros(of_board, np.int64),
        several=np.zeros(of_board, np.int64),
        placed=np.zeros(of_board, np.int64),
        free_after=np.zeros(of_board, np.int64),
    )


@jit_internal
def store_room(position, tables, room, seat, held):
    """Write to `room` what the board of a seat is like before a decision in the colour `held`."""
    side = np.int64(tables.side)
    area, empty = ((1 << side) - 1) << MARGIN, room.empty
    for column in range(MARGIN, side + MARGIN):
        empty[column] = area
        for colour in range(COLOURS):
            empty[column] &= ~(np.int64(position.filled[seat, colour, column - MARGIN]) << MARGIN)
    room.some[:] = 0
    room.several[:] = 0
    begun = position.boards[seat, BOARD_COLOURS]
    for colour in range(COLOURS):
        _store_colour(position.filled[seat, colour], room, colour, side, begun >> colour & 1)
        if colour != held:
            for column in range(MARGIN, side + MARGIN):
                room.several[column] |= room.some[column] & room.free[colour, column]
                room.some[column] |= room.free[colour, column]


@jit_inlined
def _store_colour(drawn, room, colour, side, is_begun):
    """Write what the board is like for a colour. `drawn` are its squares without a margin."""
    free, diagonal = room.free[colour], room.diagonal[colour]
    copy_array(room.empty, free)
    diagonal[:] = 0
    own = free_count = count = np.int64(0)
    for x in range(side):
        squares = np.int64(drawn[x]) << MARGIN
        own += count_bits(squares)
        _add_neighbours(squares, x + MARGIN, free, diagonal)
    if not is_begun:
        corner_squares = np.int64(1 << MARGIN | 1 << (side + MARGIN - 1))
        diagonal[MARGIN] = diagonal[side + MARGIN - 1] = corner_squares
    for column in range(MARGIN, side + MARGIN):
        free_count += count_bits(free[column])
        rest = diagonal[column] & free[column]
        while rest:
            row = lowest_bit(rest)
            rest = clear_lowest_bit(rest)
            place = room.corners[colour, count]
            place[0], place[1], place[2] = column, row, _count_around(free, column, row)
            count += 1
    room.drawn_counts[colour] = own
    room.free_counts[colour] = free_count
    room.corner_counts[colour] = count


@jit_inlined
def _add_neighbours(squares, column, free, diagonal):
    """Take drawn squares of a column and those beside them from the free ones; add those that meet them at corners."""
    beside = squares << 1 | squares >> 1
    free[column] &= ~(squares | beside)
    free[column - 1] &= ~squares
    free[column + 1] &= ~squares
    diagonal[column - 1] |= beside
    diagonal[column + 1] |= beside


@jit_inlined
def _count_around(squares, column, row):
    """Count the squares of a set among the 8 neighbours of a square, and those 2 away from it in a straight line."""
    around = count_bits(squares[column] >> (row - 2) & 0b11011)
    around += count_bits(squares[column - 1] >> (row - 1) & 0b111)
    around += count_bits(squares[column + 1] >> (row - 1) & 0b111)
    return around + (squares[column - 2] >> row & 1) + (squares[column + 2] >> row & 1)


@jit_inlined
def place_candidate(tables, room, held, placement):
    """Write to `room` what a candidate in the colour held changes for all colours.

    Returns the unfilled squares that no colour may cover any more, and those that at least two may cover.
    """
    x, y, orientation = placement_corner(tables, placement)
    placed, after = room.placed, room.free_after
    placed[:] = 0
    copy_array(room.free[held], after)
    for column in range(np.int64(tables.widths[orientation])):
        squares = np.int64(tables.squares[orientation, column]) << (y + MARGIN)
        place = x + column + MARGIN
        placed[place] = squares
        after[place] &= ~(squares | squares << 1 | squares >> 1)
        after[place - 1] &= ~squares
        after[place + 1] &= ~squares
    lost = shared = np.int64(0)
    for column in range(MARGIN, np.int64(tables.side) + MARGIN):
        empty, own = room.empty[column] & ~placed[column], after[column]
        lost += count_bits(empty & ~(room.some[column] | own))
        shared += count_bits(empty & (room.several[column] | room.some[column] & own))
    return lost, shared


@jit_inlined
def held_colour_room(tables, room, held, placement, is_begun):
    """Return the room of the colour held after the candidate that was placed last."""
    side = np.int64(tables.side)
    _, _, orientation = placement_corner(tables, placement)
    placed, free = room.placed, room.free_after
    free_count = corners = around = most = np.int64(0)
    for column in range(MARGIN, side + MARGIN):
        free_count += count_bits(free[column])
        near = placed[column - 1] | placed[column + 1]
        diagonal = near << 1 | near >> 1
        if is_begun:
            diagonal |= room.diagonal[held, column]
        rest = diagonal & free[column]
        while rest:
            row = lowest_bit(rest)
            rest = clear_lowest_bit(rest)
            squares = _count_around(free, column, row)
            corners += 1
            around += squares
            most = max(most, squares)
    drawn = room.drawn_counts[held] + tables.sizes[orientation]
    return ColourRoom(drawn, free_count, corners, around, most)


@jit_inlined
def other_colour_room(tables, room, colour, placement):
    """Return the room of a colour that is not held after the candidate that was placed last."""
    x, _, orientation = placement_corner(tables, placement)
    placed, free_count = room.placed, room.free_counts[colour]
    for column in range(x + MARGIN, x + MARGIN + np.int64(tables.widths[orientation])):
        free_count -= count_bits(placed[column] & room.free[colour, column])
    corners = around = most = np.int64(0)
    for n in range(room.corner_counts[colour]):
        place = room.corners[colour, n]
        column, row = place[0], place[1]
        is_left = 1 - (placed[column] >> row & 1)  # no branches here: they would be hard to predict
        squares = is_left * (place[2] - _count_taken(room, colour, column, row))
        corners += is_left
        around += squares
        most = max(most, squares)
    return ColourRoom(room.drawn_counts[colour], free_count, corners, around, most)


@jit_inlined
def _count_taken(room, colour, column, row):
    """Count the squares around a square that the colour might have covered, had the candidate not covered them."""
    placed, free = room.placed, room.free[colour]
    taken = count_bits((placed[column] & free[column]) >> (row - 2) & 0b11011)
    for step in (-1, 1):
        taken += count_bits((placed[column + step] & free[column + step]) >> (row - 1) & 0b111)
        taken += (placed[column + 2 * step] & free[column + 2 * step]) >> row & 1
    return taken
