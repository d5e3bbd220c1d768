"""Blokus as arrays for its kernel: the windows of all 91 orientations, and what a ruleset fixes.

A *spot* is column + (side + 1) x row of a placement's lower left corner, as in the numbering of actions. Two words hold
a bit for each orientation at one spot: a uint64 for the 63 orientations of the pentominoes (`big`) and a uint32 for the
28 of the smaller pieces (`small`), both in the order of the numbering. A *plane* has these two words for every spot.

What a placement changes in a plane lies within REACH squares of its spot to the left and below, and depends on its
orientation alone. So its *window*, ROWS rows of WIDE words, is kept here once, its first word REACH squares to the left
of and below the spot. Rows are ROWS_APART = side + 1 spots apart, and that is enough: what a window changes beside the
board comes to lie where it would stick out of the board, and no such placement is ever open (nor is one below or above
the board, where the planes are padded).
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.polyomino import SHAPES, Point, distinct_orientations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus.ruleset import BlokusRuleset

WINDOW_REACH: Final = 5
WINDOW_ROWS: Final = 11
WINDOW_WORDS: Final = 12
"""Words of a window's row: 11 are needed, 12 are three vectors of four."""
BLOCK_SPOTS: Final = 32
"""Spots that are counted together."""
SMALL_ORIENTATIONS: Final = 28
ALL_ORIENTATIONS: Final = 91
"""Orientations of the small pieces, and of all."""

WINDOW_HITS: Final = 0
WINDOW_EDGES: Final = 1
WINDOW_CORNERS: Final = 2
"""The three windows of an orientation, and the three kinds of squares round it."""

# Columns of `Tables.orientations`
ORIENTATION_PIECE: Final = 0
ORIENTATION_SQUARES: Final = 1
ORIENTATION_FIRST_ROW: Final = 2
ORIENTATION_END_ROW: Final = 3
ORIENTATION_NUMBER: Final = 4
ORIENTATION_SUM_X: Final = 5
ORIENTATION_SUM_Y: Final = 6
ORIENTATION_SUM_SQUARED: Final = 7
ORIENTATION_SHAPE: Final = 8


class Tables(NamedTuple):
    """All that the compiled functions look up. Orientations are counted 0 to 90 whatever pieces there are."""

    big: NDArray[np.uint64]
    """(91 x 11 x 3 x 12,) windows by orientation, row, kind, column."""
    small: NDArray[np.uint32]
    """(91 x 11 x 3 x 12,)"""
    orientations: NDArray[np.int64]
    """(91, 13): piece, squares, first row of its windows that changes anything, one past the last, its number in
    the numbering of actions, sums of x, of y and of x squared + y squared over its squares, five rows of squares."""
    of_piece: NDArray[np.uint64]
    """(21, 2) big and small word of a piece's orientations."""
    near: NDArray[np.uint64]
    """(91, 3) of the 7 x 7 squares round it (bit 7 (y + 1) + x + 1), by kind: its own squares, those along its edges,
    those that touch it at a corner and not along an edge."""
    with_corners: NDArray[np.uint64]
    """(9, 2) big and small word of the orientations with so many corner points."""
    of_size: NDArray[np.uint64]
    """(6,) small word of the orientations of so many squares."""
    owners: NDArray[np.int64]
    """(colours,) seat of each colour; -1 for one that all play in turn."""


class Layout(NamedTuple):
    """The numbers that a ruleset fixes."""

    side: int
    rows_apart: int
    origin: int
    """Place of spot 0 in a plane."""
    plane: int
    """Words of a plane."""
    blocks: int
    """Blocks of spots."""
    orientations: int
    """Orientations in the numbering of actions."""
    span: int
    """Action numbers of a colour."""
    colours: int
    players: int
    pieces: int
    squares: int
    """Squares of a colour's pieces."""
    single: int
    """Set of pieces that holds the single square alone."""
    bonus: int
    bonus_single_last: int


def make_layout(ruleset: BlokusRuleset) -> Layout:
    """Return the numbers of a ruleset."""
    side, rows_apart = ruleset.side, ruleset.side + 1
    origin = (
        -(-(WINDOW_REACH * rows_apart + WINDOW_REACH) // 16) * 16
    )  # whole vectors: reading in blocks stays aligned
    blocks = -(-side * rows_apart // BLOCK_SPOTS)
    windows = origin + side * rows_apart + side + WINDOW_WORDS  # a placement changes one row above it
    plane = -(-max(origin + blocks * BLOCK_SPOTS, windows) // 16) * 16
    turned = sum(len(distinct_orientations(SHAPES[name])) for name in ruleset.pieces)
    return Layout(
        side=side,
        rows_apart=rows_apart,
        origin=origin,
        plane=plane,
        blocks=blocks,
        orientations=turned,
        span=turned * side * rows_apart,
        colours=len(ruleset.colours),
        players=ruleset.players,
        pieces=len(ruleset.pieces),
        squares=ruleset.total_squares,
        single=_piece_set(ruleset, "I1"),
        bonus=ruleset.options.bonus,
        bonus_single_last=ruleset.options.bonus_single_last,
    )


def _piece_set(ruleset: BlokusRuleset, name: str) -> int:
    return 1 << list(SHAPES).index(name) if name in ruleset.pieces else 0


def pieces_in_box(ruleset: BlokusRuleset) -> int:
    """Return the set of pieces that every colour has, a bit for each of the 21."""
    return sum(_piece_set(ruleset, name) for name in SHAPES)


def make_tables(ruleset: BlokusRuleset) -> Tables:
    """Return the tables of a ruleset."""
    fixed = _make_fixed_tables()
    owners = [-1 if owner is None else owner for owner in ruleset.colour_owners]
    there = [name in ruleset.pieces for name, _ in _all_orientations()]
    numbers = [number - 1 for number in accumulate(there)]  # of those that are not there: never asked for
    table = fixed.orientations.copy()
    table[:, ORIENTATION_NUMBER] = numbers
    return fixed._replace(orientations=table, owners=np.array(owners, dtype=np.int64))


@cache
def _all_orientations() -> tuple[tuple[str, tuple[Point, ...]], ...]:
    """All orientations in the order of the numbering."""
    return tuple((name, shape) for name in SHAPES for shape in distinct_orientations(SHAPES[name]))


def placements_on_board(side: int) -> list[tuple[int, int, int]]:
    """Return column, row and orientation of every placement on an empty board."""
    return [
        (x, y, number)
        for number, (_, shape) in enumerate(_all_orientations())
        for x in range(side - max(column for column, _ in shape))
        for y in range(side - max(row for _, row in shape))
    ]


def orientation_squares(orientation: int) -> tuple[Point, ...]:
    """Return the squares of an orientation."""
    return _all_orientations()[orientation][1]


def orientation_words(orientation: int) -> tuple[int, int]:
    """Return the big and the small word with the bit of one orientation."""
    return (
        (1 << orientation - SMALL_ORIENTATIONS, 0)
        if orientation >= SMALL_ORIENTATIONS
        else (0, 1 << orientation)
    )


@cache
def _make_fixed_tables() -> Tables:
    """Return the tables that are the same for every ruleset."""
    big = np.zeros((ALL_ORIENTATIONS, WINDOW_ROWS, 3, WINDOW_WORDS), dtype=np.uint64)
    small = np.zeros((ALL_ORIENTATIONS, WINDOW_ROWS, 3, WINDOW_WORDS), dtype=np.uint32)
    table = np.zeros((ALL_ORIENTATIONS, ORIENTATION_SHAPE + 5), dtype=np.int64)
    near = np.zeros((ALL_ORIENTATIONS, 3), dtype=np.uint64)
    of_piece = np.zeros((len(SHAPES), 2), dtype=np.uint64)
    with_corners = np.zeros((9, 2), dtype=np.uint64)
    of_size = np.zeros(6, dtype=np.uint64)
    names = list(SHAPES)
    for number, (name, shape) in enumerate(_all_orientations()):
        edges, corners = _edge_and_corner_squares(shape)
        for kind, points in ((WINDOW_HITS, set(shape)), (WINDOW_EDGES, edges), (WINDOW_CORNERS, corners)):
            _set_covering_placements(points, big[number, :, kind], small[number, :, kind])
            near[number, kind] = sum(1 << 7 * (y + 1) + x + 1 for x, y in points)
        table[number] = _orientation_row(names.index(name), shape)
        changes = np.flatnonzero(big[number].any(axis=(1, 2)) | small[number].any(axis=(1, 2)))
        table[number, ORIENTATION_FIRST_ROW], table[number, ORIENTATION_END_ROW] = changes[0], changes[-1] + 1
        pair = np.array(orientation_words(number), dtype=np.uint64)
        of_piece[names.index(name)] |= pair
        with_corners[len(corners)] |= pair
        of_size[len(shape)] |= pair[1]
    return Tables(
        big.reshape(-1),
        small.reshape(-1),
        table,
        of_piece,
        near,
        with_corners,
        of_size,
        np.zeros(0, dtype=np.int64),
    )


def _edge_and_corner_squares(shape: tuple[Point, ...]) -> tuple[set[Point], set[Point]]:
    """Return the squares along a shape's edges, and those at its corners and not along an edge."""
    own = set(shape)
    edges = {(x + dx, y + dy) for x, y in shape for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))} - own
    corners = {(x + dx, y + dy) for x, y in shape for dx in (-1, 1) for dy in (-1, 1)} - own - edges
    return edges, corners


def _set_covering_placements(points: set[Point], big: NDArray[Any], small: NDArray[Any]) -> None:
    """Set in a window (rows, columns) every placement that covers one of some points."""
    cover_big, cover_small = _placements_covering_square()
    for x, y in points:
        rows, columns = slice(y + 1, y + 6), slice(x + 1, x + 6)
        big[rows, columns] |= cover_big
        small[rows, columns] |= cover_small


@cache
def _placements_covering_square() -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return which placements cover a square, by their spots: from four to the left and below to the square itself."""
    big = np.zeros((5, 5), dtype=np.uint64)
    small = np.zeros((5, 5), dtype=np.uint32)
    for number, (_, shape) in enumerate(_all_orientations()):
        for x, y in shape:
            in_big, in_small = orientation_words(number)
            big[4 - y, 4 - x] |= np.uint64(in_big)
            small[4 - y, 4 - x] |= np.uint32(in_small)
    return big, small


def _orientation_row(piece: int, shape: tuple[Point, ...]) -> list[int]:
    """Return a row of `Tables.orientations`; what depends on windows or ruleset is still 0."""
    rows = [sum(1 << x for x, row in shape if row == y) for y in range(5)]
    sums = [sum(x for x, _ in shape), sum(y for _, y in shape), sum(x * x + y * y for x, y in shape)]
    return [piece, len(shape), 0, 0, 0, *sums, *rows]
