"""BLOXX! as arrays: everything about a ruleset that the compiled game reads.

An orientation is a face turned one way, wherever its circle is. Orientations are numbered in the order of
`BloxxRuleset.orientations`: by die, then face. Columns and rows count from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from engine.errors import InvalidError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.bloxx.ruleset import BloxxRuleset, Orientation

    Bytes: TypeAlias = NDArray[np.uint8]
    Numbers: TypeAlias = NDArray[np.int32]
    Sets: TypeAlias = NDArray[np.int64]
    """Sets of rows or columns, one bit each."""

CONTACTS: Final = ("drop", "touch", "rest")
LANE_BITS: Final = (16, 32, 64)
"""Bits of a lane (see `kernel_lanes`)."""


class Tables(NamedTuple):
    """One ruleset. `o` stands for an orientation, `j` for a column of it, `mark` for a place of its circle."""

    players: int
    columns: int
    rows: int
    squares: int
    contact: int
    """Index into CONTACTS."""
    row_first: int
    row_later: int
    gap_penalty: int
    blank_penalty: int
    forfeit: int
    """The action of a seat that can draw nothing; rolls come before it, placements after."""
    largest: int
    """The largest number on the sheet."""
    longest: int
    """Plies that no game exceeds."""
    faces: tuple[int, int]
    """Faces of die A and die B."""
    of_face: Numbers
    """(2, faces + 1) first orientation of each face of each die; the next one's is the end."""
    bits: int
    """Of a lane."""
    shift: int
    """Logarithm of bits to base 2."""
    lanes: int
    """In an integer."""
    groups: int
    """Integers that hold the lanes of a sheet."""
    edge: int
    """Row 0 in all lanes of an integer."""
    on_sheet: Sets
    """(o, group) lanes of the rows at which o lies on the sheet, by the column of its left edge."""
    width: Bytes
    """(o,)"""
    height: Bytes
    """(o,)"""
    bottom: Bytes
    """(o, j) lowest row."""
    top: Bytes
    """(o, j) highest row."""
    filled: Bytes
    """(o, j) number of squares."""
    squares_of: Sets
    """(o, j) rows of its squares."""
    across: Sets
    """(o, row of o) columns of its squares."""
    low: Numbers
    """(o, 2) sum of the row numbers (from 1) of its squares when it lies on the bottom edge, and their number."""
    marks: Bytes
    """(o,) different places of the circle."""
    mark_at: Bytes
    """(o, mark, 2) column and row of the circle."""
    mark_square: Numbers
    """(o, mark) its square, counted from the lower left corner of o."""
    hollow: Numbers
    """(o,) squares below its highest ones in their columns that are not its own, when it lies on the bottom edge."""
    circled: Numbers
    """(o, square) action of o with its first circle, lower left corner on this square; the next marks follow."""
    crossed: Numbers
    """(o, square) action of o with a cross in place of the circle."""
    placed: NDArray[np.int16]
    """(action - forfeit - 1, 4) o, column and row of its lower left corner, mark or -1 for a cross."""
    number: Bytes
    """(square,) number printed there, or 0."""
    coloured: NDArray[np.int8]
    """(row,) its index among the coloured rows, or -1."""
    coloured_at: Numbers
    """(coloured row,) its row."""


def make_tables(ruleset: BloxxRuleset) -> Tables:
    """Return the arrays of a ruleset; raise InvalidError if its sheet is too large for them."""
    dice = ruleset.orientations
    found = [
        (die, face, orientation)
        for die in (0, 1)
        for face, orientations in enumerate(dice[die])
        for orientation in orientations
        if orientation.anchors  # too large for the sheet: can never be drawn
    ]
    shapes = [_OrientationShape(ruleset, orientation) for _, _, orientation in found]
    count = len(shapes)
    widest = max((shape.width for shape in shapes), default=1)
    highest = max((shape.height for shape in shapes), default=1)
    most = max((len(shape.marks) for shape in shapes), default=1)
    actions = max((number for shape in shapes for number in shape.actions), default=ruleset.forfeit_action)
    smallest = min((len(shape.points) for shape in shapes), default=1)
    bits = _choose_lane_bits(ruleset, highest)
    groups = -(-ruleset.columns * bits // 64)
    made = Tables(
        players=ruleset.players,
        columns=ruleset.columns,
        rows=ruleset.rows,
        squares=ruleset.square_count,
        contact=CONTACTS.index(ruleset.options.contact),
        row_first=ruleset.options.row_first,
        row_later=ruleset.options.row_later,
        gap_penalty=ruleset.options.gap_penalty,
        blank_penalty=ruleset.options.blank_penalty,
        forfeit=ruleset.forfeit_action,
        largest=max((printed for _, printed in ruleset.numbered_squares), default=0),
        longest=_max_plies(ruleset, smallest),
        faces=(len(dice[0]), len(dice[1])),
        of_face=np.zeros((2, max(map(len, dice)) + 1), np.int32),
        bits=bits,
        shift=bits.bit_length() - 1,
        lanes=64 // bits,
        groups=groups,
        edge=sum(1 << bits * lane for lane in range(64 // bits)),
        on_sheet=np.zeros((count, groups), np.int64),
        width=np.array([shape.width for shape in shapes], np.uint8),
        height=np.array([shape.height for shape in shapes], np.uint8),
        bottom=np.zeros((count, widest), np.uint8),
        top=np.zeros((count, widest), np.uint8),
        filled=np.zeros((count, widest), np.uint8),
        squares_of=np.zeros((count, widest), np.int64),
        across=np.zeros((count, highest), np.int64),
        low=np.array([(shape.low, len(shape.points)) for shape in shapes], np.int32).reshape(count, 2),
        marks=np.array([len(shape.marks) for shape in shapes], np.uint8),
        mark_at=np.zeros((count, most, 2), np.uint8),
        mark_square=np.zeros((count, most), np.int32),
        hollow=np.zeros(count, np.int32),
        circled=np.zeros((count, ruleset.square_count), np.int32),
        crossed=np.zeros((count, ruleset.square_count), np.int32),
        placed=np.full((actions - ruleset.forfeit_action, 4), -1, np.int16),
        number=np.zeros(ruleset.square_count, np.uint8),
        coloured=np.full(ruleset.rows, -1, np.int8),
        coloured_at=np.array([row - 1 for row in ruleset.tables.coloured_rows.values()], np.int32),
    )
    for square, printed in ruleset.numbered_squares:
        made.number[square.bit_length() - 1] = printed
    for index, row in enumerate(ruleset.tables.coloured_rows.values()):
        made.coloured[row - 1] = index
    for die in (0, 1):
        for face in range(len(dice[die]) + 1):
            made.of_face[die, face:] = sum(at[:2] < (die, face) for at in found)
    for o, shape in enumerate(shapes):
        _fill_orientation_form(made, o, shape)
        _fill_orientation_actions(made, o, shape)
    return made


def _choose_lane_bits(ruleset: BloxxRuleset, highest: int) -> int:
    """Return the bits of the smallest lanes that have room for the sheet and the highest shape above it."""
    for bits in LANE_BITS:
        if ruleset.rows + highest < bits and ruleset.columns < 64:
            return bits
    raise InvalidError(
        f"{ruleset.name}: a sheet of {ruleset.columns} columns and {ruleset.rows} rows is too large to be compiled"
    )


def _max_plies(ruleset: BloxxRuleset, smallest: int) -> int:
    """Bound the plies of a game: every turn but the last has at most one forfeit (BX-15)."""
    drawn = ruleset.players * (ruleset.square_count // smallest)
    return (drawn // (ruleset.players - 1) + 2) * (ruleset.players + 1)


class _OrientationShape:
    """An orientation's squares, relative to its lower left corner."""

    def __init__(self, ruleset: BloxxRuleset, orientation: Orientation) -> None:
        columns = ruleset.columns
        self.orientation = orientation
        self.actions = [number for found in orientation.circled.values() for number in found]
        self.actions += [number for found in orientation.crossed.values() for number in found]
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


def _fill_orientation_form(made: Tables, o: int, shape: _OrientationShape) -> None:
    """Enter the form of an orientation."""
    for x in range(made.columns - shape.width + 1):
        lane = (1 << made.rows - shape.height + 1) - 1
        made.on_sheet[o, x // made.lanes] |= lane << made.bits * (x % made.lanes)
    made.mark_at[o, : len(shape.marks)] = shape.marks
    made.mark_square[o, : len(shape.marks)] = [x + made.columns * y for x, y in shape.marks]
    for x in range(shape.width):
        rows = [y for column, y in shape.points if column == x]
        made.bottom[o, x], made.top[o, x], made.filled[o, x] = min(rows), max(rows), len(rows)
        made.hollow[o] += max(rows) + 1 - len(rows)
        made.squares_of[o, x] = sum(1 << y for y in rows)
    for y in range(shape.height):
        made.across[o, y] = sum(1 << column for column, row in shape.points if row == y)


def _fill_orientation_actions(made: Tables, o: int, shape: _OrientationShape) -> None:
    """Enter the actions of an orientation at all its positions."""
    for anchor, actions in shape.orientation.circled.items():
        square = anchor.bit_length() - 1
        (cross,) = shape.orientation.crossed[anchor]
        made.circled[o, square] = actions[0]
        made.crossed[o, square] = cross
        for mark, action in [*enumerate(actions), (-1, cross)]:
            # faces that are equal but for the circle share actions; either face's orientation tells the same
            made.placed[action - made.forfeit - 1] = o, square % made.columns, square // made.columns, mark
