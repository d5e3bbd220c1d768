"""The rules of BLOXX!, compiled: clauses BX-3 to BX-16 on arrays.

`kernel_tables` says what an orientation is, `kernel_position` what a position is, `kernel_lanes` how all columns of a
sheet are treated at once. In every compiled function `at` is a position and `tables` a ruleset. Integers are signed
and of 64 bits unless an array holds smaller ones; nothing here comes near their ends.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.bloxx.kernel.compiling import jit_entry, jit_internal
from engine.games.bloxx.kernel.packed_columns import add_rows_to_column, lowest_bit
from engine.games.bloxx.kernel.position import (
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
from engine.games.bloxx.kernel.tables import CONTACTS
from engine.kernels.luck import counter_key, number_below, random_word
from engine.luck import PURPOSE_DICE

CONTACT_DROP: Final = CONTACTS.index("drop")
CONTACT_REST: Final = CONTACTS.index("rest")


@jit_internal
def legal_spots(at, tables, seat, o, group):
    """BX-7 to BX-9, BX-11: return the squares of a group on which `o` may lie, by its lower left corner."""
    on_sheet = tables.on_sheet[o, group]
    if at.tally[seat, TALLY_CLOSED] == 0:
        return on_sheet & tables.edge  # BX-8
    # Moved down by the lowest row of each of its columns, the heights of the sheet meet in one set: rows from 0 to the
    # one in which `o` stands on something drawn. It is empty where only the bottom edge is below.
    first = tables.lanes * (group + 1)
    under = 0
    for j in range(tables.width[o]):
        under |= at.under[seat, first + j] >> tables.bottom[o, j]
    free = on_sheet & ~(under >> 1)  # BX-11
    if tables.contact == CONTACT_REST:
        return free & under
    if (
        tables.contact == CONTACT_DROP
    ):  # falls as deep as it can: to where it stands, or else to the bottom edge
        floor = tables.edge & free & ~under
        if floor == 0:
            return free & under
        return free & under | floor & touching_spots(at, tables, seat, o, first)
    return free & (under | touching_spots(at, tables, seat, o, first))


@jit_internal
def touching_spots(at, tables, seat, o, first):
    """BX-9: return the squares on which a square of `o` is beside a drawn one, gaps not counted (BX-10)."""
    touched = 0
    for j in range(tables.width[o]):
        rows = tables.squares_of[o, j]
        while rows:
            touched |= at.beside[seat, first + j] >> lowest_bit(rows)
            rows &= rows - 1
    return touched


@jit_internal
def first_spot(tables, group, spots):
    """Return column and row of the first square."""
    bit = lowest_bit(spots)
    return group * tables.lanes + (bit >> tables.shift), bit & tables.bits - 1


@jit_entry
def play_ply(at, tables, action):
    """Change a position by a legal action."""
    turn = at.turn
    if turn[TURN_FACE_A] < 0:
        turn[TURN_FACE_A] = action // tables.faces[1]
        turn[TURN_FACE_B] = action - turn[TURN_FACE_A] * tables.faces[1]
        return
    seat = turn[TURN_SEAT]
    if action == tables.forfeit:  # BX-6
        turn[TURN_FORFEITS] += 1
    else:
        draw_placement(at, tables, seat, action - tables.forfeit - 1)
        if turn[TURN_SEATS_ACTED] == 0:
            turn[TURN_TAKEN_DIE] = tables.placed[action - tables.forfeit - 1, 0] >= tables.of_face[1, 0]
    turn[TURN_SEATS_ACTED] += 1
    turn[TURN_SEAT] = seat + 1 if seat + 1 < tables.players else 0  # BX-4
    if turn[TURN_SEATS_ACTED] == tables.players:
        turn[TURN_IS_OVER] = turn[TURN_FORFEITS] >= 2  # BX-15
        turn[TURN_ROUND] += 1 - turn[TURN_IS_OVER]
        turn[TURN_SEAT] = turn[TURN_ROUND] % tables.players  # BX-3
        turn[TURN_SEATS_ACTED] = turn[TURN_FORFEITS] = 0
        turn[TURN_FACE_A] = turn[TURN_FACE_B] = turn[TURN_TAKEN_DIE] = -1


@jit_internal
def draw_placement(at, tables, seat, placement):
    """Draw a placement on a sheet."""
    o, x, y, mark = tables.placed[placement]
    tally = at.tally[seat]
    for j in range(tables.width[o]):
        height = y + tables.top[o, j] + 1
        raised = height - at.heights[seat, x + j]
        at.heights[seat, x + j] = height
        add_rows_to_column(at.under[seat], x + j, (2 << height) - 1, tables.bits)
        tally[TALLY_CLOSED] += raised
        tally[TALLY_GAPS] += raised - tables.filled[o, j]  # BX-10
        rows = tables.squares_of[o, j] << y
        add_rows_to_column(at.beside[seat], x + j - 1, rows, tables.bits)
        add_rows_to_column(at.beside[seat], x + j + 1, rows, tables.bits)
    for r in range(tables.height[o]):
        row = y + r
        at.missing[seat, row] &= ~(tables.across[o, r] << x)
        if at.missing[seat, row] == 0 and tables.coloured[row] >= 0:  # BX-13
            complete_row(at, tables, seat, tables.coloured[row])
    if mark >= 0:
        column, row = x + tables.mark_at[o, mark, 0], y + tables.mark_at[o, mark, 1]
        at.circles[seat, row] |= 1 << column
        number = tables.number[column + tables.columns * row]
        tally[TALLY_NUMBERS] += number > 0
        tally[TALLY_NUMBER_POINTS] += number  # BX-12


@jit_internal
def complete_row(at, tables, seat, coloured):
    """BX-14: more for the seats that complete a row in the first turn in which any does."""
    at.tally[seat, TALLY_ROWS] += 1
    at.tally[seat, TALLY_ROW_POINTS] += row_points(at, tables, coloured)
    at.completed[coloured, seat] = at.turn[TURN_ROUND]
    if at.first[coloured] < 0:
        at.first[coloured] = at.turn[TURN_ROUND]


@jit_internal
def row_points(at, tables, coloured):
    """Return what a coloured row brings that is completed now."""
    first = at.first[coloured]
    return tables.row_first if first < 0 or first == at.turn[TURN_ROUND] else tables.row_later


@jit_internal
def score(at, tables, seat):
    """BX-16."""
    tally = at.tally[seat]
    return (
        tally[TALLY_ROW_POINTS]
        + tally[TALLY_NUMBER_POINTS]
        - tables.gap_penalty * tally[TALLY_GAPS]
        - tables.blank_penalty * (tables.squares - tally[TALLY_CLOSED])
    )


@jit_internal
def count_actions_at(tables, o, crossed):
    """BX-4: return how many actions draw `o` in the same place: with its circle here or there, or with a cross."""
    return 1 if crossed else np.int64(tables.marks[o])


@jit_internal
def placement_action(tables, o, square, mark, crossed):
    """Return the action that draws `o` with its lower left corner on a square."""
    return tables.crossed[o, square] if crossed else tables.circled[o, square] + mark


@jit_entry
def list_legal_actions(at, tables, found):
    """Write the legal actions, ascending, into `found`; return their number."""
    turn = at.turn
    count = 0
    if turn[TURN_IS_OVER]:
        return count
    if turn[TURN_FACE_A] < 0:
        for roll in range(tables.forfeit):
            found[roll] = roll
        return tables.forfeit
    for die in range(2):
        face = turn[TURN_FACE_A + die]
        crossed = die == turn[TURN_TAKEN_DIE]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            first = count
            for group in range(tables.groups):
                spots = legal_spots(at, tables, turn[TURN_SEAT], o, group)
                while spots:
                    x, y = first_spot(tables, group, spots)
                    spots &= spots - 1
                    for mark in range(count_actions_at(tables, o, crossed)):
                        found[count] = placement_action(tables, o, x + tables.columns * y, mark, crossed)
                        count += 1
            sort_ascending(found, first, count)  # from columns to rows
    if count == 0:
        found[0] = tables.forfeit  # BX-6
        count = 1
    return count


@jit_internal
def sort_ascending(numbers, first, end):
    """Sort a part of an array."""
    for i in range(first + 1, end):
        number = numbers[i]
        n = i
        while n > first and numbers[n - 1] > number:
            numbers[n] = numbers[n - 1]
            n -= 1
        numbers[n] = number


@jit_internal
def copy_position(start, at):
    """Set a position to another."""
    for i in range(len(start.turn)):
        at.turn[i] = start.turn[i]
    for i in range(len(start.first)):
        at.first[i] = start.first[i]
    copy_array_2d(start.completed, at.completed)
    copy_array_2d(start.tally, at.tally)
    copy_array_2d(start.heights, at.heights)
    copy_array_2d(start.under, at.under)
    copy_array_2d(start.beside, at.beside)
    copy_array_2d(start.missing, at.missing)
    copy_array_2d(start.circles, at.circles)


@jit_internal
def copy_array_2d(start, at):
    """Set an array of two dimensions to another."""
    for i in range(start.shape[0]):
        for j in range(start.shape[1]):
            at[i, j] = start[i, j]


@jit_internal
def roll_dice(at, tables, seed, block):
    """BX-2: two dice, every face equally likely."""
    round_ = np.uint64(at.turn[TURN_ROUND])
    chance = counter_key(np.uint64(PURPOSE_DICE), np.uint64(0))
    a = random_word(seed, block, chance, round_, np.uint64(0))
    b = random_word(seed, block, chance, round_, np.uint64(1))
    face_a = np.int64(number_below(a, np.uint64(tables.faces[0])))
    return face_a * tables.faces[1] + np.int64(number_below(b, np.uint64(tables.faces[1])))
