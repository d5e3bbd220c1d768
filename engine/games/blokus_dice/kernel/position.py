"""A position of Blokus Dice as arrays, and its way from the rules and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.blokus_dice.kernel.tables import (
    CELL_WORDS,
    MAX_DICE,
    VECTOR_WORDS,
    VIEW_SIDE,
    WORD_BITS,
    pack_bits,
    unpack_bits,
)
from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Numbers, Tables, Words
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.kernels.contract import IntArray
    from engine.state import State

ANY_FACE: Final = FACE_COUNT
"""In the place of a face: the shapes of all rows, which a strike opens. BD-6."""

# planes of a board; one a colour of JOINED and APART
PLANE_FREE, PLANE_JOINED, PLANE_APART = 0, 1, 1 + len(COLOUR_NAMES)
PLANE_COUNT: Final = 1 + 2 * len(COLOUR_NAMES)
# fields of Position.boards; BEGUN has a bit for each colour that the board has
BOARD_UNFILLED, BOARD_STRIKES, BOARD_COLOURS = range(3)
# fields of Position.turn; ROLL is -1 before the roll; seats of `order` from DUE to ENDS wait; OUTS seats are in `gone`
TURN_ROUND, TURN_STARTER, TURN_ROLL, TURN_DUE, TURN_DUE_END, TURN_OUT_COUNT = range(6)


class Position(NamedTuple):
    """A position as arrays."""

    planes: Words
    """(seat, PLANES, word) sets of placements: of unused shapes that cover no drawn square; for each colour those that
    touch it corner to corner (before its first shape those that cover a corner square); those not along its edge."""
    filled: Words
    """(seat, colour, column of the play area) squares drawn, a bit for each row."""
    boards: NDArray[np.int64]
    """(seat, 3) see above."""
    turn: NDArray[np.int64]
    """(6,) see above."""
    order: NDArray[np.int64]
    """(4,) seats of this round, the starter first."""
    takers: NDArray[np.int64]
    """(4,) for each die of the roll the seat that took it, or -1."""
    gone: NDArray[np.int64]
    """(4,) seats that are out of the game, in the order in which they dropped out."""


class PolicyWorkspace(NamedTuple):
    """Room to think about one decision."""

    fitting: Words
    """(word,) placements of unused shapes that may be drawn in the colour held, whatever their row."""
    counts: NDArray[np.int64]
    """(FACES + 1,) legal placements by face; the last: with a strike, for each different die."""
    points: NDArray[np.int64]
    """(side + VIEW,) columns of squares that count for greedy; column and row 0 are left of and below the area."""
    masks: Words
    """(DEPTH, STEP) pattern of the placements that the dice offer; see `Tables.offers`."""
    wanted: Words
    """(DEPTH, STEP) pattern of those of one size."""
    busy: NDArray[np.int64]
    """(step of a plane,) a bit for each word with such a placement that fits."""
    tied: NDArray[np.int64]
    """(FACES + 1,) number of greedy's best placements by face; the last: with a strike."""
    ties: Numbers
    """(FACES + 1, placement) their spots."""


class LogColumns(NamedTuple):
    """Where games are logged: the columns of `engine.kernels.contract.PlyLog`."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: IntArray
    options: IntArray
    score: IntArray


class GameResults(NamedTuple):
    """Where ends of games are kept."""

    rounds: IntArray
    plies: IntArray
    boards: IntArray
    """(game, seat, 2) UNFILLED and STRIKES."""


def make_policy_workspace(tables: Tables) -> PolicyWorkspace:
    """Return room to think, for one ruleset."""
    return PolicyWorkspace(
        np.empty(tables.words, np.uint32),
        np.zeros(FACE_COUNT + 1, np.int64),
        np.zeros(tables.side + VIEW_SIDE, np.int64),
        np.zeros((CELL_WORDS, VECTOR_WORDS), np.uint32),
        np.zeros((CELL_WORDS, VECTOR_WORDS), np.uint32),
        np.zeros(tables.words // VECTOR_WORDS, np.int64),
        np.zeros(FACE_COUNT + 1, np.int64),
        np.empty((FACE_COUNT + 1, tables.placements), np.int32),
    )


def make_start_position(tables: Tables) -> Position:
    """BD-1: everybody has an empty board, all shapes and all strikes."""
    planes = np.empty((tables.players, PLANE_COUNT, tables.words), np.uint32)
    planes[:, PLANE_FREE] = tables.every
    planes[:, PLANE_JOINED:PLANE_APART] = tables.in_corners  # BD-4
    planes[:, PLANE_APART:] = ~np.uint32(0)
    return Position(
        planes,
        np.zeros((tables.players, len(COLOUR_NAMES), tables.side), np.uint32),
        np.array([(tables.side**2, 0, 0)] * tables.players, np.int64),
        np.array([0, 0, -1, 0, tables.players, 0], np.int64),
        _pad_to_four(range(tables.players)),
        _pad_to_four(()),
        _pad_to_four(()),
    )


def pack_state(state: State, ruleset: BlokusDiceRuleset, tables: Tables) -> Position:
    """Return a position of the rules as arrays; raise InvalidError for one of another ruleset."""
    if not isinstance(state, BlokusDiceState) or state.ruleset != ruleset:
        raise InvalidError(f"this is no position of {ruleset.name}")
    planes = [
        [_placements_to_plane(board.free, tables)]
        + [_placements_to_plane(placements, tables) for placements in board.joined]
        + [~_placements_to_plane(placements, tables) for placements in board.beside]
        for board in state.boards
    ]
    filled = [
        [_squares_to_columns(squares, tables.side) for squares in board.filled] for board in state.boards
    ]
    boards = [
        (board.unfilled, board.strikes, sum(1 << c for c, squares in enumerate(board.filled) if squares))
        for board in state.boards
    ]
    roll = -1 if state.roll is None else ruleset.roll_numbers[state.roll]
    return Position(
        np.array(planes, np.uint32),
        np.array(filled, np.uint32),
        np.array(boards, np.int64),
        np.array([state.round, state.starter, roll, 0, len(state.waiting), len(state.gone)], np.int64),
        _pad_to_four(state.waiting),
        _pad_to_four([-1 if taker is None else taker for taker in state.takers]),
        _pad_to_four(state.gone),
    )


def unpack_state(position: Position, ruleset: BlokusDiceRuleset, tables: Tables) -> BlokusDiceState:
    """Return a position as the rules have it."""
    turn = position.turn.tolist()
    faces = tables.faces[turn[TURN_ROLL]].tolist() if turn[TURN_ROLL] >= 0 else []
    roll = tuple(face + 1 for face in faces if face >= 0)
    takers = tuple(None if seat < 0 else seat for seat in position.takers.tolist())
    return BlokusDiceState(
        ruleset,
        turn[TURN_ROUND],
        tuple(_unpack_board(position, seat, tables) for seat in range(tables.players)),
        turn[TURN_STARTER],
        tuple(position.order[turn[TURN_DUE] : turn[TURN_DUE_END]].tolist()),
        roll or None,
        takers[: len(roll)],
        tuple(position.gone[: turn[TURN_OUT_COUNT]].tolist()),
    )


def _unpack_board(position: Position, seat: int, tables: Tables) -> SeatBoard:
    planes = position.planes[seat]
    unfilled, strikes, _ = position.boards[seat].tolist()
    return SeatBoard(
        tuple(_columns_to_squares(columns, tables.side) for columns in position.filled[seat].tolist()),
        _plane_to_placements(planes[PLANE_FREE], tables),
        tuple(_plane_to_placements(plane, tables) for plane in planes[PLANE_JOINED:PLANE_APART]),
        tuple(_plane_to_placements(~plane, tables) for plane in planes[PLANE_APART:]),
        unfilled,
        strikes,
    )


def _placements_to_plane(placements: int, tables: Tables) -> Words:
    """Return a set of placements of the rules as a plane."""
    given = np.frombuffer(placements.to_bytes(-(-tables.placements // 8), "little"), np.uint8)
    bits = np.zeros(tables.words * WORD_BITS, np.bool_)
    bits[tables.spot] = np.unpackbits(given, count=tables.placements, bitorder="little")
    return pack_bits(bits)


def _plane_to_placements(plane: Words, tables: Tables) -> int:
    """Return a plane as a set of placements of the rules."""
    members = unpack_bits(plane)[tables.spot]
    return int.from_bytes(np.packbits(members, bitorder="little").tobytes(), "little")


def _squares_to_columns(squares: int, side: int) -> list[int]:
    """Return the columns of a set of squares of the rules, a bit for each row."""
    return [sum((squares >> x + side * y & 1) << y for y in range(side)) for x in range(side)]


def _columns_to_squares(columns: Sequence[int], side: int) -> int:
    """Return columns as a set of squares of the rules."""
    return sum((column >> y & 1) << x + side * y for x, column in enumerate(columns) for y in range(side))


def _pad_to_four(numbers: Sequence[int]) -> NDArray[np.int64]:
    """Return up to four numbers, filled up with -1."""
    return np.array([*numbers, *[-1] * (MAX_DICE - len(numbers))], np.int64)
