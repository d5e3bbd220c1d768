"""The constant arrays of the Blokus Dice kernel: everything about a ruleset that compiled functions read.

Every other module of this kernel uses these words:

- A *spot* is the lower left corner of the bounding box of a placement, as a number: row x `Tables.row_stride` + column +
  LONGEST_SHAPE, because each row of the play area has padding on its left.
- An *orientation* has a number from 0 to 90: by shape in the order of `SHAPES`, then in the order of
  `distinct_orientations`.
- A *placement* as one number is spot x SPOT_STRIDE + orientation. The rules count placements without gaps, in the same
  order; `Tables` converts these numbers.
- A *plane* is a set of placements: a row of uint32 words with a bit for each placement, so SPOT_WORDS words for a spot.
  Going through it from its first bit to its last meets the placements in the order of the rules.
- A bit of a plane that is in the padding, or whose shape would stick out of the play area or is not on the list, is not
  a placement. It may have any value, except in the plane of free placements, where it is 0.
- A *vector* is VECTOR_WORDS words of a plane that are processed at once. A *pattern* is a set of orientations for every
  spot, as words: SPOT_WORDS vectors long, after which it repeats.
- The *window* of an orientation holds the placements that a placement with this orientation affects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from engine.games.blokus_dice.ruleset import FACE_COUNT, BlokusDiceRuleset
from engine.luck import normal_quantiles
from engine.polyomino import SHAPES, Shape, distinct_orientations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words: TypeAlias = NDArray[np.uint32]
    Numbers: TypeAlias = NDArray[np.int32]

LONGEST_SHAPE: Final = 5
"""Squares of the longest shape: how far a placement reaches, and the padding of each row."""
WORD_BITS: Final = 32
SPOT_WORDS: Final = 3
"""Words for one spot: they have room for the 91 orientations."""
SPOT_STRIDE: Final = SPOT_WORDS * WORD_BITS
MAX_DICE: Final = 4
"""BD-1: a die for each of up to four seats."""
VECTOR_WORDS: Final = 32
"""The number of words in a row of a window. The length of a plane is a multiple of it."""
WINDOW_ROWS: Final = 2 * LONGEST_SHAPE + 1
"""Rows of a window, and columns."""
VIEW_SIDE: Final = LONGEST_SHAPE + 2
"""Rows and columns of the squares around a spot in which all corner points of a placement lie."""
WINDOW_HITS, WINDOW_EDGES, WINDOW_CORNERS = range(3)
"""The kinds of windows: placements that cover a square of the placement, one along its edges, one at its corners."""

ORIENTATIONS: Final[tuple[Shape, ...]] = tuple(
    orientation for shape in SHAPES.values() for orientation in distinct_orientations(shape)
)
_SHAPE_OF_ORIENTATION: Final = tuple(
    number for number, shape in enumerate(SHAPES.values()) for _ in distinct_orientations(shape)
)
_SHAPE_NAMES: Final = tuple(SHAPES)


class Tables(NamedTuple):
    """Everything that stays the same during the games of one ruleset.

    A `face` is the number of a side of a die, from 0. It stands for the row of the list that the die offers (BD-3).
    """

    players: int
    side: int
    strikes: int
    """Strikes that each seat has."""
    row_stride: int
    """Spots from one row to the next, padding included."""
    words: int
    """Words of a plane; the last ones are padding for windows that reach beyond the last row."""
    out_action: int
    """Action of a seat that can draw nothing."""
    placement_count: int
    shape_count: int
    """Shapes on the list."""
    every: Words
    """(words,) all placements: those that are free on an empty board."""
    in_corners: Words
    """(words,) BD-4: placements that cover a corner square of the play area."""
    offered: Words
    """(FACE_COUNT + 1, words) BD-3: placements of the shapes in a row of the list; the last: of any row (BD-6)."""
    other_shapes: Words
    """(shapes, words) placements of all shapes but one."""
    windows: Words
    """(orientations, WINDOW_ROWS, kinds, VECTOR_WORDS) see `_make_windows`."""
    squares: Words
    """(orientations, columns) squares of each column, a bit for each row."""
    widths: Numbers
    """(orientations,) columns."""
    heights: Numbers
    """(orientations,) rows."""
    sizes: Numbers
    """(orientations,) squares."""
    shapes: Numbers
    """(orientations,) number of the shape in SHAPES."""
    faces: Numbers
    """(orientations,) BD-3: face of the row in which the shape is listed; -1 if it is not on the list."""
    corner_points: NDArray[np.int64]
    """(orientations,) corner points, bit VIEW_SIDE x (column + 1) + row + 1 from the spot."""
    not_of_size: Words
    """(LONGEST_SHAPE + 1, SPOT_WORDS, VECTOR_WORDS) pattern of the orientations with another number of squares."""
    offered_patterns: Words
    """(FACE_COUNT + 1, SPOT_WORDS, VECTOR_WORDS) pattern of the orientations in a row of the list; the last: any row."""
    offered_by_size: Words
    """(FACE_COUNT, LONGEST_SHAPE + 1, SPOT_WORDS) orientations in a row of the list, by their number of squares."""
    miss_chances: NDArray[np.float64]
    """(FACE_COUNT + 1, MAX_DICE + 1) probability, by numbers of faces and dice, that no die shows any of the faces."""
    logarithms: NDArray[np.float64]
    """(placement_count + 1,) logarithm to base 2 of the index + 1."""
    quantiles: NDArray[np.float64]
    """Quantiles of the normal distribution, from `engine.luck`."""
    rules_numbers: Numbers
    """(bits of a plane,) number of a placement in the rules, or -1."""
    rules_placements: Numbers
    """(placement_count,) placement by its number in the rules."""
    roll_actions: Numbers
    """(MAX_DICE + 1, FACE_COUNT ** MAX_DICE) BD-2: action of a roll by its number of dice, in any order. The second index has
    one digit to base FACE_COUNT for each die."""
    roll_faces: Numbers
    """(rolls, MAX_DICE) faces of a roll by its action, ascending; -1 where there are fewer dice."""


def make_tables(ruleset: BlokusDiceRuleset) -> Tables:
    """Return the tables of a ruleset."""
    side, row_stride = ruleset.side, ruleset.side + LONGEST_SHAPE
    windows_end = SPOT_WORDS * (row_stride * (side - 1) + side - 1) + 1 + VECTOR_WORDS
    words = -(-max(SPOT_WORDS * row_stride * side, windows_end) // VECTOR_WORDS) * VECTOR_WORDS
    faces = _orientation_faces(ruleset)
    sizes = np.array([len(orientation) for orientation in ORIENTATIONS], np.int32)
    face_of_bit = _repeat_over_plane(faces, words)
    shape_of_bit = _repeat_over_plane(np.array(_SHAPE_OF_ORIENTATION), words)
    every = _fitting_placements(side, row_stride, words) & (face_of_bit >= 0)
    placements = np.flatnonzero(every).astype(np.int32)
    rules_numbers = np.full(words * WORD_BITS, -1, np.int32)
    rules_numbers[placements] = np.arange(len(placements))
    roll_actions, roll_faces = _make_roll_tables(ruleset)
    return Tables(
        players=ruleset.players,
        side=side,
        strikes=ruleset.options.strikes,
        row_stride=row_stride,
        words=words,
        out_action=ruleset.out_action,
        placement_count=len(placements),
        shape_count=sum(len(names) for names in ruleset.shapes_by_row.values()),
        every=pack_bits(every),
        in_corners=pack_bits(every & _corner_placements(side, row_stride, words)),
        offered=np.array(
            [*(pack_bits(face_of_bit == face) for face in range(FACE_COUNT)), pack_bits(face_of_bit >= 0)]
        ),
        other_shapes=np.array([pack_bits(shape_of_bit != shape) for shape in range(len(SHAPES))]),
        windows=_make_windows(),
        squares=np.array([_column_masks(orientation) for orientation in ORIENTATIONS], np.uint32),
        widths=np.array([1 + max(x for x, _ in orientation) for orientation in ORIENTATIONS], np.int32),
        heights=np.array([1 + max(y for _, y in orientation) for orientation in ORIENTATIONS], np.int32),
        sizes=sizes,
        shapes=np.array(_SHAPE_OF_ORIENTATION, np.int32),
        faces=faces,
        corner_points=np.array([_corner_point_mask(orientation) for orientation in ORIENTATIONS], np.int64),
        not_of_size=np.array([_make_pattern(sizes != size) for size in range(LONGEST_SHAPE + 1)]),
        offered_patterns=np.array(
            [*(_make_pattern(faces == face) for face in range(FACE_COUNT)), _make_pattern(faces >= 0)]
        ),
        offered_by_size=np.array(
            [
                [
                    _make_pattern((faces == face) & (sizes == size))[0, :SPOT_WORDS]
                    for size in range(LONGEST_SHAPE + 1)
                ]
                for face in range(FACE_COUNT)
            ]
        ),
        miss_chances=(1 - np.arange(FACE_COUNT + 1)[:, np.newaxis] / FACE_COUNT) ** np.arange(MAX_DICE + 1),
        # Rounded, so that they are the same on every machine.
        logarithms=np.round(np.log2(np.arange(1.0, len(placements) + 2)), 9),
        quantiles=np.array(normal_quantiles()),
        rules_numbers=rules_numbers,
        rules_placements=placements,
        roll_actions=roll_actions,
        roll_faces=roll_faces,
    )


def pack_bits(bits: NDArray[np.bool_]) -> Words:
    """Return truth values as words, the first as the lowest bit. Their last axis is a multiple of WORD_BITS."""
    words: Words = np.packbits(bits, axis=-1, bitorder="little").view(np.uint32)
    return words


def unpack_bits(words: Words) -> NDArray[np.bool_]:
    """Return words as truth values."""
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little").view(np.bool_)


def _orientation_faces(ruleset: BlokusDiceRuleset) -> Numbers:
    """Return for each orientation the face of its row, -1 for a shape that is not on the list."""
    faces = {name: face - 1 for face, names in ruleset.shapes_by_row.items() for name in names}
    return np.array([faces.get(_SHAPE_NAMES[shape], -1) for shape in _SHAPE_OF_ORIENTATION], np.int32)


def _repeat_over_plane(of_orientation: NDArray[np.integer], words: int) -> NDArray[np.integer]:
    """Return a number for each bit of a plane, from those of the orientations; -1 where there is no orientation."""
    of_spot = np.full(SPOT_STRIDE, -1)
    of_spot[: len(ORIENTATIONS)] = of_orientation
    return np.tile(of_spot, words // SPOT_WORDS + 1)[: words * WORD_BITS]


def _plane_bits(bits: NDArray[np.bool_], row_stride: int, words: int) -> NDArray[np.bool_]:
    """Return the bits of a plane from those by row, column and orientation."""
    side = len(bits)
    plane = np.zeros((side, row_stride, SPOT_STRIDE), np.bool_)
    plane[:, LONGEST_SHAPE:, : len(ORIENTATIONS)] = bits
    return np.append(plane.ravel(), np.zeros(words * WORD_BITS - plane.size, np.bool_))


def _fitting_placements(side: int, row_stride: int, words: int) -> NDArray[np.bool_]:
    """Return the bits of orientations that do not stick out of the play area."""
    bits = np.zeros((side, side, len(ORIENTATIONS)), np.bool_)
    for o, orientation in enumerate(ORIENTATIONS):
        rows, columns = side - max(y for _, y in orientation), side - max(x for x, _ in orientation)
        bits[:rows, :columns, o] = True
    return _plane_bits(bits, row_stride, words)


def _corner_placements(side: int, row_stride: int, words: int) -> NDArray[np.bool_]:
    """Return the bits of orientations that cover a corner square of the play area."""
    bits = np.zeros((side, side, len(ORIENTATIONS)), np.bool_)
    for o, orientation in enumerate(ORIENTATIONS):
        for x, y in orientation:
            for column in (-x, side - 1 - x):
                for row in (-y, side - 1 - y):
                    if column >= 0 and row >= 0:
                        bits[row, column, o] = True
    return _plane_bits(bits, row_stride, words)


def _make_windows() -> Words:
    """Return the windows: (orientations, WINDOW_ROWS, kinds, VECTOR_WORDS).

    A window has the spots from 5 rows below to 5 above the orientation's own, and as many columns. It does not depend on
    where the orientation lies, so a drawn shape changes a plane by one window, word by word. The first word of each row
    is left out: five columns to the left, only the lying I5 reaches the shape, and it is in the second word. That makes
    32 words in a row: two or four vector registers.
    """
    near = np.zeros(
        (len(ORIENTATIONS), WINDOW_ROWS + LONGEST_SHAPE, 3, WINDOW_ROWS + LONGEST_SHAPE), np.bool_
    )
    for o, orientation in enumerate(ORIENTATIONS):
        for kind, points in (
            (WINDOW_HITS, set(orientation)),
            (WINDOW_EDGES, _edge_squares(orientation)),
            (WINDOW_CORNERS, _corner_squares(orientation)),
        ):
            for x, y in points:
                near[o, y + LONGEST_SHAPE, kind, x + LONGEST_SHAPE] = True
    bits = np.zeros((len(ORIENTATIONS), WINDOW_ROWS, 3, WINDOW_ROWS, SPOT_STRIDE), np.bool_)
    for o, orientation in enumerate(ORIENTATIONS):
        for x, y in orientation:
            bits[..., o] |= near[:, y : y + WINDOW_ROWS, :, x : x + WINDOW_ROWS]
    words = pack_bits(bits).reshape(len(ORIENTATIONS), WINDOW_ROWS, 3, WINDOW_ROWS * SPOT_WORDS)
    return np.ascontiguousarray(words[..., 1:])


def _edge_squares(shape: Shape) -> set[tuple[int, int]]:
    """Return the squares along a shape's edges."""
    return {(x + i, y + j) for x, y in shape for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1))} - set(shape)


def _corner_squares(shape: Shape) -> set[tuple[int, int]]:
    """Return the squares that meet a shape corner to corner and nowhere along an edge."""
    diagonal = {(x + i, y + j) for x, y in shape for i in (1, -1) for j in (1, -1)}
    return diagonal - set(shape) - _edge_squares(shape)


def _corner_point_mask(shape: Shape) -> int:
    return sum(1 << VIEW_SIDE * (x + 1) + y + 1 for x, y in _corner_squares(shape))


def _column_masks(shape: Shape) -> list[int]:
    return [sum(1 << y for x, y in shape if x == column) for column in range(LONGEST_SHAPE)]


def _make_pattern(orientations: NDArray[np.bool_]) -> Words:
    """Return the pattern of some orientations: (SPOT_WORDS, VECTOR_WORDS)."""
    words = pack_bits(np.append(orientations, np.zeros(SPOT_STRIDE - len(orientations), np.bool_)))
    return np.tile(words, VECTOR_WORDS).reshape(SPOT_WORDS, VECTOR_WORDS)


def _make_roll_tables(ruleset: BlokusDiceRuleset) -> tuple[Numbers, Numbers]:
    """Return `Tables.roll_actions` and `Tables.roll_faces`."""
    actions = np.full((MAX_DICE + 1, FACE_COUNT**MAX_DICE), -1, np.int32)
    faces = np.full((len(ruleset.roll_faces), MAX_DICE), -1, np.int32)
    for action, roll in enumerate(ruleset.roll_faces):
        faces[action, : len(roll)] = [die - 1 for die in roll]
    for dice in range(1, ruleset.players + 1):
        for code in range(FACE_COUNT**dice):
            roll = tuple(sorted(code // FACE_COUNT**die % FACE_COUNT + 1 for die in range(dice)))
            actions[dice, code] = ruleset.roll_numbers[roll]
    return actions, faces
