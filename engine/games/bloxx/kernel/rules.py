"""The rules of BLOXX!, compiled: clauses BX-3 to BX-16 on arrays.

`kernel_tables` says what an orientation is, `kernel_position` what a position is, `kernel_lanes` how all columns of a
sheet are treated at once. In every compiled function `at` is a position and `tables` a ruleset. Integers are signed
and of 64 bits unless an array holds smaller ones; nothing here comes near their ends.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.bloxx.kernel.compiling import compiled, entrance
from engine.games.bloxx.kernel.packed_columns import enter, lowest
from engine.games.bloxx.kernel.position import (
    ACTED,
    CLOSED,
    ENDED,
    FACE_A,
    FACE_B,
    FORFEITS,
    GAPS,
    NUMBER_POINTS,
    NUMBERS,
    ROUND,
    ROW_POINTS,
    ROWS,
    SEAT,
    TAKEN,
)
from engine.games.bloxx.kernel.tables import CONTACTS
from engine.kernels.luck import below, key, word
from engine.luck import DICE

DROP: Final = CONTACTS.index("drop")
REST: Final = CONTACTS.index("rest")


@compiled
def places(at, tables, seat, o, group):
    """BX-7 to BX-9, BX-11: return the squares of a group on which `o` may lie, by its lower left corner."""
    on_sheet = tables.on_sheet[o, group]
    if at.tally[seat, CLOSED] == 0:
        return on_sheet & tables.edge  # BX-8
    # Moved down by the lowest row of each of its columns, the heights of the sheet meet in one set: rows from 0 to the
    # one in which `o` stands on something drawn. It is empty where only the bottom edge is below.
    first = tables.lanes * (group + 1)
    under = 0
    for j in range(tables.width[o]):
        under |= at.under[seat, first + j] >> tables.bottom[o, j]
    free = on_sheet & ~(under >> 1)  # BX-11
    if tables.contact == REST:
        return free & under
    if tables.contact == DROP:  # falls as deep as it can: to where it stands, or else to the bottom edge
        floor = tables.edge & free & ~under
        if floor == 0:
            return free & under
        return free & under | floor & touching(at, tables, seat, o, first)
    return free & (under | touching(at, tables, seat, o, first))


@compiled
def touching(at, tables, seat, o, first):
    """BX-9: return the squares on which a square of `o` is beside a drawn one, gaps not counted (BX-10)."""
    touched = 0
    for j in range(tables.width[o]):
        rows = tables.squares_of[o, j]
        while rows:
            touched |= at.beside[seat, first + j] >> lowest(rows)
            rows &= rows - 1
    return touched


@compiled
def spot(tables, group, spots):
    """Return column and row of the first square."""
    bit = lowest(spots)
    return group * tables.lanes + (bit >> tables.shift), bit & tables.bits - 1


@entrance
def play_ply(at, tables, action):
    """Change a position by a legal action."""
    turn = at.turn
    if turn[FACE_A] < 0:
        turn[FACE_A] = action // tables.faces[1]
        turn[FACE_B] = action - turn[FACE_A] * tables.faces[1]
        return
    seat = turn[SEAT]
    if action == tables.forfeit:  # BX-6
        turn[FORFEITS] += 1
    else:
        draw(at, tables, seat, action - tables.forfeit - 1)
        if turn[ACTED] == 0:
            turn[TAKEN] = tables.placed[action - tables.forfeit - 1, 0] >= tables.of_face[1, 0]
    turn[ACTED] += 1
    turn[SEAT] = seat + 1 if seat + 1 < tables.players else 0  # BX-4
    if turn[ACTED] == tables.players:
        turn[ENDED] = turn[FORFEITS] >= 2  # BX-15
        turn[ROUND] += 1 - turn[ENDED]
        turn[SEAT] = turn[ROUND] % tables.players  # BX-3
        turn[ACTED] = turn[FORFEITS] = 0
        turn[FACE_A] = turn[FACE_B] = turn[TAKEN] = -1


@compiled
def draw(at, tables, seat, placement):
    """Draw a placement on a sheet."""
    o, x, y, mark = tables.placed[placement]
    tally = at.tally[seat]
    for j in range(tables.width[o]):
        height = y + tables.top[o, j] + 1
        raised = height - at.heights[seat, x + j]
        at.heights[seat, x + j] = height
        enter(at.under[seat], x + j, (2 << height) - 1, tables.bits)
        tally[CLOSED] += raised
        tally[GAPS] += raised - tables.filled[o, j]  # BX-10
        rows = tables.squares_of[o, j] << y
        enter(at.beside[seat], x + j - 1, rows, tables.bits)
        enter(at.beside[seat], x + j + 1, rows, tables.bits)
    for r in range(tables.height[o]):
        row = y + r
        at.missing[seat, row] &= ~(tables.across[o, r] << x)
        if at.missing[seat, row] == 0 and tables.coloured[row] >= 0:  # BX-13
            complete(at, tables, seat, tables.coloured[row])
    if mark >= 0:
        column, row = x + tables.mark_at[o, mark, 0], y + tables.mark_at[o, mark, 1]
        at.circles[seat, row] |= 1 << column
        number = tables.number[column + tables.columns * row]
        tally[NUMBERS] += number > 0
        tally[NUMBER_POINTS] += number  # BX-12


@compiled
def complete(at, tables, seat, coloured):
    """BX-14: more for the seats that complete a row in the first turn in which any does."""
    at.tally[seat, ROWS] += 1
    at.tally[seat, ROW_POINTS] += row_points(at, tables, coloured)
    at.completed[coloured, seat] = at.turn[ROUND]
    if at.first[coloured] < 0:
        at.first[coloured] = at.turn[ROUND]


@compiled
def row_points(at, tables, coloured):
    """Return what a coloured row brings that is completed now."""
    first = at.first[coloured]
    return tables.row_first if first < 0 or first == at.turn[ROUND] else tables.row_later


@compiled
def score(at, tables, seat):
    """BX-16."""
    tally = at.tally[seat]
    return (
        tally[ROW_POINTS]
        + tally[NUMBER_POINTS]
        - tables.gap_penalty * tally[GAPS]
        - tables.blank_penalty * (tables.squares - tally[CLOSED])
    )


@compiled
def ways(tables, o, crossed):
    """BX-4: return how many actions draw `o` in the same place: with its circle here or there, or with a cross."""
    return 1 if crossed else np.int64(tables.marks[o])


@compiled
def action_at(tables, o, square, mark, crossed):
    """Return the action that draws `o` with its lower left corner on a square."""
    return tables.crossed[o, square] if crossed else tables.circled[o, square] + mark


@entrance
def legal(at, tables, found):
    """Write the legal actions, ascending, into `found`; return their number."""
    turn = at.turn
    count = 0
    if turn[ENDED]:
        return count
    if turn[FACE_A] < 0:
        for roll in range(tables.forfeit):
            found[roll] = roll
        return tables.forfeit
    for die in range(2):
        face = turn[FACE_A + die]
        crossed = die == turn[TAKEN]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            first = count
            for group in range(tables.groups):
                spots = places(at, tables, turn[SEAT], o, group)
                while spots:
                    x, y = spot(tables, group, spots)
                    spots &= spots - 1
                    for mark in range(ways(tables, o, crossed)):
                        found[count] = action_at(tables, o, x + tables.columns * y, mark, crossed)
                        count += 1
            ascend(found, first, count)  # from columns to rows
    if count == 0:
        found[0] = tables.forfeit  # BX-6
        count = 1
    return count


@compiled
def ascend(numbers, first, end):
    """Sort a part of an array."""
    for i in range(first + 1, end):
        number = numbers[i]
        n = i
        while n > first and numbers[n - 1] > number:
            numbers[n] = numbers[n - 1]
            n -= 1
        numbers[n] = number


@compiled
def copy(start, at):
    """Set a position to another."""
    for i in range(len(start.turn)):
        at.turn[i] = start.turn[i]
    for i in range(len(start.first)):
        at.first[i] = start.first[i]
    copy_rows(start.completed, at.completed)
    copy_rows(start.tally, at.tally)
    copy_rows(start.heights, at.heights)
    copy_rows(start.under, at.under)
    copy_rows(start.beside, at.beside)
    copy_rows(start.missing, at.missing)
    copy_rows(start.circles, at.circles)


@compiled
def copy_rows(start, at):
    """Set an array of two dimensions to another."""
    for i in range(start.shape[0]):
        for j in range(start.shape[1]):
            at[i, j] = start[i, j]


@compiled
def roll(at, tables, seed, block):
    """BX-2: two dice, every face equally likely."""
    round_ = np.uint64(at.turn[ROUND])
    chance = key(np.uint64(DICE), np.uint64(0))
    a = word(seed, block, chance, round_, np.uint64(0))
    b = word(seed, block, chance, round_, np.uint64(1))
    face_a = np.int64(below(a, np.uint64(tables.faces[0])))
    return face_a * tables.faces[1] + np.int64(below(b, np.uint64(tables.faces[1])))
