"""Blokus Dice as arrays: everything about a ruleset that the compiled game reads.

All 91 orientations have a fixed number, by shape in the order of `SHAPES`, then in the order of `orientations`. A set
of placements (a *plane*) is a row of uint32 words in the order of the numbers of placements: by row of the play area,
then column, of the lower left corner of the bounding box, then orientation. So a position of the box has three words
with a bit for each orientation, and to go through a plane from its first bit to its last is to meet the placements in
ascending order. The number of a bit in its plane is called a *spot*.

Each row of the play area is padded on its left. A bit there, or one whose shape would stick out of the play area, or
is not on the list, is no placement: it may hold anything, except in the set of free placements, which never has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from engine.games.blokus_dice.ruleset import FACE_COUNT
from engine.luck import normal_quantiles
from engine.polyomino import SHAPES, distinct_orientations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.polyomino import Shape

    Words: TypeAlias = NDArray[np.uint32]
    Numbers: TypeAlias = NDArray[np.int32]

LONGEST_SHAPE: Final = 5
"""Squares of the longest shape: how far a placement reaches, and the padding of each row."""
WORD_BITS: Final = 32
"""Of a word."""
CELL_WORDS: Final = 3
"""Words for a position of the bounding box: 91 orientations."""
MAX_DICE: Final = 4
"""BD-1: a die for each of up to four seats."""
VECTOR_WORDS: Final = 32
"""Words that are treated at once: the length of a plane is a multiple of it, and a row of a window has so many."""
WINDOW_ROWS: Final = 2 * LONGEST_SHAPE + 1
"""Rows of a window, and columns."""
VIEW_SIDE: Final = LONGEST_SHAPE + 2
"""Rows and columns round a placement in which all its corner points lie."""
WINDOW_HITS, WINDOW_EDGES, WINDOW_CORNERS = range(3)
"""What a drawn shape does to other placements: it lies in their squares, along their edge, at their corner."""

ORIENTATIONS: Final[tuple[Shape, ...]] = tuple(
    turned for shape in SHAPES.values() for turned in distinct_orientations(shape)
)
"""The orientations by number."""
_SHAPE_OF_ORIENTATION: Final = tuple(
    number for number, shape in enumerate(SHAPES.values()) for _ in distinct_orientations(shape)
)
_SHAPE_NAMES: Final = tuple(SHAPES)


class Tables(NamedTuple):
    """One ruleset. `o` stands for an orientation, `face` for the number of a die from 0."""

    players: int
    side: int
    strikes: int
    stride: int
    """Positions from one row to the next, padding included."""
    words: int
    """Of a plane; the last ones, more than any position has, take what windows write beyond the last row."""
    out: int
    """Action of a seat that can draw nothing."""
    placements: int
    shapes: int
    """On the list."""
    every: Words
    """(word,) all placements: those free on an empty board."""
    in_corners: Words
    """(word,) BD-4: those that cover a corner square."""
    offered: Words
    """(FACES + 1, word) BD-3: those of the shapes in a row of the list; the last: BD-6, of any row."""
    others: Words
    """(shape, word) those of all other shapes."""
    windows: Words
    """(o, row, HIT EDGE or CORNER, STEP) see `_windows`."""
    squares: Words
    """(o, column) a bit for each row."""
    widths: Numbers
    """(o,) columns."""
    heights: Numbers
    """(o,) rows."""
    sizes: Numbers
    """(o,) squares."""
    shape: Numbers
    """(o,) number of the shape in `SHAPES`."""
    row: Numbers
    """(o,) BD-3: face of the row that the shape stands in, -1 if it is not on the list."""
    corners: NDArray[np.int64]
    """(o,) corner points: bit VIEW * column + row, both from one left of and below the bounding box."""
    unsized: Words
    """(squares, DEPTH, STEP) placements not of so many squares, as a pattern that repeats in any plane after DEPTH steps."""
    offers: Words
    """(FACES + 1, DEPTH, STEP) placements of the shapes in a row of the list, the last: of any row, as such patterns."""
    graded: Words
    """(face, squares, DEPTH) the orientations of the shapes of so many squares in a row of the list, a bit for each."""
    missed: NDArray[np.float64]
    """(faces, dice) chance that none of so many dice shows one of so many faces."""
    logs: NDArray[np.float64]
    """(number,) logarithm to base 2 of the number + 1, up to the number of placements."""
    quantiles: NDArray[np.float64]
    """Of the normal distribution: those of `engine.luck`."""
    number: Numbers
    """(spot,) number of the placement; -1 if there is none."""
    spot: Numbers
    """(placement,)"""
    rolls: Numbers
    """(dice, code) BD-2: action of a roll of so many dice in any order; `code` has one digit to base FACES a die."""
    faces: Numbers
    """(roll, 4) dice of a roll, ascending faces; -1 where there are fewer."""


def make_tables(ruleset: BlokusDiceRuleset) -> Tables:
    """Return the arrays of a ruleset."""
    side, stride = ruleset.side, ruleset.side + LONGEST_SHAPE
    longest_write = CELL_WORDS * (stride * (side - 1) + side - 1) + 1 + VECTOR_WORDS
    words = -(-max(CELL_WORDS * stride * side, longest_write) // VECTOR_WORDS) * VECTOR_WORDS
    row = _orientation_faces(ruleset)
    orientation = np.tile(np.arange(CELL_WORDS * WORD_BITS), words // CELL_WORDS + 1)[: words * WORD_BITS]
    known = np.append(row, [-1] * (CELL_WORDS * WORD_BITS - len(row)))[orientation]
    every = _fitting_placement_bits(side, stride, words) & (known >= 0)
    spot = np.flatnonzero(every).astype(np.int32)
    number = np.full(words * WORD_BITS, -1, np.int32)
    number[spot] = np.arange(len(spot))
    shape = np.append(_SHAPE_OF_ORIENTATION, [-1] * (CELL_WORDS * WORD_BITS - len(row)))[orientation]
    sizes = np.array([len(turned) for turned in ORIENTATIONS], np.int32)
    in_rows = [row == face for face in range(FACE_COUNT)] + [row >= 0]
    rolls, faces = _make_roll_tables(ruleset)
    return Tables(
        players=ruleset.players,
        side=side,
        strikes=ruleset.options.strikes,
        stride=stride,
        words=words,
        out=ruleset.out_action,
        placements=len(spot),
        shapes=sum(len(names) for names in ruleset.shapes_by_row.values()),
        every=pack_bits(every),
        in_corners=pack_bits(every & _corner_placement_bits(side, stride, words)),
        offered=np.array([pack_bits(known == face) for face in range(FACE_COUNT)] + [pack_bits(known >= 0)]),
        others=np.array([pack_bits(shape != one) for one in range(len(SHAPES))]),
        windows=_make_windows(),
        squares=np.array([_column_masks(turned) for turned in ORIENTATIONS], np.uint32),
        widths=np.array([1 + max(x for x, _ in turned) for turned in ORIENTATIONS], np.int32),
        heights=np.array([1 + max(y for _, y in turned) for turned in ORIENTATIONS], np.int32),
        sizes=sizes,
        shape=np.array(_SHAPE_OF_ORIENTATION, np.int32),
        row=row,
        corners=np.array([_corner_mask(turned) for turned in ORIENTATIONS], np.int64),
        unsized=np.array([_make_pattern(sizes != size) for size in range(LONGEST_SHAPE + 1)]),
        offers=np.array([_make_pattern(chosen) for chosen in in_rows]),
        graded=np.array(
            [
                [
                    _make_pattern((row == face) & (sizes == size))[0, :CELL_WORDS]
                    for size in range(LONGEST_SHAPE + 1)
                ]
                for face in range(FACE_COUNT)
            ]
        ),
        missed=(1 - np.arange(FACE_COUNT + 1)[:, np.newaxis] / FACE_COUNT) ** np.arange(MAX_DICE + 1),
        logs=np.round(np.log2(np.arange(1.0, len(spot) + 2)), 9),  # the same on every machine
        quantiles=np.array(normal_quantiles()),
        number=number,
        spot=spot,
        rolls=rolls,
        faces=faces,
    )


def pack_bits(bits: NDArray[np.bool_]) -> Words:
    """Return truth values as words, the first as the lowest bit; their last axis is a multiple of a word."""
    found: Words = np.packbits(bits, axis=-1, bitorder="little").view(np.uint32)
    return found


def unpack_bits(words: Words) -> NDArray[np.bool_]:
    """Return words as truth values."""
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little").view(np.bool_)


def _orientation_faces(ruleset: BlokusDiceRuleset) -> Numbers:
    """Return for each orientation the face of its row, -1 for a shape that is not on the list."""
    faces = {name: face - 1 for face, names in ruleset.shapes_by_row.items() for name in names}
    return np.array([faces.get(_SHAPE_NAMES[shape], -1) for shape in _SHAPE_OF_ORIENTATION], np.int32)


def _plane_bits(bits: NDArray[np.bool_], stride: int, words: int) -> NDArray[np.bool_]:
    """Return the bits of a plane; given are those of (row, column, orientation)."""
    side, depth = len(bits), CELL_WORDS * WORD_BITS
    plane = np.zeros((side, stride, depth), np.bool_)
    plane[:, LONGEST_SHAPE:, : len(ORIENTATIONS)] = bits
    return np.append(plane.ravel(), np.zeros(words * WORD_BITS - plane.size, np.bool_))


def _fitting_placement_bits(side: int, stride: int, words: int) -> NDArray[np.bool_]:
    """Return the bits of orientations that do not stick out of the play area."""
    bits = np.zeros((side, side, len(ORIENTATIONS)), np.bool_)
    for o, turned in enumerate(ORIENTATIONS):
        bits[: side - max(y for _, y in turned), : side - max(x for x, _ in turned), o] = True
    return _plane_bits(bits, stride, words)


def _corner_placement_bits(side: int, stride: int, words: int) -> NDArray[np.bool_]:
    bits = np.zeros((side, side, len(ORIENTATIONS)), np.bool_)
    for o, turned in enumerate(ORIENTATIONS):
        for x, y in turned:
            for column in (-x, side - 1 - x):
                for row in (-y, side - 1 - y):
                    if column >= 0 and row >= 0:
                        bits[row, column, o] = True
    return _plane_bits(bits, stride, words)


def _make_windows() -> Words:
    """Return for each orientation which placements round it it hits, meets along an edge, and meets at a corner.

    A window has the positions of bounding boxes from 5 rows below to 5 above the orientation's own, and the same for
    columns. That holds wherever the orientation lies, so a drawn shape changes a plane by one window, word by word.
    The very first word of a row is left out: 5 columns to the left only I5 lying reaches the shape, which is in the
    second word. With that, a row has 32 words: two or four vector registers.
    """
    near = np.zeros(
        (len(ORIENTATIONS), WINDOW_ROWS + LONGEST_SHAPE, 3, WINDOW_ROWS + LONGEST_SHAPE), np.bool_
    )
    for o, turned in enumerate(ORIENTATIONS):
        for kind, points in (
            (WINDOW_HITS, set(turned)),
            (WINDOW_EDGES, _edge_squares(turned)),
            (WINDOW_CORNERS, _corner_squares(turned)),
        ):
            for x, y in points:
                near[o, y + LONGEST_SHAPE, kind, x + LONGEST_SHAPE] = True
    found = np.zeros((len(ORIENTATIONS), WINDOW_ROWS, 3, WINDOW_ROWS, CELL_WORDS * WORD_BITS), np.bool_)
    for o, turned in enumerate(ORIENTATIONS):
        for x, y in turned:
            found[..., o] |= near[:, y : y + WINDOW_ROWS, :, x : x + WINDOW_ROWS]
    words = pack_bits(found).reshape(len(ORIENTATIONS), WINDOW_ROWS, 3, WINDOW_ROWS * CELL_WORDS)
    return np.ascontiguousarray(words[..., 1:])


def _edge_squares(shape: Shape) -> set[tuple[int, int]]:
    return {(x + i, y + j) for x, y in shape for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1))} - set(shape)


def _corner_squares(shape: Shape) -> set[tuple[int, int]]:
    """Return the squares that meet a shape corner to corner and nowhere along an edge."""
    return (
        {(x + i, y + j) for x, y in shape for i in (1, -1) for j in (1, -1)}
        - set(shape)
        - _edge_squares(shape)
    )


def _corner_mask(shape: Shape) -> int:
    return sum(1 << VIEW_SIDE * (x + 1) + y + 1 for x, y in _corner_squares(shape))


def _column_masks(shape: Shape) -> list[int]:
    return [sum(1 << y for x, y in shape if x == column) for column in range(LONGEST_SHAPE)]


def _make_pattern(chosen: NDArray[np.bool_]) -> Words:
    """Return the words of as many positions of the bounding box as fill DEPTH steps."""
    here = pack_bits(np.append(chosen, np.zeros(CELL_WORDS * WORD_BITS - len(chosen), np.bool_)))
    return np.tile(here, VECTOR_WORDS).reshape(CELL_WORDS, VECTOR_WORDS)


def _make_roll_tables(ruleset: BlokusDiceRuleset) -> tuple[Numbers, Numbers]:
    """Return the action of each roll by its dice in any order, and its dice by action."""
    rolls = np.full((MAX_DICE + 1, FACE_COUNT**MAX_DICE), -1, np.int32)
    faces = np.full((len(ruleset.roll_faces), MAX_DICE), -1, np.int32)
    for action, roll in enumerate(ruleset.roll_faces):
        faces[action, : len(roll)] = [die - 1 for die in roll]
    for dice in range(1, ruleset.players + 1):
        for code in range(FACE_COUNT**dice):
            roll = tuple(sorted(code // FACE_COUNT**die % FACE_COUNT + 1 for die in range(dice)))
            rolls[dice, code] = ruleset.roll_numbers[roll]
    return rolls, faces
