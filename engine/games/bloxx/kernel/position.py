"""A position of BLOXX! as arrays, there and back; and what is kept of games.

BX-11 makes a sheet the drawn heights of its columns plus marks. `rows` in a shape is a set of rows as an integer, one
bit a row, and `columns` a set of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.bloxx.kernel.packed_columns import add_rows_to_column
from engine.games.bloxx.rules import BloxxState, Sheet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.bloxx.kernel.tables import Tables
    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.kernels.contract import IntArray

# places in Position.turn
TURN_ROUND: Final = 0
TURN_SEATS_ACTED: Final = 1
TURN_SEAT: Final = 2
TURN_FACE_A: Final = 3
TURN_FACE_B: Final = 4
TURN_TAKEN_DIE: Final = 5
TURN_FORFEITS: Final = 6
TURN_IS_OVER: Final = 7

# columns of Position.tally
TALLY_ROWS: Final = 0
TALLY_ROW_POINTS: Final = 1
TALLY_NUMBERS: Final = 2
TALLY_NUMBER_POINTS: Final = 3
TALLY_GAPS: Final = 4
TALLY_CLOSED: Final = 5


class Position(NamedTuple):
    """A position."""

    turn: NDArray[np.int64]
    """(8,) as `BloxxState` has it; the faces are -1 before the roll, TAKEN is -1 when no die is taken."""
    tally: NDArray[np.int64]
    """(seat, 6) what counts; CLOSED squares are drawn or gaps."""
    heights: NDArray[np.int64]
    """(seat, column) rows up to the highest drawn square."""
    under: NDArray[np.int64]
    """(seat, ...) at c + lanes, the lanes of column c and those after it: rows from 0 to the height, that one included;
    none for a column without drawn squares."""
    beside: NDArray[np.int64]
    """(seat, ...) at c + lanes, the lanes of column c and those after it: rows in which a neighbour is drawn."""
    missing: NDArray[np.int64]
    """(seat, row) columns not drawn."""
    circles: NDArray[np.int64]
    """(seat, row) columns with a circle."""
    first: NDArray[np.int64]
    """(coloured row,) turn in which any seat first completed it, or -1."""
    completed: NDArray[np.int64]
    """(coloured row, seat) turn in which the seat completed it, or -1."""


def make_start_position(tables: Tables) -> Position:
    """Return the position before anything has happened, in arrays of its own."""
    players, coloured = tables.players, int(tables.coloured.max()) + 1
    room = tables.lanes * (tables.groups + 1) + tables.columns + 1
    turn = np.zeros(8, np.int64)
    turn[[TURN_FACE_A, TURN_FACE_B, TURN_TAKEN_DIE]] = -1
    return Position(
        turn=turn,
        tally=np.zeros((players, 6), np.int64),
        heights=np.zeros((players, tables.columns), np.int64),
        under=np.zeros((players, room), np.int64),
        beside=np.zeros((players, room), np.int64),
        missing=np.full((players, tables.rows), (1 << tables.columns) - 1, np.int64),
        circles=np.zeros((players, tables.rows), np.int64),
        first=np.full(coloured, -1, np.int64),
        completed=np.full((coloured, players), -1, np.int64),
    )


def pack_state(state: BloxxState, tables: Tables) -> Position:
    """Return a position of the rules as arrays; raise InvalidError for one that no play leads to."""
    at = make_start_position(tables)
    at.turn[[TURN_ROUND, TURN_SEATS_ACTED, TURN_FORFEITS, TURN_IS_OVER]] = (
        state.round,
        state.acted,
        state.forfeits,
        state.ended,
    )
    at.turn[TURN_SEAT] = (state.active_seat + state.acted) % tables.players
    at.turn[[TURN_FACE_A, TURN_FACE_B]] = state.roll or (-1, -1)
    at.turn[TURN_TAKEN_DIE] = -1 if state.taken is None else state.taken
    for seat, sheet in enumerate(state.sheets):
        _pack_sheet(at, seat, sheet, tables)
        rows, numbers, gaps, _ = state.parts_of(seat)
        at.tally[seat, :TALLY_CLOSED] = rows.count, rows.points, numbers.count, numbers.points, gaps.count
    for row, turns in enumerate(state.completed):
        at.completed[row] = turns
        at.first[row] = min((turn for turn in turns if turn >= 0), default=-1)
    if unpack_state(at, state.ruleset) != state:
        raise InvalidError(f"{state.ruleset.name}: no play leads to this position (BX-11)")
    return at


def _pack_sheet(at: Position, seat: int, sheet: Sheet, tables: Tables) -> None:
    for cell in range(tables.squares):
        row, column = divmod(cell, tables.columns)
        if sheet.drawn_squares >> cell & 1:
            at.heights[seat, column] = row + 1
            add_rows_to_column.py_func(at.under[seat], column, (2 << row + 1) - 1, tables.bits)
            add_rows_to_column.py_func(at.beside[seat], column - 1, 1 << row, tables.bits)
            add_rows_to_column.py_func(at.beside[seat], column + 1, 1 << row, tables.bits)
            at.missing[seat, row] -= 1 << column
        if sheet.circles >> cell & 1:
            at.circles[seat, row] |= 1 << column
    at.tally[seat, TALLY_CLOSED] = at.heights[seat].sum()


def unpack_state(at: Position, ruleset: BloxxRuleset) -> BloxxState:
    """Return a position of the rules."""
    turn = [int(number) for number in at.turn]
    return BloxxState(
        ruleset,
        turn[TURN_ROUND],
        tuple(_unpack_sheet(at, seat, ruleset) for seat in range(ruleset.players)),
        tuple(tuple(int(turn) for turn in turns) for turns in at.completed),
        roll=None if turn[TURN_FACE_A] < 0 else (turn[TURN_FACE_A], turn[TURN_FACE_B]),
        acted=turn[TURN_SEATS_ACTED],
        taken=None if turn[TURN_TAKEN_DIE] < 0 else turn[TURN_TAKEN_DIE],
        forfeits=turn[TURN_FORFEITS],
        ended=bool(turn[TURN_IS_OVER]),
    )


def _unpack_sheet(at: Position, seat: int, ruleset: BloxxRuleset) -> Sheet:
    """Return one sheet. BX-10: what is not drawn below the height of its column is a gap."""
    whole = (1 << ruleset.columns) - 1
    circles = drawn = closed = 0
    for row in range(ruleset.rows):
        shift = ruleset.columns * row
        circles |= int(at.circles[seat, row]) << shift
        drawn |= (whole & ~int(at.missing[seat, row])) << shift
        closed |= sum(1 << x for x, height in enumerate(at.heights[seat]) if height > row) << shift
    return Sheet(circles, drawn & ~circles, closed & ~drawn)


class GameResults(NamedTuple):
    """Where ends of games are kept: the columns of `engine.kernels.contract.Batch`."""

    rounds: IntArray
    plies: IntArray
    scores: IntArray
    ranks: NDArray[np.uint8]
    counts: IntArray
    points: IntArray


class LogColumns(NamedTuple):
    """Where plies are logged: the columns of `engine.kernels.contract.PlyLog`."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: IntArray
    options: IntArray
    score: IntArray


def make_game_results(games: int, seats: int) -> GameResults:
    """Return room for the ends of some games."""
    return GameResults(
        rounds=np.empty(games, np.int32),
        plies=np.empty(games, np.int32),
        scores=np.empty((games, seats), np.int32),
        ranks=np.empty((games, seats), np.uint8),
        counts=np.empty((games, seats, 4), np.int32),
        points=np.empty((games, seats, 4), np.int32),
    )


def make_log_columns(room: int) -> LogColumns:
    """Return room for some plies."""
    return LogColumns(
        round=np.empty(room, np.uint16),
        seat=np.empty(room, np.int8),
        action=np.empty(room, np.int32),
        options=np.empty(room, np.int32),
        score=np.empty(room, np.int32),
    )
