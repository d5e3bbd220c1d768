"""A position of Blokus Dice as arrays, and its way from the rules and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.game import InvalidError
from engine.games.blokus_dice.kernel.tables import BITS, DEPTH, DICE_MOST, STEP, VIEW, packed, unpacked
from engine.games.blokus_dice.rules import BlokusDiceState, Board
from engine.games.blokus_dice.ruleset import COLOURS, FACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.game import State
    from engine.games.blokus_dice.kernel.tables import Numbers, Tables, Words
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.kernels.contract import Ints

ANY: Final = FACES
"""In the place of a face: the shapes of all rows, which a strike opens. BD-6."""

# planes of a board; one a colour of JOINED and APART
FREE, JOINED, APART = 0, 1, 1 + len(COLOURS)
PLANES: Final = 1 + 2 * len(COLOURS)
# fields of Position.boards; BEGUN has a bit for each colour that the board has
UNFILLED, STRIKES, BEGUN = range(3)
# fields of Position.turn; ROLL is -1 before the roll; seats of `order` from DUE to ENDS wait; OUTS seats are in `gone`
ROUND, STARTER, ROLL, DUE, ENDS, OUTS = range(6)


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


class Scratch(NamedTuple):
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


class Columns(NamedTuple):
    """Where games are logged: the columns of `engine.kernels.contract.Log`."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: Ints
    options: Ints
    score: Ints


class Results(NamedTuple):
    """Where ends of games are kept."""

    rounds: Ints
    plies: Ints
    boards: Ints
    """(game, seat, 2) UNFILLED and STRIKES."""


def scratch(tables: Tables) -> Scratch:
    """Return room to think, for one ruleset."""
    return Scratch(
        np.empty(tables.words, np.uint32),
        np.zeros(FACES + 1, np.int64),
        np.zeros(tables.side + VIEW, np.int64),
        np.zeros((DEPTH, STEP), np.uint32),
        np.zeros((DEPTH, STEP), np.uint32),
        np.zeros(tables.words // STEP, np.int64),
        np.zeros(FACES + 1, np.int64),
        np.empty((FACES + 1, tables.placements), np.int32),
    )


def beginning(tables: Tables) -> Position:
    """BD-1: everybody has an empty board, all shapes and all strikes."""
    planes = np.empty((tables.players, PLANES, tables.words), np.uint32)
    planes[:, FREE] = tables.every
    planes[:, JOINED:APART] = tables.in_corners  # BD-4
    planes[:, APART:] = ~np.uint32(0)
    return Position(
        planes,
        np.zeros((tables.players, len(COLOURS), tables.side), np.uint32),
        np.array([(tables.side**2, 0, 0)] * tables.players, np.int64),
        np.array([0, 0, -1, 0, tables.players, 0], np.int64),
        _four(range(tables.players)),
        _four(()),
        _four(()),
    )


def position_of(state: State, ruleset: BlokusDiceRuleset, tables: Tables) -> Position:
    """Return a position of the rules as arrays; raise InvalidError for one of another ruleset."""
    if not isinstance(state, BlokusDiceState) or state.ruleset != ruleset:
        raise InvalidError(f"this is no position of {ruleset.name}")
    planes = [
        [_plane(board.free, tables)]
        + [_plane(placements, tables) for placements in board.joined]
        + [~_plane(placements, tables) for placements in board.beside]
        for board in state.boards
    ]
    filled = [[_columns(squares, tables.side) for squares in board.filled] for board in state.boards]
    boards = [
        (board.unfilled, board.strikes, sum(1 << c for c, squares in enumerate(board.filled) if squares))
        for board in state.boards
    ]
    roll = -1 if state.roll is None else ruleset.rolled[state.roll]
    return Position(
        np.array(planes, np.uint32),
        np.array(filled, np.uint32),
        np.array(boards, np.int64),
        np.array([state.round, state.starter, roll, 0, len(state.waiting), len(state.gone)], np.int64),
        _four(state.waiting),
        _four([-1 if taker is None else taker for taker in state.takers]),
        _four(state.gone),
    )


def state_of(position: Position, ruleset: BlokusDiceRuleset, tables: Tables) -> BlokusDiceState:
    """Return a position as the rules have it."""
    turn = position.turn.tolist()
    faces = tables.faces[turn[ROLL]].tolist() if turn[ROLL] >= 0 else []
    roll = tuple(face + 1 for face in faces if face >= 0)
    takers = tuple(None if seat < 0 else seat for seat in position.takers.tolist())
    return BlokusDiceState(
        ruleset,
        turn[ROUND],
        tuple(_board(position, seat, tables) for seat in range(tables.players)),
        turn[STARTER],
        tuple(position.order[turn[DUE] : turn[ENDS]].tolist()),
        roll or None,
        takers[: len(roll)],
        tuple(position.gone[: turn[OUTS]].tolist()),
    )


def _board(position: Position, seat: int, tables: Tables) -> Board:
    planes = position.planes[seat]
    unfilled, strikes, _ = position.boards[seat].tolist()
    return Board(
        tuple(_squares(columns, tables.side) for columns in position.filled[seat].tolist()),
        _placements(planes[FREE], tables),
        tuple(_placements(plane, tables) for plane in planes[JOINED:APART]),
        tuple(_placements(~plane, tables) for plane in planes[APART:]),
        unfilled,
        strikes,
    )


def _plane(placements: int, tables: Tables) -> Words:
    """Return a set of placements of the rules as a plane."""
    given = np.frombuffer(placements.to_bytes(-(-tables.placements // 8), "little"), np.uint8)
    bits = np.zeros(tables.words * BITS, np.bool_)
    bits[tables.spot] = np.unpackbits(given, count=tables.placements, bitorder="little")
    return packed(bits)


def _placements(plane: Words, tables: Tables) -> int:
    """Return a plane as a set of placements of the rules."""
    members = unpacked(plane)[tables.spot]
    return int.from_bytes(np.packbits(members, bitorder="little").tobytes(), "little")


def _columns(squares: int, side: int) -> list[int]:
    """Return the columns of a set of squares of the rules, a bit for each row."""
    return [sum((squares >> x + side * y & 1) << y for y in range(side)) for x in range(side)]


def _squares(columns: Sequence[int], side: int) -> int:
    """Return columns as a set of squares of the rules."""
    return sum((column >> y & 1) << x + side * y for x, column in enumerate(columns) for y in range(side))


def _four(numbers: Sequence[int]) -> NDArray[np.int64]:
    """Return up to four numbers, filled up with -1."""
    return np.array([*numbers, *[-1] * (DICE_MOST - len(numbers))], np.int64)
