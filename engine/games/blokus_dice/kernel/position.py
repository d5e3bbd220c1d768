"""A position of Blokus Dice as arrays, and its conversion from and to a state of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.blokus_dice.kernel.tables import MAX_DICE, WORD_BITS, pack_bits, unpack_bits
from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT, BlokusDiceRuleset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Tables, Words
    from engine.state import State

ANY_FACE: Final = FACE_COUNT
"""In place of a face: the shapes of all rows of the list, which a strike opens (BD-6)."""

# Planes of a board. JOINED and APART are the first of one for each colour.
PLANE_FREE, PLANE_JOINED, PLANE_APART = 0, 1, 1 + len(COLOUR_NAMES)
PLANE_COUNT: Final = 1 + 2 * len(COLOUR_NAMES)
# Columns of `Position.boards`. COLOURS has a bit for each colour with a shape on the board.
BOARD_UNFILLED, BOARD_STRIKES, BOARD_COLOURS = range(3)
# Places in `Position.turn`. ROLL is the action of the roll, -1 before it; the seats of `order` from DUE to DUE_END have
# still to act in this round; the first OUT_COUNT seats of `gone` are out.
TURN_ROUND, TURN_STARTER, TURN_ROLL, TURN_DUE, TURN_DUE_END, TURN_OUT_COUNT = range(6)


class Position(NamedTuple):
    """A position."""

    planes: Words
    """(seats, PLANE_COUNT, words) FREE: placements of unused shapes that cover no drawn square. JOINED of a colour: those
    that touch it corner to corner; before its first shape, those that cover a corner square. APART of a colour: those
    that do not touch it along an edge."""
    filled: Words
    """(seats, colours, columns) squares drawn, a bit for each row."""
    boards: NDArray[np.int64]
    """(seats, 3) unfilled squares, strikes used and colours begun: the columns BOARD_*."""
    turn: NDArray[np.int64]
    """(6,) the places TURN_*."""
    order: NDArray[np.int64]
    """(MAX_DICE,) seats of this round, the starter first."""
    takers: NDArray[np.int64]
    """(MAX_DICE,) the seat that took each die of the roll, or -1."""
    gone: NDArray[np.int64]
    """(MAX_DICE,) seats that are out of the game, in the order in which they dropped out."""


def make_start_position(tables: Tables) -> Position:
    """BD-1: return the position in which everybody has an empty board, all shapes and all strikes."""
    planes = np.empty((tables.players, PLANE_COUNT, tables.words), np.uint32)
    planes[:, PLANE_FREE] = tables.every
    planes[:, PLANE_JOINED:PLANE_APART] = tables.in_corners  # BD-4
    planes[:, PLANE_APART:] = ~np.uint32(0)
    return Position(
        planes=planes,
        filled=np.zeros((tables.players, len(COLOUR_NAMES), tables.side), np.uint32),
        boards=np.array([(tables.side**2, 0, 0)] * tables.players, np.int64),
        turn=np.array([0, 0, -1, 0, tables.players, 0], np.int64),
        order=_pad_to_four(range(tables.players)),
        takers=_pad_to_four(()),
        gone=_pad_to_four(()),
    )


def pack_state(state: State, ruleset: BlokusDiceRuleset, tables: Tables) -> Position:
    """Return a state of the rules as arrays; raise InvalidError for a state of another ruleset."""
    if not isinstance(state, BlokusDiceState) or state.ruleset != ruleset:
        raise InvalidError(f"this is not a position of {ruleset.name}")
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
        planes=np.array(planes, np.uint32),
        filled=np.array(filled, np.uint32),
        boards=np.array(boards, np.int64),
        turn=np.array([state.round, state.starter, roll, 0, len(state.waiting), len(state.gone)], np.int64),
        order=_pad_to_four(state.waiting),
        takers=_pad_to_four([-1 if taker is None else taker for taker in state.takers]),
        gone=_pad_to_four(state.gone),
    )


def unpack_state(position: Position, ruleset: BlokusDiceRuleset, tables: Tables) -> BlokusDiceState:
    """Return a position of arrays as a state of the rules."""
    turn = position.turn.tolist()
    faces = tables.roll_faces[turn[TURN_ROLL]].tolist() if turn[TURN_ROLL] >= 0 else []
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
    packed = np.frombuffer(placements.to_bytes(-(-tables.placement_count // 8), "little"), np.uint8)
    bits = np.zeros(tables.words * WORD_BITS, np.bool_)
    bits[tables.rules_placements] = np.unpackbits(packed, count=tables.placement_count, bitorder="little")
    return pack_bits(bits)


def _plane_to_placements(plane: Words, tables: Tables) -> int:
    """Return a plane as a set of placements of the rules."""
    members = unpack_bits(plane)[tables.rules_placements]
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
