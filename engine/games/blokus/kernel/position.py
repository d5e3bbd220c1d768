"""A position of Blokus as arrays, there and back: what the compiled functions read and write.

`kernel_tables` says what spots, words and planes are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from engine.games.blokus.kernel.tables import (
    ALL_ORIENTATIONS,
    BLOCK_SPOTS,
    ORIENTATION_PIECE,
    SMALL_ORIENTATIONS,
    WINDOW_ROWS,
    pieces_in_box,
    placements_on_board,
)
from engine.games.blokus.rules import BlokusState, ColourState
from engine.luck import normal_quantiles
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus.kernel.tables import Layout, Tables
    from engine.games.blokus.ruleset import BlokusRuleset

Word = TypeVar("Word", np.uint64, np.uint32)

# Columns of `Position.colours`
COLOUR_UNPLACED: Final = 0
COLOUR_COVERED: Final = 1
COLOUR_POINTS: Final = 2
COLOUR_IS_OUT: Final = 3
COLOUR_FIRST_BLOCK: Final = 4
COLOUR_END_BLOCK: Final = 5

# Places in `Position.now`
TURN_COLOUR: Final = 0
TURN_ROUND: Final = 1
TURN_IS_OVER: Final = 2


class Position(NamedTuple):
    """A position. The planes follow each other: open, free of each colour, attached of each colour."""

    big: NDArray[np.uint64]
    """(planes x words of a plane,) the big words."""
    small: NDArray[np.uint32]
    """(planes x words of a plane,) the small words."""
    pairs: NDArray[np.uint64]
    """The same memory, two small words as one: half as many to count."""
    unplaced: NDArray[np.uint64]
    """(colours, 2) big and small word of the orientations of a colour's unplaced pieces."""
    taken: NDArray[np.uint64]
    """(colours, side + 10) squares of a colour, a word for each row from the one below the board; bit column + 1."""
    colours: NDArray[np.int64]
    """(colours, 6): set of its unplaced pieces, squares it covers, points as BK-8 would score them now, whether it is
    out, the first block of spots where it may be attached, one past the last."""
    now: NDArray[np.int64]
    """(3,): the colour on turn, the round, whether the game is over."""


class Workspace(NamedTuple):
    """Room for one decision, so that nothing is allocated in a game."""

    counts: NDArray[np.int64]
    """(blocks,) legal placements up to and with each block."""
    untouched: NDArray[np.uint64]
    """(side + 10,) empty squares that the colour on turn does not touch; rows and bits as in `Position.taken`."""
    rows: NDArray[np.int64]
    """(11,) legal placements up to and with each row of a window."""
    found: NDArray[np.int64]
    """(span,) placements that are equally good, or the best."""
    worths: NDArray[np.float64]
    """(span,) what the best are worth."""
    words: NDArray[np.uint64]
    """(spots + 1,) legal placements at some spots."""
    spots: NDArray[np.int64]
    """(spots + 1,) these spots."""
    decisions: NDArray[np.int64]
    """(seats,) decisions of each seat in this round."""
    relation: NDArray[np.int64]
    """(colours,) 1 for a friend of the seat on turn, -1 for a foe, 0 for neither."""
    corner_points: NDArray[np.uint64]
    """(colours, side + 10) corner points of each colour; rows and bits as in `Position.taken`."""
    near: NDArray[np.uint64]
    """(colours,) those of the 7 x 7 round a spot."""
    big: NDArray[np.uint64]
    """(colours x words of a plane,) big words of all legal placements of each colour."""
    small: NDArray[np.uint32]
    """The same, small words."""
    legal: NDArray[np.int64]
    """(colours,) how many they are."""
    others: NDArray[np.int64]
    """(21,) how many of them are of other pieces than this; -1 if nobody has asked yet."""
    quantiles: NDArray[np.float64]
    """Of the normal distribution, as `engine.luck` has them."""


class BatchColumns(NamedTuple):
    """What is written of all games: columns of plies, then columns of games."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: NDArray[np.int32]
    options: NDArray[np.int32]
    score: NDArray[np.int32]
    rounds: NDArray[np.int32]
    plies: NDArray[np.int32]
    left: NDArray[np.int32]
    """(games, colours) squares of unplaced pieces at the end."""
    points: NDArray[np.int32]
    """(games, colours) points at the end."""


def make_position(layout: Layout) -> Position:
    """Make room for a position, planes at multiples of 64 bytes: a vector then lies in one line of the cache."""
    words = (1 + 2 * layout.colours) * layout.plane
    small = _aligned_zeros(words, np.uint32)
    return Position(
        _aligned_zeros(words, np.uint64),
        small,
        small.view(np.uint64),
        np.zeros((layout.colours, 2), np.uint64),
        np.zeros((layout.colours, layout.side + 10), np.uint64),
        np.zeros((layout.colours, 6), np.int64),
        np.zeros(3, np.int64),
    )


def _aligned_zeros(words: int, kind: type[Word]) -> NDArray[Word]:
    size = words * np.dtype(kind).itemsize
    memory = np.zeros(size + 64, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first : first + size].view(kind)


def make_workspace(layout: Layout) -> Workspace:
    """Make room for decisions."""
    return Workspace(
        np.zeros(layout.blocks, np.int64),
        np.zeros(layout.side + 10, np.uint64),
        np.zeros(WINDOW_ROWS, np.int64),
        np.empty(layout.span, np.int64),
        np.empty(layout.span, np.float64),
        np.empty(layout.blocks * BLOCK_SPOTS + 1, np.uint64),
        np.empty(layout.blocks * BLOCK_SPOTS + 1, np.int64),
        np.zeros(layout.players, np.int64),
        np.zeros(layout.colours, np.int64),
        np.zeros((layout.colours, layout.side + 10), np.uint64),
        np.zeros(layout.colours, np.uint64),
        np.zeros(layout.colours * layout.plane, np.uint64),
        np.zeros(layout.colours * layout.plane, np.uint32),
        np.zeros(layout.colours, np.int64),
        np.zeros(len(SHAPES), np.int64),
        np.array(normal_quantiles()),
    )


def make_batch_columns(layout: Layout, games: int, *, logged: bool) -> BatchColumns:
    """Make room for games. A colour places each piece once at most, and logs one out."""
    plies = games * layout.colours * (layout.pieces + 1) if logged else 0
    return BatchColumns(
        round=np.empty(plies, np.uint16),
        seat=np.empty(plies, np.int8),
        action=np.empty(plies, np.int32),
        options=np.empty(plies, np.int32),
        score=np.empty(plies, np.int32),
        rounds=np.empty(games, np.int32),
        plies=np.empty(games, np.int32),
        left=np.empty((games, layout.colours), np.int32),
        points=np.empty((games, layout.colours), np.int32),
    )


def pack_state(state: BlokusState, layout: Layout, tables: Tables) -> Position:
    """Return a position of the rules as arrays."""
    colours = len(state.colours)
    planes = [
        state.open,
        *(colour.free for colour in state.colours),
        *(colour.attached for colour in state.colours),
    ]
    position = make_position(layout)
    big, small = position.big.reshape(-1, layout.plane), position.small.reshape(-1, layout.plane)
    box = _box_orientations(tables, state.ruleset)
    for number, plane in enumerate(planes):
        for spot, bits in enumerate(_plane_to_words(plane, layout, box)):
            big[number, layout.origin + spot] = bits >> SMALL_ORIENTATIONS
            small[number, layout.origin + spot] = bits & (1 << SMALL_ORIENTATIONS) - 1
    in_box = [piece for piece, name in enumerate(SHAPES) if name in state.ruleset.pieces]
    for number, colour in enumerate(state.colours):
        left = [piece for bit, piece in enumerate(in_box) if colour.left >> bit & 1]
        for piece in left:
            position.unplaced[number] |= tables.of_piece[piece]
        for row in range(layout.side):
            own = colour.squares >> row * layout.rows_apart & (1 << layout.side) - 1
            position.taken[number, row + 1] = own << 1
        low, high = _block_extent(big[1 + colours + number] | small[1 + colours + number], layout)
        position.colours[number] = (
            sum(1 << piece for piece in left),
            colour.squares.bit_count(),
            colour.points,
            colour.is_out,
            low,
            high,
        )
    position.now[:] = state.turn, state.round, state.ended
    return position


def unpack_state(position: Position, ruleset: BlokusRuleset, layout: Layout, tables: Tables) -> BlokusState:
    """Return a position of arrays as the rules'."""
    box = _box_orientations(tables, ruleset)
    board = _board_orientations(layout)
    in_box = [piece for piece, name in enumerate(SHAPES) if name in ruleset.pieces]

    def plane_bits(number: int, unplaced: int) -> int:
        first = number * layout.plane + layout.origin
        spots = range(first, first + layout.side * layout.rows_apart)
        there = (
            (int(position.big[spot]) << SMALL_ORIENTATIONS | int(position.small[spot])) & unplaced
            for spot in spots
        )
        return _words_to_plane([bits & board[spot] for spot, bits in enumerate(there)], layout, box)

    colours = []
    for number in range(layout.colours):
        big, small = (int(word) for word in position.unplaced[number])
        left, _, points, is_out = (int(value) for value in position.colours[number, :4])
        squares = sum(
            int(position.taken[number, row + 1]) >> 1 << row * layout.rows_apart for row in range(layout.side)
        )
        colours.append(
            ColourState(
                plane_bits(1 + number, big << SMALL_ORIENTATIONS | small),
                plane_bits(1 + layout.colours + number, big << SMALL_ORIENTATIONS | small),
                sum(1 << bit for bit, piece in enumerate(in_box) if left >> piece & 1),
                squares,
                points,
                bool(is_out),
            )
        )
    turn, lap, ended = (int(value) for value in position.now)
    seat = ruleset.colour_owners[turn]
    if seat is None:  # BK-10
        seat = (len(in_box) - colours[turn].left.bit_count()) % layout.players
    return BlokusState(ruleset, lap, seat, turn, plane_bits(0, -1), tuple(colours), bool(ended))


def _box_orientations(tables: Tables, ruleset: BlokusRuleset) -> list[int]:
    """Return the orientations of the pieces that there are, in the order of the numbering."""
    there = pieces_in_box(ruleset)
    return [
        number
        for number in range(ALL_ORIENTATIONS)
        if there >> int(tables.orientations[number, ORIENTATION_PIECE]) & 1
    ]


def _board_orientations(layout: Layout) -> list[int]:
    """Return for each spot all 91 orientations that lie on the board there."""
    board = [0] * (layout.side * layout.rows_apart)
    for x, y, orientation in placements_on_board(layout.side):
        board[x + layout.rows_apart * y] |= 1 << orientation
    return board


def _block_extent(attached: NDArray[np.uint64], layout: Layout) -> tuple[int, int]:
    """Return the first block with a placement in it, and one past the last."""
    spots = np.flatnonzero(attached) - layout.origin
    return (int(spots[0]) // BLOCK_SPOTS, int(spots[-1]) // BLOCK_SPOTS + 1) if len(spots) else (0, 0)


def _plane_to_words(plane: int, layout: Layout, box: list[int]) -> list[int]:
    """Return all 91 orientations at each spot, from a plane that has only those in the box."""
    spots = layout.side * layout.rows_apart
    here = [plane >> spot * layout.orientations & (1 << layout.orientations) - 1 for spot in range(spots)]
    if layout.orientations == ALL_ORIENTATIONS:
        return here
    return [sum(1 << number for bit, number in enumerate(box) if bits >> bit & 1) for bits in here]


def _words_to_plane(spots: list[int], layout: Layout, box: list[int]) -> int:
    """Return the plane of the orientations in the box, from all 91 at each spot."""
    plane = 0
    for bits in reversed(spots):
        here = bits
        if layout.orientations != ALL_ORIENTATIONS:
            here = sum(1 << bit for bit, number in enumerate(box) if bits >> number & 1)
        plane = plane << layout.orientations | here
    return plane
