"""The BLOXX! ruleset: its options and tables, the values computed from them, and the numbers of its actions.

Actions are numbered in this order:

1. the rolls: face of die A x number of faces of die B + face of die B;
2. `forfeit_action`;
3. the placements: by die, face, orientation and position; at each position, those with a circle come before the one
   without. A placement that several of these describe has the number of the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field, field_validator, model_validator

from engine.actions import Action
from engine.errors import InvalidError
from engine.notation import format_square, read_cell
from engine.number_sets import make_set
from engine.polyomino import Point, is_connected, read_drawing, rotations_and_reflections
from engine.ruleset import Ruleset, RulesetModel
from engine.wording import format_count

DIE_NAMES: Final = ("A", "B")
MAX_FACES: Final = 20
"""Faces of a die."""

Points: TypeAlias = Annotated[int, Field(ge=0, le=100)]
Drawing: TypeAlias = Annotated[str, Field(max_length=100)]
FaceName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,12}$")]
RowName: TypeAlias = Literal["green", "orange", "violet", "blue", "red", "yellow"]


class Options(RulesetModel):
    """The options of a ruleset."""

    contact: Literal["drop", "touch", "rest"]
    """BX-9: how every shape after the first must touch the drawn squares."""
    row_first: Points
    """BX-14: points for completing a coloured row in the first turn in which anybody completes it."""
    row_later: Points
    """BX-14: points for completing it in a later turn."""
    gap_penalty: Points
    """BX-16: points that every gap costs."""
    blank_penalty: Points
    """BX-16: points that every blank square costs at the end."""


class DiceTable(RulesetModel):
    """BX-2: the faces of the two dice. Each face is a drawing with one circle."""

    A: Annotated[dict[FaceName, Drawing], Field(min_length=1, max_length=MAX_FACES)]
    """Faces by name: o circle, x cross, . nothing; the top row first, rows separated by /."""
    B: Annotated[dict[FaceName, Drawing], Field(min_length=1, max_length=MAX_FACES)]
    """The same for die B."""

    @field_validator("A", "B")
    @classmethod
    def _faces_are_shapes(cls, faces: dict[str, str]) -> dict[str, str]:
        for name, drawing in faces.items():
            marks = read_drawing(drawing)
            if sorted(set(marks.values()) - {"o", "x"}) or list(marks.values()).count("o") != 1:
                raise ValueError(
                    f"face {name}: expected x, . and exactly one o, as in 'x./xo', not {drawing!r}"
                )
            if not is_connected(tuple(marks)):
                raise ValueError(f"face {name}: the squares of {drawing!r} are not connected")
        return faces


class Tables(RulesetModel):
    """The tables printed on the sheet and the dice."""

    numbers: Annotated[
        list[Annotated[str, Field(pattern=r"^[.1-9]{2,16}$")]], Field(min_length=2, max_length=24)
    ]
    """The sheet, top row first: a digit is a number, a dot an empty square."""
    coloured_rows: dict[RowName, Annotated[int, Field(ge=1)]]
    """BX-13: the number of each coloured row, from 1 at the bottom."""
    dice: DiceTable


class Placement(NamedTuple):
    """One way to draw a face. Sets of squares are integers with one bit per square."""

    die: int
    face: int
    squares: int
    """Set of the squares that are drawn."""
    circle: int
    """Set that contains the square with the circle; 0 if a cross replaces the circle."""
    shadow: int
    """Set of all squares below the drawn ones, in their columns."""
    number: int
    """The number under the circle, or 0."""
    row_sum: int
    """Sum of the row numbers of the squares, from 1 at the bottom."""


class Orientation(NamedTuple):
    """One orientation of a face, with the circle on any square.

    A position is the lower left corner of its bounding box, as a set of one square.
    """

    offsets: tuple[int, ...]
    """Distance of each square from the position: column + columns x row."""
    anchors: int
    """Set of the positions at which the shape lies on the sheet."""
    floor: int
    """Set of the positions in `anchors` at which the shape touches the bottom edge."""
    circled: dict[int, tuple[int, ...]]
    """For each position: the actions with a circle, one for every square on which the circle can be."""
    crossed: dict[int, tuple[int, ...]]
    """For each position: the one action with a cross in place of the circle."""


_Geometry: TypeAlias = tuple[
    tuple[tuple[tuple[Orientation, ...], ...], tuple[tuple[Orientation, ...], ...]], list[Placement]
]
MAX_KNOWN_GEOMETRIES: Final = 8
_known_geometries: Final[dict[str, _Geometry]] = {}


class BloxxRuleset(Ruleset):
    """A complete ruleset of BLOXX!."""

    players: Annotated[int, Field(ge=2, le=4)]  # BX-1
    options: Options
    tables: Tables

    @model_validator(mode="after")
    def _check_sheet(self) -> BloxxRuleset:
        if len({len(row) for row in self.tables.numbers}) > 1:
            raise ValueError("tables.numbers: expected rows of equal length")
        rows = list(self.tables.coloured_rows.values())
        if any(row > self.rows for row in rows) or len(set(rows)) < len(rows):
            raise ValueError(
                f"tables.coloured_rows: expected different rows from 1 to {self.rows}, not {rows}"
            )
        areas = [_face_areas(faces) for faces in (self.tables.dice.A, self.tables.dice.B)]
        for name in sorted(areas[0].keys() & areas[1].keys()):
            if areas[0][name] != areas[1][name]:
                raise ValueError(
                    f"tables.dice: {name} has {format_count(areas[0][name], 'square')} on die A and {areas[1][name]} on die B; "
                    "give them different names"
                )
        self._check_provenance("numbers", "coloured_rows", "dice")
        return self

    @cached_property
    def columns(self) -> int:
        return len(self.tables.numbers[0])

    @cached_property
    def rows(self) -> int:
        return len(self.tables.numbers)

    @property
    def board_size(self) -> tuple[int, int]:
        return self.columns, self.rows

    @property
    def piece_areas(self) -> dict[str, int]:
        return _face_areas(self.tables.dice.A) | _face_areas(self.tables.dice.B)

    @cached_property
    def square_count(self) -> int:
        return self.columns * self.rows

    @cached_property
    def numbered_squares(self) -> tuple[tuple[int, int], ...]:
        """Every square with a number, as a set of one square, and its number."""
        return tuple(
            (1 << x + self.columns * y, int(mark))
            for y, row in enumerate(reversed(self.tables.numbers))
            for x, mark in enumerate(row)
            if mark != "."
        )

    @cached_property
    def row_sets(self) -> tuple[int, ...]:
        """The set of squares of each coloured row, in the order of the table."""
        return tuple(
            ((1 << self.columns) - 1) << self.columns * (row - 1)
            for row in self.tables.coloured_rows.values()
        )

    @cached_property
    def row_colours(self) -> dict[int, str]:
        """The colour of each coloured row, by row number from 0."""
        return {row - 1: colour for colour, row in self.tables.coloured_rows.items()}

    @cached_property
    def face_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the faces of die A and die B."""
        return tuple(self.tables.dice.A), tuple(self.tables.dice.B)

    @cached_property
    def roll_actions(self) -> tuple[int, ...]:
        """The actions that are rolls."""
        return tuple(range(len(self.face_names[0]) * len(self.face_names[1])))

    @cached_property
    def forfeit_action(self) -> int:
        """The action of a seat that can draw nothing."""
        return len(self.roll_actions)

    @cached_property
    def orientations(self) -> tuple[tuple[tuple[Orientation, ...], ...], tuple[tuple[Orientation, ...], ...]]:
        """The orientations of each die and face."""
        return self._geometry[0]

    def placement(self, action: int) -> Placement:
        """Return the placement of a placing action."""
        return self._geometry[1][action - self.forfeit_action - 1]

    def squares_beside(self, squares: int) -> int:
        """Return the squares of the sheet that share an edge with a square of the set.

        The result may contain squares of the set.
        """
        left, right, whole = self._edge_sets
        return (
            (squares & ~right) << 1
            | (squares & ~left) >> 1
            | squares << self.columns
            | squares >> self.columns
        ) & whole

    @cached_property
    def _edge_sets(self) -> tuple[int, int, int]:
        """Sets of the squares of the leftmost column, of the rightmost column, and of the sheet."""
        left = sum(1 << self.columns * row for row in range(self.rows))
        return left, left << self.columns - 1, (1 << self.square_count) - 1

    @cached_property
    def _geometry(self) -> _Geometry:
        """The orientations of each die and face, and all placements in the order of their numbers.

        Only the tables decide them, so rulesets that differ in options share them: they take a tenth of a second.
        """
        key = self.tables.model_dump_json()
        if key not in _known_geometries:
            if len(_known_geometries) >= MAX_KNOWN_GEOMETRIES:
                _known_geometries.clear()
            _known_geometries[key] = self._number_placements()
        return _known_geometries[key]

    def _number_placements(self) -> _Geometry:
        numbering = _Numbering(self)
        dice = []
        for die, faces in enumerate((self.tables.dice.A, self.tables.dice.B)):
            drawings = [read_drawing(drawing) for drawing in faces.values()]
            dice.append(
                tuple(
                    tuple(self._iter_orientations(numbering, die, face, marks))
                    for face, marks in enumerate(drawings)
                )
            )
        return (dice[0], dice[1]), numbering.placements

    def _iter_orientations(
        self, numbering: _Numbering, die: int, face: int, marks: dict[Point, str]
    ) -> Iterable[Orientation]:
        """Yield the orientations of a face. BX-7: rotated and mirrored; the circle keeps its place in the shape."""
        points, circle = tuple(marks), list(marks.values()).index("o")
        circles: dict[tuple[Point, ...], set[Point]] = {}
        for image in rotations_and_reflections(points):
            circles.setdefault(tuple(sorted(image)), set()).add(image[circle])
        for shape in sorted(circles):
            width, height = max(x for x, _ in shape) + 1, max(y for _, y in shape) + 1
            anchors = [
                x + self.columns * y
                for y in range(self.rows - height + 1)
                for x in range(self.columns - width + 1)
            ]
            circled: dict[int, tuple[int, ...]] = {}
            crossed: dict[int, tuple[int, ...]] = {}
            for anchor in anchors:
                cells = [anchor + x + self.columns * y for x, y in shape]
                marked = sorted(anchor + x + self.columns * y for x, y in circles[shape])
                circled[1 << anchor] = tuple(
                    numbering.number_placement(die, face, cells, [mark]) for mark in marked
                )
                crossed[1 << anchor] = (numbering.number_placement(die, face, cells, []),)
            yield Orientation(
                offsets=tuple(x + self.columns * y for x, y in shape),
                anchors=make_set(anchors),
                floor=make_set(anchor for anchor in anchors if anchor < self.columns),
                circled=circled,
                crossed=crossed,
            )

    @property
    def actions_end(self) -> int:
        return self.forfeit_action + 1 + len(self._geometry[1])

    def action(self, number: int) -> Action:
        if number in range(self.forfeit_action):
            a, b = divmod(number, len(self.face_names[1]))
            dice = (self.face_names[0][a], self.face_names[1][b])
            return Action("roll", " ".join(dice), dice=dice)
        if number == self.forfeit_action:
            return Action("forfeit", "-")
        if number < 0 or number - self.forfeit_action - 1 >= len(self._geometry[1]):
            raise InvalidError(f"{self.name}: there is no action number {number}")
        placement = self.placement(number)
        die = DIE_NAMES[placement.die]
        cells = tuple(index for index in range(self.square_count) if placement.squares >> index & 1)
        squares = ",".join(
            format_square(index, self.columns) + ("o" if placement.circle >> index & 1 else "")
            for index in cells
        )
        return Action("place", f"{die}:{squares}", self.face_names[placement.die][placement.face], die, cells)

    def read_action(self, notation: str) -> int:
        if notation == "-":
            return self.forfeit_action
        if notation in self._roll_by_notation:
            return self._roll_by_notation[notation]
        die, colon, rest = notation.partition(":")
        if not colon or die not in DIE_NAMES:
            raise InvalidError(
                f"{notation!r} is not an action of {self.name}: expected a roll such as {self.action(0).notation!r}, "
                "a placement such as 'B:c1,c2o,d2', or '-'"
            )
        circle = squares = 0
        for text in rest.split(","):
            match = re.fullmatch(r"([a-x][0-9]+)(o?)", text)
            index = read_cell(match[1] if match else text, self.columns, self.rows)
            circle |= 1 << index if match and match[2] else 0
            squares |= 1 << index
        action = self._placement_numbers.get((DIE_NAMES.index(die), squares, circle))
        if action is None or self.action(action).notation != notation:
            raise InvalidError(f"{notation!r} is not a shape of die {die} (squares ascending, at most one o)")
        return action

    @cached_property
    def _roll_by_notation(self) -> dict[str, int]:
        return {self.action(roll).notation: roll for roll in self.roll_actions}

    @cached_property
    def _placement_numbers(self) -> dict[tuple[int, int, int], int]:
        return {
            (placement.die, placement.squares, placement.circle): number
            for number, placement in enumerate(self._geometry[1], start=self.forfeit_action + 1)
        }


def face_bit(die: int, face: int) -> int:
    """Return the set of one face of a die."""
    return 1 << MAX_FACES * die + face


def _face_areas(faces: dict[str, str]) -> dict[str, int]:
    """Return the number of squares of each face of a die."""
    return {name: len(read_drawing(drawing)) for name, drawing in faces.items()}


class _Numbering:
    """Assign action numbers to placements. Placements with the same die, squares and circle are one action."""

    def __init__(self, ruleset: BloxxRuleset) -> None:
        self.placements: list[Placement] = []
        self._first = ruleset.forfeit_action + 1
        self._columns = ruleset.columns
        self._printed = dict(ruleset.numbered_squares)
        self._numbers: dict[tuple[int, int, int], int] = {}

    def number_placement(self, die: int, face: int, cells: list[int], circled: list[int]) -> int:
        """Return the action number of a placement, a new one if it has none yet.

        `cells`: the cells of its squares; `circled`: the cell with the circle, or an empty list.
        """
        squares, circle = make_set(cells), make_set(circled)
        key = (die, squares, circle)
        if key not in self._numbers:
            self._numbers[key] = self._first + len(self.placements)
            shadow = make_set(
                below for index in cells for below in range(index % self._columns, index, self._columns)
            )
            rows = sum(index // self._columns + 1 for index in cells)
            printed = self._printed.get(circle, 0)
            self.placements.append(Placement(die, face, squares, circle, shadow & ~squares, printed, rows))
        return self._numbers[key]
