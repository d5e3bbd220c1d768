"""A position of Blokus as arrays, and its conversion from and to a state of the rules.

The words spot, orientation, plane and chunk are explained in `tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from engine.errors import InvalidError
from engine.games.blokus.kernel.tables import (
    ALL_ORIENTATIONS,
    CHUNK_SPOTS,
    ORIENTATION_PIECE,
    SMALL_ORIENTATIONS,
    Tables,
    pieces_of_ruleset,
    placements_on_board,
)
from engine.games.blokus.rules import BlokusState, ColourState
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.state import State

Word = TypeVar("Word", np.uint64, np.uint32)

# Columns of `Position.colours`
COLOUR_UNPLACED: Final = 0
COLOUR_COVERED: Final = 1
COLOUR_POINTS: Final = 2
COLOUR_IS_OUT: Final = 3
COLOUR_FIRST_CHUNK: Final = 4
COLOUR_END_CHUNK: Final = 5

WORD_BITS: Final = 64

# Places in `Position.turn`
TURN_COLOUR: Final = 0
TURN_ROUND: Final = 1
TURN_IS_OVER: Final = 2


class Position(NamedTuple):
    """A position. The planes follow each other: open, then free of each colour, then attached of each colour.

    `rules` explains these planes.
    """

    big: NDArray[np.uint64]
    """(planes x plane_words,) the big words."""
    small: NDArray[np.uint32]
    """(planes x plane_words,) the small words."""
    small_pairs: NDArray[np.uint64]
    """(planes x plane_words / 2,) the memory of `small`, two words as one: half as many to count."""
    unplaced: NDArray[np.uint64]
    """(colours, 2) big and small word with the orientations of a colour's unplaced pieces."""
    covered: NDArray[np.uint64]
    """(colours, side + 10) squares of a colour: a word for each row, the first for the row below the board; the bit of
    a square is its column + 1."""
    colours: NDArray[np.int64]
    """(colours, 6) by column: set of unplaced pieces; squares covered; points by BK-8 if the game ended now; 1 if the
    colour is out; first chunk of spots with an attached placement; one past the last such chunk."""
    turn: NDArray[np.int64]
    """(3,) the colour on turn; the round; 1 if the game is over."""


def make_position(tables: Tables) -> Position:
    """Return the arrays of a position, all zero. Planes start at multiples of 64 bytes, the lines of the cache."""
    words = (1 + 2 * tables.colours) * tables.plane_words
    small = _aligned_zeros(words, np.uint32)
    return Position(
        big=_aligned_zeros(words, np.uint64),
        small=small,
        small_pairs=small.view(np.uint64),
        unplaced=np.zeros((tables.colours, 2), np.uint64),
        covered=np.zeros((tables.colours, tables.side + 10), np.uint64),
        colours=np.zeros((tables.colours, 6), np.int64),
        turn=np.zeros(3, np.int64),
    )


def _aligned_zeros(words: int, kind: type[Word]) -> NDArray[Word]:
    size = words * np.dtype(kind).itemsize
    memory = np.zeros(size + 64, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first : first + size].view(kind)


def pack_state(state: State, ruleset: BlokusRuleset, tables: Tables) -> Position:
    """Return a state of the rules as arrays; raise InvalidError for a state of another ruleset."""
    if not isinstance(state, BlokusState) or state.ruleset != ruleset:
        raise InvalidError(f"this is not a position of {ruleset.name}")
    position = make_position(tables)
    big, small = position.big.reshape(-1, tables.plane_words), position.small.reshape(-1, tables.plane_words)
    orientations = _ruleset_orientations(tables, ruleset)
    planes = [
        state.open,
        *(colour.free for colour in state.colours),
        *(colour.attached for colour in state.colours),
    ]
    for number, plane in enumerate(planes):
        words = _plane_to_words(plane, tables, orientations)
        small[number, tables.origin : tables.origin + len(words)] = words[:, 0]
        big[number, tables.origin : tables.origin + len(words)] = words[:, 1]
    pieces = _ruleset_pieces(ruleset)
    for number, colour in enumerate(state.colours):
        unplaced = [piece for bit, piece in enumerate(pieces) if colour.left >> bit & 1]
        for piece in unplaced:
            position.unplaced[number] |= tables.piece_orientations[piece]
        for row in range(tables.side):
            squares = colour.squares >> row * tables.row_stride & (1 << tables.side) - 1
            position.covered[number, row + 1] = squares << 1
        attached = 1 + tables.colours + number
        position.colours[number] = (
            sum(1 << piece for piece in unplaced),
            colour.squares.bit_count(),
            colour.points,
            colour.is_out,
            *_chunk_range(big[attached] | small[attached], tables),
        )
    position.turn[:] = state.turn, state.round, state.ended
    return position


def unpack_state(position: Position, ruleset: BlokusRuleset, tables: Tables) -> BlokusState:
    """Return a position of arrays as a state of the rules."""
    orientations = _ruleset_orientations(tables, ruleset)
    on_board = _orientations_on_board(tables)
    pieces = _ruleset_pieces(ruleset)

    def read_plane(number: int, unplaced: int) -> int:
        first = number * tables.plane_words + tables.origin
        words = (
            (int(position.big[i]) << SMALL_ORIENTATIONS | int(position.small[i])) & unplaced
            for i in range(first, first + tables.side * tables.row_stride)
        )
        return _spots_to_plane(
            [bits & on_board[spot] for spot, bits in enumerate(words)], tables, orientations
        )

    colours = []
    for number in range(tables.colours):
        big, small = (int(word) for word in position.unplaced[number])
        unplaced_words = big << SMALL_ORIENTATIONS | small
        unplaced, _, points, is_out = (int(value) for value in position.colours[number, :4])
        squares = sum(
            int(position.covered[number, row + 1]) >> 1 << row * tables.row_stride
            for row in range(tables.side)
        )
        colours.append(
            ColourState(
                read_plane(1 + number, unplaced_words),
                read_plane(1 + tables.colours + number, unplaced_words),
                sum(1 << bit for bit, piece in enumerate(pieces) if unplaced >> piece & 1),
                squares,
                points,
                bool(is_out),
            )
        )
    colour, round_, is_over = (int(value) for value in position.turn)
    seat = ruleset.colour_owners[colour]
    if seat is None:  # BK-10
        seat = (len(pieces) - colours[colour].left.bit_count()) % tables.players
    return BlokusState(ruleset, round_, seat, colour, read_plane(0, -1), tuple(colours), bool(is_over))


def _ruleset_pieces(ruleset: BlokusRuleset) -> list[int]:
    """Return the numbers in SHAPES of the ruleset's pieces."""
    return [piece for piece, name in enumerate(SHAPES) if name in ruleset.pieces]


def _ruleset_orientations(tables: Tables, ruleset: BlokusRuleset) -> list[int]:
    """Return the numbers of the orientations of the ruleset's pieces, ascending."""
    pieces = pieces_of_ruleset(ruleset)
    return [
        number
        for number in range(ALL_ORIENTATIONS)
        if pieces >> int(tables.orientations[number, ORIENTATION_PIECE]) & 1
    ]


def _orientations_on_board(tables: Tables) -> list[int]:
    """Return for each spot the orientations (91 bits) that lie on the board there."""
    spots = [0] * (tables.side * tables.row_stride)
    for x, y, orientation in placements_on_board(tables.side):
        spots[x + tables.row_stride * y] |= 1 << orientation
    return spots


def _chunk_range(attached: NDArray[np.uint64], tables: Tables) -> tuple[int, int]:
    """Return the first chunk that has a placement of a plane, and one past the last."""
    spots = np.flatnonzero(attached) - tables.origin
    return (int(spots[0]) // CHUNK_SPOTS, int(spots[-1]) // CHUNK_SPOTS + 1) if len(spots) else (0, 0)


def _plane_to_words(plane: int, tables: Tables, orientations: list[int]) -> NDArray[np.uint64]:
    """Return for each spot its placements as two words, of small and of big pieces: (spots, 2).

    A plane of the rules has bits for the ruleset's pieces only.
    """
    spots, count = tables.side * tables.row_stride, tables.orientation_count
    size = spots * count
    packed = np.frombuffer((plane & (1 << size) - 1).to_bytes(-(-size // 8), "little"), np.uint8)
    bits = np.zeros((spots, 2 * WORD_BITS), np.uint8)
    columns = [
        number if number < SMALL_ORIENTATIONS else number - SMALL_ORIENTATIONS + WORD_BITS
        for number in orientations
    ]
    bits[:, columns] = np.unpackbits(packed, count=size, bitorder="little").reshape(spots, count)
    return np.packbits(bits, axis=1, bitorder="little").view("<u8")


def _spots_to_plane(spots: list[int], tables: Tables, orientations: list[int]) -> int:
    """Return a plane of the rules from the placements at each spot as 91 bits."""
    plane = 0
    for spot_bits in reversed(spots):
        bits = spot_bits
        if tables.orientation_count != ALL_ORIENTATIONS:
            bits = sum(1 << bit for bit, number in enumerate(orientations) if spot_bits >> number & 1)
        plane = plane << tables.orientation_count | bits
    return plane
