"""The Blokus Dice ruleset: its options and tables, the values computed from them, and the numbers of its actions.

Actions are numbered in this order:

1. the rolls, by the number of dice, then in the order of their notation;
2. `out_action`;
3. the placements, by die, then those without a strike before those with one, then by colour, then by the number of the
   placement.

A seat holds one colour, so its legal placements form at most two blocks for each different die: one without a strike
and one with a strike. Each block is a set of placement numbers.

A placement is one orientation of a shape in one place. Placements are numbered from 0: by the lower left corner of their
bounding box (a cell index), then by shape in the order of `SHAPES`, then by orientation. Sets are integers: a set of
squares has one bit per cell, a set of placements one bit per placement number. So one bit operation tests all
placements at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field, field_validator, model_validator

from engine.actions import Action
from engine.errors import InvalidError, unknown_name_error
from engine.notation import format_squares, read_cell
from engine.number_sets import make_set
from engine.polyomino import SHAPES, Shape, distinct_orientations
from engine.ruleset import Ruleset, RulesetModel

COLOUR_NAMES: Final = ("red", "blue", "yellow", "green")
"""BD-1: the colours of the markers, in the order of the rulebook."""
COLOUR_LETTERS: Final = "rbyg"
FACE_COUNT: Final = 6
"""BD-1: the number of rows of the list, and of faces of a die."""

Face: TypeAlias = Literal["1", "2", "3", "4", "5", "6"]

_PLACEMENT_PATTERN: Final = re.compile(rf"([1-6])(!?)([{COLOUR_LETTERS}])([A-Z][0-9]):(.*)")


class Options(RulesetModel):
    """The options of a ruleset."""

    side: Annotated[int, Field(ge=6, le=24)]
    """BD-1: squares along each edge of the play area."""
    strikes: Annotated[int, Field(ge=0, le=21)]
    """BD-1: how often a player may draw a shape of any row. More than 21 could not be used: there are 21 shapes."""


class Tables(RulesetModel):
    """The tables printed on the board beside the play area."""

    rows: dict[Face, Annotated[list[str], Field(min_length=1, max_length=21)]]
    """BD-3: for each face of a die, the shapes that it offers, by Golomb's names. Not every shape has to be listed."""

    @field_validator("rows")
    @classmethod
    def _rows_are_a_list_of_shapes(cls, rows: dict[Face, list[str]]) -> dict[Face, list[str]]:
        if len(rows) < FACE_COUNT:
            raise ValueError(f"expected the rows 1 to 6, found only {', '.join(sorted(rows))}")
        seen: set[str] = set()
        for face, names in rows.items():
            for name in names:
                if name not in SHAPES:
                    raise ValueError(f"row {face}: {unknown_name_error('shape', name, SHAPES)}")
                if name in seen:
                    raise ValueError(f"row {face}: {name} is on the list already")
                seen.add(name)
        return rows


class Draft(NamedTuple):
    """The parts of the number of a placing action."""

    die: int
    struck: bool
    colour: int
    placement: int


class BlokusDiceRuleset(Ruleset):
    """A complete ruleset of Blokus Dice."""

    lowest_wins: ClassVar[bool] = True  # BD-12

    players: Annotated[int, Field(ge=2, le=4)]  # BD-1
    options: Options
    tables: Tables

    @model_validator(mode="after")
    def _tables_have_a_provenance(self) -> BlokusDiceRuleset:
        self._check_provenance("side", "rows")
        return self

    @property
    def side(self) -> int:
        return self.options.side

    @property
    def board_size(self) -> tuple[int, int]:
        return self.side, self.side

    @property
    def piece_areas(self) -> dict[str, int]:
        return {name: len(SHAPES[name]) for names in self.shapes_by_row.values() for name in names}

    @cached_property
    def shapes_by_row(self) -> dict[int, tuple[str, ...]]:
        """The shapes of each row, rows from 1."""
        return {int(face): tuple(names) for face, names in sorted(self.tables.rows.items())}

    @cached_property
    def play_area(self) -> PlayArea:
        """The play area with all its placements."""
        return PlayArea(self.side, [name for names in self.shapes_by_row.values() for name in names])

    @cached_property
    def offered_placements(self) -> dict[int, int]:
        """For each face of a die: the set of placements of the shapes in its row."""
        return {
            face: self.play_area.placements_of_shapes(names) for face, names in self.shapes_by_row.items()
        }

    @cached_property
    def roll_actions(self) -> dict[int, range]:
        """For each number of dice: the actions that roll this number of dice."""
        actions, first = {}, 0
        for dice in range(1, self.players + 1):
            count = sum(1 for _ in _iter_rolls(dice))
            actions[dice] = range(first, first + count)
            first += count
        return actions

    @cached_property
    def roll_faces(self) -> tuple[tuple[int, ...], ...]:
        """For each roll, by action: the faces of its dice, ascending."""
        return tuple(roll for dice in range(1, self.players + 1) for roll in _iter_rolls(dice))

    @cached_property
    def roll_numbers(self) -> dict[tuple[int, ...], int]:
        """The action of each roll, by the faces of its dice, ascending."""
        return {roll: action for action, roll in enumerate(self.roll_faces)}

    @cached_property
    def out_action(self) -> int:
        """The action of a seat that can draw nothing."""
        return len(self.roll_faces)

    def first_action(self, die: int, colour: int, *, struck: bool) -> int:
        """Return the action of placement 0 in this block; add the number of a placement to get its action."""
        block = (2 * (die - 1) + struck) * len(COLOUR_NAMES) + colour
        return self.out_action + 1 + block * len(self.play_area.placements)

    def find_draft(self, action: int) -> Draft | None:
        """Return the parts of a placing action; None if the number is not a placing action."""
        block, placement = divmod(action - self.out_action - 1, len(self.play_area.placements))
        if not 0 <= block < 2 * FACE_COUNT * len(COLOUR_NAMES):
            return None
        die_and_strike, colour = divmod(block, len(COLOUR_NAMES))
        die, struck = die_and_strike // 2 + 1, bool(die_and_strike % 2)
        # BD-3: without a strike, the die offers its row only; BD-6: with a strike, every row
        return Draft(die, struck, colour, placement) if struck or self._row_offers(die, placement) else None

    def _row_offers(self, die: int, placement: int) -> bool:
        return self.play_area.placements[placement].shape in self.shapes_by_row[die]

    @property
    def actions_end(self) -> int:
        return self.out_action + 1 + 2 * FACE_COUNT * len(COLOUR_NAMES) * len(self.play_area.placements)

    def action(self, number: int) -> Action:
        if 0 <= number < self.out_action:
            dice = tuple(map(str, self.roll_faces[number]))
            return Action("roll", " ".join(dice), dice=dice)
        if number == self.out_action:
            return Action("out", "out")
        draft = self.find_draft(number)
        if draft is None:
            raise InvalidError(f"{self.name}: there is no action number {number}")
        placement = self.play_area.placements[draft.placement]
        return Action(
            "place",
            self._format_placement(draft, placement),
            placement.shape,
            str(draft.die),
            placement.cells,
        )

    def _format_placement(self, draft: Draft, placement: Placement) -> str:
        strike = "!" if draft.struck else ""
        drawn = format_squares(placement.cells, self.side)
        return f"{draft.die}{strike}{COLOUR_LETTERS[draft.colour]}{placement.shape}:{drawn}"

    def read_action(self, notation: str) -> int:
        if notation == "out":
            return self.out_action
        place = _PLACEMENT_PATTERN.fullmatch(notation)
        if place is None:
            return self._read_roll(notation)
        face, strike, letter, name, cells = place.groups()
        die, struck = int(face), bool(strike)
        drawn = make_set(read_cell(text, self.side, self.side) for text in cells.split(","))
        number = self.play_area.numbers.get(drawn)
        if number is None or self.play_area.placements[number].shape != name:
            raise InvalidError(f"{notation!r}: {cells} is not a shape {name} on the list of {self.name}")
        if not struck and not self._row_offers(die, number):
            row = next(row for row, names in self.shapes_by_row.items() if name in names)
            raise InvalidError(f"{notation!r}: {name} is in row {row}, so a {die} needs a strike: {die}!")
        action = self.first_action(die, COLOUR_LETTERS.index(letter), struck=struck) + number
        if self.action(action).notation != notation:
            raise InvalidError(f"{notation!r}: write it {self.action(action).notation!r}")
        return action

    def _read_roll(self, notation: str) -> int:
        dice = notation.split(" ")
        if all(re.fullmatch(r"[1-6]", die) for die in dice):
            action = self.roll_numbers.get(tuple(map(int, dice)))
            if action is not None:
                return action
        raise InvalidError(
            f"{notation!r} is not an action of {self.name}: expected up to {self.players} dice, ascending, such as "
            "'1 3', a placement such as '4yI5:a1,a2,a3,a4,a5' ('4!y...' with a strike), or 'out'"
        )


def _iter_rolls(dice: int) -> Iterator[tuple[int, ...]]:
    """Yield all rolls of a number of dice, the faces of each ascending."""
    return combinations_with_replacement(range(1, FACE_COUNT + 1), dice)


class Placement(NamedTuple):
    """One orientation of a shape in one place."""

    shape: str
    cells: tuple[int, ...]
    edges: tuple[int, ...]
    """Cells of the play area that share an edge with it."""
    corners: tuple[int, ...]
    """Cells of the play area that touch it at a corner and not along an edge."""
    squares: int
    """`cells` as a set."""
    at_corners: int
    """`corners` as a set."""


class PlayArea:
    """A square play area with its placements. It is built once for a ruleset and never changes."""

    def __init__(self, side: int, names: Collection[str]) -> None:
        """Compute the placements of the shapes with these names; `side` is the number of squares along an edge."""
        self.side = side
        orientations = [
            _OrientedShape(name, shape, side)
            for name in SHAPES
            if name in names
            for shape in distinct_orientations(SHAPES[name])
        ]
        self.placements: tuple[Placement, ...] = tuple(
            orientation.placement_at(x, y)
            for y in range(side)
            for x in range(side)
            for orientation in orientations
            if x + orientation.width <= side and y + orientation.height <= side
        )
        covering: list[list[int]] = [[] for _ in range(side * side)]
        shaped: dict[str, list[int]] = {name: [] for name in names}
        for number, placement in enumerate(self.placements):
            shaped[placement.shape].append(number)
            for cell in placement.cells:
                covering[cell].append(number)
        self.covering: tuple[int, ...] = tuple(map(make_set, covering))
        """For each square: the set of placements that cover it."""
        self.shaped: dict[str, int] = {name: make_set(numbers) for name, numbers in shaped.items()}
        """For each shape: the set of its placements."""
        self.numbers: dict[int, int] = {
            placement.squares: number for number, placement in enumerate(self.placements)
        }
        """The number of each placement, by its set of squares."""
        self.everything = (1 << len(self.placements)) - 1
        self.in_corners = self.placements_covering((0, side - 1, side * (side - 1), side * side - 1))
        """BD-4: set of the placements that cover a corner square."""
        self._left = make_set(range(0, side * side, side))
        self._whole = (1 << side * side) - 1

    def placements_covering(self, cells: Iterable[int]) -> int:
        """Return the set of placements that cover at least one of the cells."""
        placements = 0
        for cell in cells:
            placements |= self.covering[cell]
        return placements

    def placements_of_shapes(self, names: Iterable[str]) -> int:
        """Return the set of placements of the shapes with these names."""
        placements = 0
        for name in names:
            placements |= self.shaped[name]
        return placements

    def squares_beside(self, squares: int) -> int:
        """Return the squares that share an edge with a square of the set. The result may contain squares of the set."""
        right = self._left << self.side - 1
        return (
            (squares & ~right) << 1
            | (squares & ~self._left) >> 1
            | squares << self.side
            | squares >> self.side
        ) & self._whole


class _OrientedShape:
    """One orientation of a shape, with everything that is the same for all of its placements."""

    def __init__(self, name: str, shape: Shape, side: int) -> None:
        points = set(shape)
        edges = {(i + a, j + b) for i, j in points for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))} - points
        corners = {(i + a, j + b) for i, j in points for a in (1, -1) for b in (1, -1)} - points - edges
        self.width, self.height = (1 + max(point[axis] for point in points) for axis in (0, 1))
        self._name, self._side = name, side
        # sorted row by row from below, so that the cells of every placement ascend
        self._cells, self._edges, self._corners = (
            sorted(near, key=lambda point: point[::-1]) for near in (points, edges, corners)
        )
        self._squares = make_set(i + side * j for i, j in points)

    def placement_at(self, x: int, y: int) -> Placement:
        """Return the placement whose bounding box has its lower left corner at column x and row y."""
        side, first = self._side, x + self._side * y
        cells = tuple(first + i + side * j for i, j in self._cells)
        beside, diagonal = (
            tuple(first + i + side * j for i, j in near if 0 <= x + i < side and 0 <= y + j < side)
            for near in (self._edges, self._corners)
        )
        return Placement(self._name, cells, beside, diagonal, self._squares << first, make_set(diagonal))
