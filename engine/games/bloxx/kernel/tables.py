"""BLOXX! as arrays: everything about a ruleset that the compiled functions read.

An *orientation* is a face turned one way, wherever its circle is. Orientations are numbered in the order of
`BloxxRuleset.orientations`: by die, then by face. Columns and rows are counted from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from engine.errors import InvalidError
from engine.games.bloxx.kernel.packed_columns import BESIDE_STEPS, MARGIN, PART_LENGTH, UNDER_STEPS
from engine.games.bloxx.ruleset import BloxxRuleset, Orientation, face_bit
from engine.games.bloxx.strategies import greedy_gap_cost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    Numbers: TypeAlias = NDArray[np.int32]
    Sets: TypeAlias = NDArray[np.int64]
    """Sets of rows or columns, one bit each."""

LANE_BITS: Final = (16, 32, 64)
"""Possible sizes of a lane (see `packed_columns`)."""


class Tables(NamedTuple):
    """One ruleset. `o` is an orientation, `j` a column of it, `mark` a place of its circle."""

    players: int
    columns: int
    rows: int
    squares: int
    row_first: int
    row_later: int
    gap_penalty: int
    blank_penalty: int
    greedy_gap_cost: int
    """Points that a new gap costs `greedy`: see `strategies.greedy_gap_cost`."""
    forfeit: int
    """The action of a seat that can draw nothing. Rolls have lower numbers, placements higher ones."""
    largest_number: int
    """The largest number printed on the sheet."""
    max_plies: int
    """No game has more plies."""
    faces: tuple[int, int]
    """Faces of die A and die B."""
    of_face: Numbers
    """(2, faces + 1) first orientation of each face of each die; those of a face end where the next face begins."""
    lane_bits: int
    """Bits of a lane."""
    lane_shift: int
    """The logarithm of `lane_bits` to base 2."""
    lanes: int
    """Lanes of an integer."""
    groups: int
    """Integers that hold the lanes of a sheet: an even number, as two of them are a pair."""
    bottom_rows: int
    """Row 0 in all lanes of an integer."""
    touching: int
    """Spots at which it is enough to touch a drawn square (BX-9): all, those on the bottom edge, or none."""
    parts: int
    """Parts of each row of `steps`."""
    steps: Sets
    """(o, pair, 2 + parts * PART_LENGTH) what `find_spots` needs: the spots at which all of o lies on the sheet, then the
    steps of all parts."""
    width: Bytes
    """(o,)"""
    height: Bytes
    """(o,)"""
    top: Bytes
    """(o, j) highest row."""
    filled: Bytes
    """(o, j) number of squares."""
    squares_of: Sets
    """(o, j) rows of its squares."""
    across: Sets
    """(o, row of o) columns of its squares."""
    low: Numbers
    """(o, 2) sum of the rows of its squares, counted from 1, when it lies on the bottom edge; number of its squares."""
    marks: Bytes
    """(o,) number of different places of the circle."""
    mark_at: Bytes
    """(o, mark, 2) column and row of the circle."""
    mark_square: Numbers
    """(o, mark) its square, counted from the lower left corner of o."""
    hollow: Numbers
    """(o,) when it lies on the bottom edge: squares below its highest ones in their columns that are not its own."""
    face_bits: Sets
    """(o,) its face as in `Sheet.barred`."""
    circled: Numbers
    """(o, square) action of o with mark 0 and its lower left corner on this square; those of other marks follow."""
    crossed: Numbers
    """(o, square) action of o with a cross in place of the circle."""
    placements: NDArray[np.int16]
    """(action - forfeit - 1, 4) o, column and row of its lower left corner, mark or -1 for a cross."""
    number: Bytes
    """(square,) the printed number, or 0."""
    coloured: NDArray[np.int8]
    """(row,) its index among the coloured rows, or -1."""
    coloured_at: Numbers
    """(coloured row,) row."""


def make_tables(ruleset: BloxxRuleset) -> Tables:
    """Return the tables of a ruleset; raise InvalidError if its sheet is too large for them."""
    dice = ruleset.orientations
    drawable = [
        (die, face, orientation)
        for die in (0, 1)
        for face, orientations in enumerate(dice[die])
        for orientation in orientations
        if orientation.anchors  # an orientation without any is too large for the sheet
    ]
    shapes = [_OrientationShape(ruleset, orientation) for _, _, orientation in drawable]
    count = len(shapes)
    widest = max((shape.width for shape in shapes), default=1)
    highest = max((shape.height for shape in shapes), default=1)
    most = max((len(shape.marks) for shape in shapes), default=1)
    actions = max((action for shape in shapes for action in shape.actions), default=ruleset.forfeit_action)
    smallest = min((len(shape.points) for shape in shapes), default=1)
    bits = _choose_lane_bits(ruleset, highest)
    pairs = -(-ruleset.columns * bits // 128)
    bottom_rows = sum(1 << bits * lane for lane in range(64 // bits))
    parts = max((shape.count_parts() for shape in shapes), default=1)
    tables = Tables(
        players=ruleset.players,
        columns=ruleset.columns,
        rows=ruleset.rows,
        squares=ruleset.square_count,
        row_first=ruleset.options.row_first,
        row_later=ruleset.options.row_later,
        gap_penalty=ruleset.options.gap_penalty,
        blank_penalty=ruleset.options.blank_penalty,
        greedy_gap_cost=greedy_gap_cost(ruleset),
        forfeit=ruleset.forfeit_action,
        largest_number=max((printed for _, printed in ruleset.numbered_squares), default=0),
        max_plies=_max_plies(ruleset, smallest),
        faces=(len(dice[0]), len(dice[1])),
        of_face=np.zeros((2, max(map(len, dice)) + 1), np.int32),
        lane_bits=bits,
        lane_shift=bits.bit_length() - 1,
        lanes=64 // bits,
        groups=2 * pairs,
        bottom_rows=bottom_rows,
        touching={"touch": -1, "drop": bottom_rows, "rest": 0}[ruleset.options.contact],
        parts=parts,
        steps=np.zeros((count, pairs, 2 + parts * PART_LENGTH), np.int64),
        width=np.array([shape.width for shape in shapes], np.uint8),
        height=np.array([shape.height for shape in shapes], np.uint8),
        top=np.zeros((count, widest), np.uint8),
        filled=np.zeros((count, widest), np.uint8),
        squares_of=np.zeros((count, widest), np.int64),
        across=np.zeros((count, highest), np.int64),
        low=np.array([(shape.low, len(shape.points)) for shape in shapes], np.int32).reshape(count, 2),
        marks=np.array([len(shape.marks) for shape in shapes], np.uint8),
        mark_at=np.zeros((count, most, 2), np.uint8),
        mark_square=np.zeros((count, most), np.int32),
        hollow=np.zeros(count, np.int32),
        face_bits=np.array([face_bit(die, face) for die, face, _ in drawable], np.int64),
        circled=np.zeros((count, ruleset.square_count), np.int32),
        crossed=np.zeros((count, ruleset.square_count), np.int32),
        placements=np.full((actions - ruleset.forfeit_action, 4), -1, np.int16),
        number=np.zeros(ruleset.square_count, np.uint8),
        coloured=np.full(ruleset.rows, -1, np.int8),
        coloured_at=np.array([row - 1 for row in ruleset.tables.coloured_rows.values()], np.int32),
    )
    for square, printed in ruleset.numbered_squares:
        tables.number[square.bit_length() - 1] = printed
    for index, row in enumerate(ruleset.tables.coloured_rows.values()):
        tables.coloured[row - 1] = index
    for die in (0, 1):
        for face in range(len(dice[die]) + 1):
            tables.of_face[die, face:] = sum((d, f) < (die, face) for d, f, _ in drawable)
    for o, shape in enumerate(shapes):
        _fill_orientation_form(tables, o, shape)
        _fill_orientation_steps(tables, o, shape)
        _fill_orientation_actions(tables, o, shape)
    return tables


def _choose_lane_bits(ruleset: BloxxRuleset, highest: int) -> int:
    """Return the size of the smallest lanes that have room for the sheet and the highest shape above it."""
    for bits in LANE_BITS:
        if ruleset.rows + highest < bits and ruleset.columns < 64:
            return bits
    raise InvalidError(
        f"{ruleset.name}: a sheet of {ruleset.columns} columns and {ruleset.rows} rows is too large to be compiled"
    )


def _max_plies(ruleset: BloxxRuleset, smallest: int) -> int:
    """Return a bound for the plies of a game: every turn but the last has at most one forfeit (BX-15)."""
    drawn = ruleset.players * (ruleset.square_count // smallest)
    return (drawn // (ruleset.players - 1) + 2) * (ruleset.players + 1)


class _OrientationShape:
    """An orientation's squares, relative to its lower left corner."""

    def __init__(self, ruleset: BloxxRuleset, orientation: Orientation) -> None:
        columns = ruleset.columns
        self.orientation = orientation
        self.actions = [action for actions in orientation.circled.values() for action in actions]
        self.actions += [action for actions in orientation.crossed.values() for action in actions]
        self.points = [(offset % columns, offset // columns) for offset in orientation.offsets]
        self.width = max(x for x, _ in self.points) + 1
        self.height = max(y for _, y in self.points) + 1
        self.low = sum(y + 1 for _, y in self.points)
        anchor = orientation.anchors & -orientation.anchors
        circles = [
            ruleset.placement(action).circle.bit_length() - anchor.bit_length()
            for action in orientation.circled[anchor]
        ]
        self.marks = [(circle % columns, circle // columns) for circle in circles]

    def count_parts(self) -> int:
        """Return how many parts its steps take."""
        return max(-(-self.width // UNDER_STEPS), -(-len(self.points) // BESIDE_STEPS))


def _fill_orientation_form(tables: Tables, o: int, shape: _OrientationShape) -> None:
    """Write the form of an orientation into the tables."""
    tables.mark_at[o, : len(shape.marks)] = shape.marks
    tables.mark_square[o, : len(shape.marks)] = [x + tables.columns * y for x, y in shape.marks]
    for x in range(shape.width):
        rows = [y for column, y in shape.points if column == x]
        tables.top[o, x], tables.filled[o, x] = max(rows), len(rows)
        tables.hollow[o] += max(rows) + 1 - len(rows)
        tables.squares_of[o, x] = sum(1 << y for y in rows)
    for y in range(shape.height):
        tables.across[o, y] = sum(1 << column for column, row in shape.points if row == y)


def _fill_orientation_steps(tables: Tables, o: int, shape: _OrientationShape) -> None:
    """Write into the tables what `find_spots` does for an orientation."""
    lowest = [(x, min(y for column, y in shape.points if column == x)) for x in range(shape.width)]
    for x in range(tables.columns - shape.width + 1):
        group, lane = divmod(x, tables.lanes)
        rows = (1 << tables.rows - shape.height + 1) - 1
        tables.steps[o, group // 2, group % 2] |= rows << tables.lane_bits * lane
    for pair, row in enumerate(tables.steps[o]):
        for part, steps in enumerate(row[2:].reshape(tables.parts, UNDER_STEPS + BESIDE_STEPS, 2)):
            for n in range(UNDER_STEPS):
                steps[n] = lowest[(part * UNDER_STEPS + n) % len(lowest)]
            for n in range(BESIDE_STEPS):
                steps[UNDER_STEPS + n] = shape.points[(part * BESIDE_STEPS + n) % len(shape.points)]
            steps[:, 0] += MARGIN + 2 * pair * tables.lanes
            steps[:, 0] *= tables.lane_bits // 8


def _fill_orientation_actions(tables: Tables, o: int, shape: _OrientationShape) -> None:
    """Write the actions of an orientation in all its places into the tables."""
    for anchor, actions in shape.orientation.circled.items():
        square = anchor.bit_length() - 1
        (cross,) = shape.orientation.crossed[anchor]
        tables.circled[o, square] = actions[0]
        tables.crossed[o, square] = cross
        for mark, action in [*enumerate(actions), (-1, cross)]:
            # Faces that differ only by the circle share actions; the orientations of both give the same placement.
            tables.placements[action - tables.forfeit - 1] = (
                o,
                square % tables.columns,
                square // tables.columns,
                mark,
            )
