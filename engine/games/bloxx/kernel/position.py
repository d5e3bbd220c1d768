"""Positions of BLOXX! as arrays, and their conversion from and to the positions of the rules.

By BX-11 a sheet is the drawn heights of its columns and the marks in it. In the descriptions of arrays, "rows" is a set
of rows as the bits of an integer, and "columns" a set of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.bloxx.kernel.packed_columns import MARGIN
from engine.games.bloxx.rules import BloxxState, Sheet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.bloxx.kernel.tables import Tables
    from engine.games.bloxx.ruleset import BloxxRuleset

# Places in Position.turn
TURN_ROUND: Final = 0
TURN_SEATS_ACTED: Final = 1
TURN_SEAT: Final = 2
TURN_FACE_A: Final = 3
TURN_FACE_B: Final = 4
TURN_TAKEN_DIE: Final = 5
TURN_FORFEITS: Final = 6
TURN_IS_OVER: Final = 7

# Columns of Position.tally
TALLY_ROWS: Final = 0
TALLY_ROW_POINTS: Final = 1
TALLY_NUMBERS: Final = 2
TALLY_NUMBER_POINTS: Final = 3
TALLY_GAPS: Final = 4
TALLY_CLOSED: Final = 5
TALLY_BARRED: Final = 6


class Position(NamedTuple):
    """A position."""

    turn: NDArray[np.int64]
    """(8,) as in `BloxxState`. The faces are -1 before the roll, the taken die is -1 while no die is taken."""
    tally: NDArray[np.int64]
    """(seat, 7) what counts for the score; squares are closed when they are drawn or gaps. At last `Sheet.barred`."""
    heights: NDArray[np.int64]
    """(seat, column) number of rows up to the highest drawn square."""
    under: NDArray[np.uint8]
    """(seat, bytes) lanes of all columns: rows from 0 to the height, that row included; none for a column without drawn
    squares."""
    beside: NDArray[np.uint8]
    """(seat, bytes) lanes of all columns: rows in which a neighbour is drawn."""
    missing: NDArray[np.int64]
    """(seat, row) columns that are not drawn."""
    circles: NDArray[np.int64]
    """(seat, row) columns with a circle."""
    first: NDArray[np.int64]
    """(coloured row,) turn in which any seat first completed it, or -1."""
    completed: NDArray[np.int64]
    """(coloured row, seat) turn in which the seat completed it, or -1."""


def make_start_position(tables: Tables) -> Position:
    """Return the position at the start of a game, in new arrays."""
    players, coloured = tables.players, int(tables.coloured.max()) + 1
    room = (MARGIN + tables.lanes * tables.groups + tables.columns) * tables.lane_bits // 8 + 8
    turn = np.zeros(8, np.int64)
    turn[[TURN_FACE_A, TURN_FACE_B, TURN_TAKEN_DIE]] = -1
    return Position(
        turn=turn,
        tally=np.zeros((players, 7), np.int64),
        heights=np.zeros((players, tables.columns), np.int64),
        under=np.zeros((players, room), np.uint8),
        beside=np.zeros((players, room), np.uint8),
        missing=np.full((players, tables.rows), (1 << tables.columns) - 1, np.int64),
        circles=np.zeros((players, tables.rows), np.int64),
        first=np.full(coloured, -1, np.int64),
        completed=np.full((coloured, players), -1, np.int64),
    )


def pack_state(state: BloxxState, tables: Tables) -> Position:
    """Return a position of the rules as arrays; raise InvalidError if no play leads to it."""
    position = make_start_position(tables)
    position.turn[[TURN_ROUND, TURN_SEATS_ACTED, TURN_FORFEITS, TURN_IS_OVER]] = (
        state.round,
        state.acted,
        state.forfeits,
        state.ended,
    )
    position.turn[TURN_SEAT] = (state.active_seat + state.acted) % tables.players
    position.turn[[TURN_FACE_A, TURN_FACE_B]] = state.roll or (-1, -1)
    position.turn[TURN_TAKEN_DIE] = -1 if state.taken is None else state.taken
    for seat, sheet in enumerate(state.sheets):
        _pack_sheet(position, seat, sheet, tables)
        rows, numbers, gaps, _ = state.parts_of(seat)
        position.tally[seat, :TALLY_CLOSED] = (
            rows.count,
            rows.points,
            numbers.count,
            numbers.points,
            gaps.count,
        )
    for row, turns in enumerate(state.completed):
        position.completed[row] = turns
        position.first[row] = min((turn for turn in turns if turn >= 0), default=-1)
    if unpack_state(position, state.ruleset) != state:
        raise InvalidError(f"{state.ruleset.name}: no play leads to this position (BX-11)")
    return position


def _pack_sheet(position: Position, seat: int, sheet: Sheet, tables: Tables) -> None:
    under, beside = (
        sets[seat].view(f"i{tables.lane_bits // 8}") for sets in (position.under, position.beside)
    )
    for cell in range(tables.squares):
        row, column = divmod(cell, tables.columns)
        if sheet.drawn_squares >> cell & 1:
            position.heights[seat, column] = row + 1
            under[MARGIN + column] |= (2 << row + 1) - 1
            beside[MARGIN + column - 1] |= 1 << row
            beside[MARGIN + column + 1] |= 1 << row
            position.missing[seat, row] -= 1 << column
        if sheet.circles >> cell & 1:
            position.circles[seat, row] |= 1 << column
    position.tally[seat, TALLY_CLOSED] = position.heights[seat].sum()
    position.tally[seat, TALLY_BARRED] = sheet.barred


def unpack_state(position: Position, ruleset: BloxxRuleset) -> BloxxState:
    """Return arrays as a position of the rules."""
    turn = [int(number) for number in position.turn]
    return BloxxState(
        ruleset,
        turn[TURN_ROUND],
        tuple(_unpack_sheet(position, seat, ruleset) for seat in range(ruleset.players)),
        tuple(tuple(int(turn) for turn in turns) for turns in position.completed),
        roll=None if turn[TURN_FACE_A] < 0 else (turn[TURN_FACE_A], turn[TURN_FACE_B]),
        acted=turn[TURN_SEATS_ACTED],
        taken=None if turn[TURN_TAKEN_DIE] < 0 else turn[TURN_TAKEN_DIE],
        forfeits=turn[TURN_FORFEITS],
        ended=bool(turn[TURN_IS_OVER]),
    )


def _unpack_sheet(position: Position, seat: int, ruleset: BloxxRuleset) -> Sheet:
    """Return one sheet. A square that is not drawn, below the height of its column, is a gap (BX-10)."""
    whole = (1 << ruleset.columns) - 1
    circles = drawn = closed = 0
    for row in range(ruleset.rows):
        shift = ruleset.columns * row
        circles |= int(position.circles[seat, row]) << shift
        drawn |= (whole & ~int(position.missing[seat, row])) << shift
        closed |= sum(1 << x for x, height in enumerate(position.heights[seat]) if height > row) << shift
    return Sheet(circles, drawn & ~circles, closed & ~drawn, int(position.tally[seat, TALLY_BARRED]))
