"""The constant arrays of the Blokus kernel: the windows of all 91 orientations, and the numbers that a ruleset fixes.

Every other module of this kernel uses these words:

- A *spot* is the lower left corner of the bounding box of a placement, as a number: column + (side + 1) x row. The
  action numbers of the rules count spots in the same way.
- An *orientation* has a number from 0 to 90, whatever pieces the ruleset has. The 28 orientations of the pieces with
  one to four squares come first; the 63 of the pentominoes follow.
- The orientations at one spot are the bits of two words: a uint32 for the small pieces (*small*) and a uint64 for the
  pentominoes (*big*).
- A *plane* is a set of placements: these two words for every spot.
- The *window* of an orientation holds the placements that a placement with this orientation affects. They lie within
  WINDOW_REACH spots of its own spot and do not depend on where it lies. A window has WINDOW_ROWS rows of WINDOW_WORDS
  words; its first word belongs to the spot that is WINDOW_REACH to the left of and below the placement.
- A *chunk* is a run of CHUNK_SPOTS spots whose placements are counted together.

One row of spots is side + 1 spots long, which is enough: bits of a window that fall beside the board land on spots
where the orientation would stick out of the board, and the plane of open placements never has those. Each plane is
padded below and above the board for the same reason.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.games.blokus.prior import FEATURES, PARTS, PHASES, prior_kind, read_prior
from engine.luck import normal_quantiles
from engine.polyomino import SHAPES, Point, distinct_orientations
from engine.weights import read_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus.ruleset import BlokusRuleset

WINDOW_REACH: Final = 5
WINDOW_ROWS: Final = 11
WINDOW_WORDS: Final = 12
"""Words in a row of a window. A window needs 11; 12 are three vectors of four words."""
CHUNK_SPOTS: Final = 32
SMALL_ORIENTATIONS: Final = 28
ALL_ORIENTATIONS: Final = 91
NEIGHBOURHOOD_SIDE: Final = 7
"""Rows and columns of the squares around a spot in which a piece and all its corner points lie."""

WINDOW_HITS: Final = 0
"""Squares of the placement itself, and the placements that cover one of them."""
WINDOW_EDGES: Final = 1
"""Squares along its edges, and the placements that cover one of them."""
WINDOW_CORNERS: Final = 2
"""Squares that touch it at a corner and not along an edge, and the placements that cover one of them."""

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

_WEIGHTS_FILE: Final = Path(__file__).parents[1] / "weights.toml"


class Tables(NamedTuple):
    """Everything that stays the same during the games of one ruleset."""

    side: int
    row_stride: int
    """Spots from one row to the next: side + 1."""
    origin: int
    """Index of spot 0 within a plane."""
    plane_words: int
    """Words of a plane, padding included."""
    chunks: int
    orientation_count: int
    """Orientations that the action numbers count: those of the ruleset's pieces."""
    actions_per_colour: int
    colours: int
    players: int
    pieces: int
    """Pieces of one colour."""
    squares: int
    """Squares of all pieces of one colour."""
    single_square_set: int
    """The set of pieces (bits) that holds the piece with one square alone; 0 if the ruleset has no such piece."""
    bonus: int
    bonus_single_last: int
    big_windows: NDArray[np.uint64]
    """(91 x 11 x 3 x 12,) windows by orientation, row, kind (WINDOW_HITS to WINDOW_CORNERS) and column: big words."""
    small_windows: NDArray[np.uint32]
    """(91 x 11 x 3 x 12,) the same windows: small words."""
    orientations: NDArray[np.int64]
    """(91, 13) by column: piece; squares; first row of its windows that changes anything; one past the last such row;
    number of the orientation in the action numbers; sums over its squares of x, of y and of x squared + y squared;
    its squares as five rows of bits."""
    piece_orientations: NDArray[np.uint64]
    """(21, 2) big and small word with the orientations of each piece."""
    neighbourhoods: NDArray[np.uint64]
    """(91, 3) squares by kind (WINDOW_HITS to WINDOW_CORNERS), in a uint64 of 7 x 7 bits: bit 7 (y + 1) + x + 1."""
    orientations_by_corners: NDArray[np.uint64]
    """(9, 2) big and small word with the orientations by their number of corner points."""
    small_orientations_by_size: NDArray[np.uint64]
    """(6,) small word with the orientations by their number of squares."""
    colour_owners: NDArray[np.int64]
    """(colours,) seat of each colour; -1 for a colour that all seats play in turn (BK-10)."""
    mobility_weights: NDArray[np.float64]
    """(weights,) the tuned weights of the strategy `mobility`, by which `mcts:fitted=0` ranks placements."""
    prior_weights: NDArray[np.float64]
    """(2, phases, features) weights of the prior; the second table is for a colour without an owner (BK-10)."""
    prior_phases: NDArray[np.float64]
    """(phases,) shares of a colour's squares, see `engine.games.blokus.prior`."""
    map_side: int
    """Squares from one row to the next in a map of the board: it has a frame one square wide."""
    part_squares: NDArray[np.int64]
    """(91, 3, 13) for each part of an orientation: its number of squares, then their places in a map relative to that of
    the spot."""
    quantiles: NDArray[np.float64]
    """Quantiles of the normal distribution, from `engine.luck`."""


def make_tables(ruleset: BlokusRuleset) -> Tables:
    """Return the tables of a ruleset."""
    side, row_stride = ruleset.side, ruleset.side + 1
    # A multiple of 16 words, so that chunks are aligned to vectors.
    origin = -(-(WINDOW_REACH * row_stride + WINDOW_REACH) // 16) * 16
    chunks = -(-side * row_stride // CHUNK_SPOTS)
    windows_end = origin + side * row_stride + side + WINDOW_WORDS  # a window reaches one row above the board
    is_used = [name in ruleset.pieces for name, _ in _all_orientations()]
    orientation_count = sum(is_used)
    orientations = _fixed_arrays()["orientations"].copy()
    # Orientations of pieces that the ruleset lacks get a number too; no plane ever has them.
    orientations[:, ORIENTATION_NUMBER] = [number - 1 for number in accumulate(is_used)]
    owners = [-1 if owner is None else owner for owner in ruleset.colour_owners]
    weights = [weight.default for weight in read_weights(_WEIGHTS_FILE, "mobility")]
    return Tables(
        side=side,
        row_stride=row_stride,
        origin=origin,
        plane_words=-(-max(origin + chunks * CHUNK_SPOTS, windows_end) // 16) * 16,
        chunks=chunks,
        orientation_count=orientation_count,
        actions_per_colour=orientation_count * side * row_stride,
        colours=len(ruleset.colours),
        players=ruleset.players,
        pieces=len(ruleset.pieces),
        squares=ruleset.total_squares,
        single_square_set=_piece_set(ruleset, "I1"),
        bonus=ruleset.options.bonus,
        bonus_single_last=ruleset.options.bonus_single_last,
        colour_owners=np.array(owners, dtype=np.int64),
        mobility_weights=np.array(weights),
        prior_weights=_prior_weights(ruleset),
        prior_phases=np.array(PHASES),
        map_side=side + 2,
        part_squares=_part_squares(side + 2),
        quantiles=np.array(normal_quantiles()),
        **{**_fixed_arrays(), "orientations": orientations},
    )


def _prior_weights(ruleset: BlokusRuleset) -> NDArray[np.float64]:
    """Return `Tables.prior_weights`; all are 0 for a kind of decision that has no fitted weights."""
    prior = read_prior()
    weights = np.zeros((2, len(PHASES), FEATURES))
    for number, is_shared in enumerate((False, True)):
        if fitted := prior.get(prior_kind(ruleset, is_shared=is_shared)):
            weights[number] = np.array(fitted.table()).T
    return weights


def _part_squares(map_side: int) -> NDArray[np.int64]:
    """Return `Tables.part_squares`."""
    squares = np.zeros((ALL_ORIENTATIONS, len(PARTS), 13), dtype=np.int64)
    for number, (_, shape) in enumerate(_all_orientations()):
        for part, points in enumerate((set(shape), *_edge_and_corner_squares(shape))):
            squares[number, part, 0] = len(points)
            squares[number, part, 1 : len(points) + 1] = sorted(map_side * y + x for x, y in points)
    return squares


def _piece_set(ruleset: BlokusRuleset, name: str) -> int:
    return 1 << list(SHAPES).index(name) if name in ruleset.pieces else 0


def pieces_of_ruleset(ruleset: BlokusRuleset) -> int:
    """Return the set of pieces that every colour has, a bit for each of the 21."""
    return sum(_piece_set(ruleset, name) for name in SHAPES)


@cache
def _all_orientations() -> tuple[tuple[str, tuple[Point, ...]], ...]:
    """Return piece and squares of all 91 orientations, in the order of their numbers."""
    return tuple((name, shape) for name in SHAPES for shape in distinct_orientations(SHAPES[name]))


def placements_on_board(side: int) -> list[tuple[int, int, int]]:
    """Return column, row and orientation of every placement on an empty board."""
    return [
        (x, y, number)
        for number, (_, shape) in enumerate(_all_orientations())
        for x in range(side - max(column for column, _ in shape))
        for y in range(side - max(row for _, row in shape))
    ]


def _orientation_words(orientation: int) -> tuple[int, int]:
    """Return the big and the small word with the bit of one orientation."""
    if orientation >= SMALL_ORIENTATIONS:
        return 1 << orientation - SMALL_ORIENTATIONS, 0
    return 0, 1 << orientation


@cache
def _fixed_arrays() -> dict[str, NDArray[Any]]:
    """Return the arrays of `Tables` that are the same for every ruleset, by the names of their fields."""
    big = np.zeros((ALL_ORIENTATIONS, WINDOW_ROWS, 3, WINDOW_WORDS), dtype=np.uint64)
    small = np.zeros((ALL_ORIENTATIONS, WINDOW_ROWS, 3, WINDOW_WORDS), dtype=np.uint32)
    orientations = np.zeros((ALL_ORIENTATIONS, ORIENTATION_SHAPE + 5), dtype=np.int64)
    neighbourhoods = np.zeros((ALL_ORIENTATIONS, 3), dtype=np.uint64)
    of_piece = np.zeros((len(SHAPES), 2), dtype=np.uint64)
    by_corners = np.zeros((9, 2), dtype=np.uint64)
    by_size = np.zeros(6, dtype=np.uint64)
    names = list(SHAPES)
    for number, (name, shape) in enumerate(_all_orientations()):
        edges, corners = _edge_and_corner_squares(shape)
        for kind, points in ((WINDOW_HITS, set(shape)), (WINDOW_EDGES, edges), (WINDOW_CORNERS, corners)):
            _set_covering_placements(points, big[number, :, kind], small[number, :, kind])
            neighbourhoods[number, kind] = sum(1 << NEIGHBOURHOOD_SIDE * (y + 1) + x + 1 for x, y in points)
        orientations[number] = _orientation_row(names.index(name), shape)
        changed_rows = np.flatnonzero(big[number].any(axis=(1, 2)) | small[number].any(axis=(1, 2)))
        orientations[number, ORIENTATION_FIRST_ROW] = changed_rows[0]
        orientations[number, ORIENTATION_END_ROW] = changed_rows[-1] + 1
        words = np.array(_orientation_words(number), dtype=np.uint64)
        of_piece[names.index(name)] |= words
        by_corners[len(corners)] |= words
        by_size[len(shape)] |= words[1]
    return {
        "big_windows": big.reshape(-1),
        "small_windows": small.reshape(-1),
        "orientations": orientations,
        "piece_orientations": of_piece,
        "neighbourhoods": neighbourhoods,
        "orientations_by_corners": by_corners,
        "small_orientations_by_size": by_size,
    }


def _edge_and_corner_squares(shape: tuple[Point, ...]) -> tuple[set[Point], set[Point]]:
    """Return the squares along a shape's edges, and those that touch it at a corner and not along an edge."""
    own = set(shape)
    edges = {(x + dx, y + dy) for x, y in shape for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))} - own
    corners = {(x + dx, y + dy) for x, y in shape for dx in (-1, 1) for dy in (-1, 1)} - own - edges
    return edges, corners


def _set_covering_placements(points: set[Point], big: NDArray[Any], small: NDArray[Any]) -> None:
    """Set in a window every placement that covers at least one of the points.

    `big` and `small` are (rows, columns); a point is a column and a row relative to the placement's spot.
    """
    covering_big, covering_small = _placements_covering_square()
    for x, y in points:
        rows, columns = slice(y + 1, y + 6), slice(x + 1, x + 6)
        big[rows, columns] |= covering_big
        small[rows, columns] |= covering_small


@cache
def _placements_covering_square() -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the placements that cover one square, as big and small words.

    (5, 5) by row and column of their spots: the last is the square itself, the first is four to the left and below.
    """
    big = np.zeros((5, 5), dtype=np.uint64)
    small = np.zeros((5, 5), dtype=np.uint32)
    for number, (_, shape) in enumerate(_all_orientations()):
        for x, y in shape:
            big_bit, small_bit = _orientation_words(number)
            big[4 - y, 4 - x] |= np.uint64(big_bit)
            small[4 - y, 4 - x] |= np.uint32(small_bit)
    return big, small


def _orientation_row(piece: int, shape: tuple[Point, ...]) -> list[int]:
    """Return a row of `Tables.orientations`, with 0 in the columns that depend on windows or on the ruleset."""
    rows = [sum(1 << x for x, row in shape if row == y) for y in range(5)]
    sums = [sum(x for x, _ in shape), sum(y for _, y in shape), sum(x * x + y * y for x, y in shape)]
    return [piece, len(shape), 0, 0, 0, *sums, *rows]
