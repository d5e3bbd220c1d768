"""The rules of BLOXX!, compiled: clauses BX-2 to BX-16 on arrays.

`tables` says what an orientation is, `position` what a position is, and `packed_columns` how all columns of a sheet are
treated at once. Integers are signed and have 64 bits unless an array holds smaller ones; no number comes near their
limits. The functions that every ply needs index arrays by unsigned integers, because Numba tests each signed index
for less than 0. Arithmetic mixes no unsigned integer with a signed one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.bloxx.kernel.packed_columns import add_rows_to_column, find_spots
from engine.games.bloxx.kernel.position import (
    TALLY_BARRED,
    TALLY_CLOSED,
    TALLY_GAPS,
    TALLY_NUMBER_POINTS,
    TALLY_NUMBERS,
    TALLY_ROW_POINTS,
    TALLY_ROWS,
    TURN_FACE_A,
    TURN_FACE_B,
    TURN_FORFEITS,
    TURN_IS_OVER,
    TURN_ROUND,
    TURN_SEAT,
    TURN_SEATS_ACTED,
    TURN_TAKEN_DIE,
)
from engine.kernels.bits import clear_lowest_bit, lowest_bit
from engine.kernels.compiling import copy_array, jit_entry, jit_inlined, jit_inlined_entry, jit_internal
from engine.kernels.luck import counter_key, number_below, random_word
from engine.luck import PURPOSE_DICE

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Placement(NamedTuple):
    """An orientation in its place on a sheet, whatever its circle."""

    o: np.int64
    """Orientation."""
    x: np.int64
    """Column of its lower left corner."""
    y: np.int64
    """Row of its lower left corner."""


class Contacts(NamedTuple):
    """What decides on one sheet where shapes may lie."""

    under: NDArray[np.uint8]
    """(bytes,) as in Position."""
    beside: NDArray[np.uint8]
    """(bytes,) as in Position."""
    touched: np.int64
    """Spots at which a shape needs no contact: all of an empty sheet, else none."""
    touching: np.int64
    """Spots at which it is enough to touch a drawn square."""
    barred: np.int64
    """Faces that may not be drawn."""


@jit_internal
def find_contacts(position, tables, seat):
    """Return what decides on the sheet of a seat where shapes may lie (BX-8, BX-9)."""
    sheet = np.uint64(seat)
    tally = position.tally[sheet]
    touched, touching = np.int64(0), tables.touching
    if tally[TALLY_CLOSED] == 0:
        touched, touching = np.int64(-1), tables.bottom_rows
    return Contacts(position.under[sheet], position.beside[sheet], touched, touching, tally[TALLY_BARRED])


@jit_internal
def orientations_of_face(tables, contacts, die, face):
    """Return the first orientation of a face and the first of the next one; both are equal if the face is barred."""
    place = np.uint64(die), np.uint64(face)
    first, end = np.int64(tables.of_face[place]), np.int64(tables.of_face[place[0], place[1] + np.uint64(1)])
    if first < end and contacts.barred & tables.face_bits[np.uint64(first)]:
        return first, first
    return first, end


@jit_internal
def store_legal_spots(contacts, tables, o, spots):
    """Write to `spots`, (groups,), the squares on which the lower left corner of `o` may lie (BX-7 to BX-11).

    Returns how many there are.
    """
    under, beside, touched, touching, _ = contacts
    count = 0
    for pair in range(tables.groups >> 1):
        steps = tables.steps[np.uint64(o), np.uint64(pair)]
        count += find_spots(under, beside, steps, tables.parts, touched, touching, spots, 2 * pair)
    return count


@jit_internal
def lowest_spot(tables, group, spots):
    """Return column and row of the lowest spot of the first column that has any."""
    bit = lowest_bit(spots)
    return group * tables.lanes + (bit >> tables.lane_shift), bit & tables.lane_bits - 1


@jit_inlined_entry
def play_ply(position, tables, action):
    """Change a position by a legal action."""
    turn = position.turn
    if turn[TURN_FACE_A] < 0:
        turn[TURN_FACE_A] = action // tables.faces[1]
        turn[TURN_FACE_B] = action - turn[TURN_FACE_A] * tables.faces[1]
        return
    seat = turn[TURN_SEAT]
    if action == tables.forfeit:  # BX-6
        turn[TURN_FORFEITS] += 1
    else:
        draw_placement(position, tables, seat, action)
        if turn[TURN_SEATS_ACTED] == 0:
            o = tables.placements[action - tables.forfeit - 1, 0]
            turn[TURN_TAKEN_DIE] = o >= tables.of_face[1, 0]
    turn[TURN_SEATS_ACTED] += 1
    turn[TURN_SEAT] = seat + 1 if seat + 1 < tables.players else 0  # BX-4
    if turn[TURN_SEATS_ACTED] == tables.players:
        turn[TURN_IS_OVER] = turn[TURN_FORFEITS] >= 2  # BX-15
        turn[TURN_ROUND] += 1 - turn[TURN_IS_OVER]
        turn[TURN_SEAT] = turn[TURN_ROUND] % tables.players  # BX-3
        turn[TURN_SEATS_ACTED] = turn[TURN_FORFEITS] = 0
        turn[TURN_FACE_A] = turn[TURN_FACE_B] = turn[TURN_TAKEN_DIE] = -1


@jit_internal
def draw_placement(position, tables, seat, action):
    """Draw the placement of an action on a sheet."""
    o, x, y, mark = tables.placements[np.uint64(action - tables.forfeit - 1)]
    form, sheet, first = np.uint64(o), np.uint64(seat), np.uint64(x)
    tally = position.tally[seat]
    for j in range(np.uint64(tables.width[form])):
        height = y + tables.top[form, j] + 1
        raised = height - position.heights[sheet, first + j]
        position.heights[sheet, first + j] = height
        tally[TALLY_CLOSED] += raised
        tally[TALLY_GAPS] += raised - tables.filled[form, j]  # BX-10
        column = x + np.int64(j)
        rows = tables.squares_of[form, j] << y
        add_rows_to_column(position.under[sheet], column, (2 << height) - 1, tables.lane_bits)
        add_rows_to_column(position.beside[sheet], column - 1, rows, tables.lane_bits)
        add_rows_to_column(position.beside[sheet], column + 1, rows, tables.lane_bits)
    for r in range(tables.height[o]):
        row = y + r
        position.missing[seat, row] &= ~(tables.across[o, r] << x)
        if position.missing[seat, row] == 0 and tables.coloured[row] >= 0:  # BX-13
            complete_row(position, tables, seat, tables.coloured[row])
    if mark >= 0:
        column, row = x + tables.mark_at[o, mark, 0], y + tables.mark_at[o, mark, 1]
        position.circles[seat, row] |= 1 << column
        number = tables.number[column + tables.columns * row]
        tally[TALLY_NUMBERS] += number > 0
        tally[TALLY_NUMBER_POINTS] += number  # BX-12


@jit_internal
def complete_row(position, tables, seat, coloured):
    """Score a coloured row: more for the seats that complete it in the first turn in which any seat does (BX-14)."""
    position.tally[seat, TALLY_ROWS] += 1
    position.tally[seat, TALLY_ROW_POINTS] += row_points(position, tables, coloured)
    position.completed[coloured, seat] = position.turn[TURN_ROUND]
    if position.first[coloured] < 0:
        position.first[coloured] = position.turn[TURN_ROUND]


@jit_internal
def row_points(position, tables, coloured):
    """Return the points of a coloured row that is completed now (BX-14)."""
    first = position.first[coloured]
    return tables.row_first if first < 0 or first == position.turn[TURN_ROUND] else tables.row_later


@jit_internal
def score(position, tables, seat):
    """Return the score of a seat (BX-16)."""
    tally = position.tally[seat]
    return (
        tally[TALLY_ROW_POINTS]
        + tally[TALLY_NUMBER_POINTS]
        - tables.gap_penalty * tally[TALLY_GAPS]
        - tables.blank_penalty * (tables.squares - tally[TALLY_CLOSED])
    )


@jit_internal
def count_actions_at(tables, o, crossed):
    """Return how many actions draw `o` in one place (BX-4): one for each place of its circle, or one with a cross."""
    return 1 if crossed else np.int64(tables.marks[np.uint64(o)])


@jit_internal
def placement_action(tables, o, square, mark, crossed):
    """Return the action that draws `o` with its lower left corner on a square."""
    place = np.uint64(o), np.uint64(square)
    return tables.crossed[place] if crossed else tables.circled[place] + mark


@jit_entry
def list_legal_actions(position, tables, spots, actions):
    """Write the legal actions, ascending, into `actions`; return their number. `spots` is room, (groups,)."""
    turn = position.turn
    count = 0
    if turn[TURN_IS_OVER]:
        return count
    if turn[TURN_FACE_A] < 0:
        for roll in range(tables.forfeit):
            actions[roll] = roll
        return tables.forfeit
    contacts = find_contacts(position, tables, turn[TURN_SEAT])
    for die in range(2):
        crossed = die == turn[TURN_TAKEN_DIE]
        first_orientation, end = orientations_of_face(tables, contacts, die, turn[TURN_FACE_A + die])
        for o in range(first_orientation, end):
            first = count
            store_legal_spots(contacts, tables, o, spots)
            for group in range(tables.groups):
                left = spots[group]
                while left:
                    x, y = lowest_spot(tables, group, left)
                    left = clear_lowest_bit(left)
                    for mark in range(count_actions_at(tables, o, crossed)):
                        actions[count] = placement_action(tables, o, x + tables.columns * y, mark, crossed)
                        count += 1
            sort_ascending(actions, first, count)  # they come column by column, and are numbered row by row
    if count == 0:
        actions[0] = tables.forfeit  # BX-6
        count = 1
    return count


@jit_internal
def sort_ascending(numbers, first, end):
    """Sort the elements of an array from `first` to `end` - 1."""
    for i in range(first + 1, end):
        number = numbers[i]
        n = i
        while n > first and numbers[n - 1] > number:
            numbers[n] = numbers[n - 1]
            n -= 1
        numbers[n] = number


@jit_internal
def copy_position(source, target):
    """Copy a position into another one of the same ruleset."""
    copy_array(source.turn, target.turn)
    copy_array(source.tally, target.tally)
    copy_array(source.heights, target.heights)
    copy_array(source.under, target.under)
    copy_array(source.beside, target.beside)
    copy_array(source.missing, target.missing)
    copy_array(source.circles, target.circles)
    copy_array(source.first, target.first)
    copy_array(source.completed, target.completed)


@jit_inlined
def roll_dice(position, tables, seed, block):
    """Return the action that rolls two dice, every face equally likely (BX-2)."""
    round_ = np.uint64(position.turn[TURN_ROUND])
    chance = counter_key(np.uint64(PURPOSE_DICE), np.uint64(0))
    a = random_word(seed, block, chance, round_, np.uint64(0))
    b = random_word(seed, block, chance, round_, np.uint64(1))
    face_a = np.int64(number_below(a, np.uint64(tables.faces[0])))
    return face_a * tables.faces[1] + np.int64(number_below(b, np.uint64(tables.faces[1])))
