"""The Spexxx ruleset: its options and tables, the values computed from them, and the numbers of its actions.

Actions are numbered in this order:

1. the hands of `dice.py`: a keep if the hand has fewer than five dice, otherwise a throw;
2. `DISCARD_ACTION`;
3. the placements: one for every place of the frame, by cell index.

The frame is the whole rectangle of the board. A place of the frame may have a square or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Final, TypeAlias

from pydantic import Field, model_validator

from engine.actions import Action
from engine.errors import InvalidError
from engine.games.spexxx import dice
from engine.notation import format_square, read_cell
from engine.number_sets import make_set
from engine.ruleset import Ruleset, RulesetModel

ZONES: Final = {
    "O": "orange",
    "G": "green",
    "Y": "yellow",
    "B": "blue",
    "P": "purple",
    "R": "red",
    "*": "gold",
    "#": "silver",
}
"""The mark of each zone in a drawing of the board, and the name of the zone."""

METALS: Final = {"*": 4, "#": 5}
"""SP-6: for each metal, the number of consecutive dice values that its squares need."""

DISCARD_ACTION: Final = len(dice.HANDS)
FIRST_PLACEMENT: Final = DISCARD_ACTION + 1
"""The placement on cell 0; those on the other cells follow."""

DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""SP-8: (columns, rows) of one step: across, up, and on both diagonals, each towards higher cell indices."""

Points: TypeAlias = Annotated[int, Field(ge=0, le=100)]
PlayerCount: TypeAlias = Annotated[str, Field(pattern="^[234]$")]
Ray: TypeAlias = tuple[int, ...]
"""The cells in one direction from a square, nearest first, up to the first place without a square."""


class Options(RulesetModel):
    """The options of a ruleset."""

    cubes: dict[PlayerCount, Annotated[int, Field(ge=1, le=200)]]
    """SP-1: cubes of each player, by the number of players."""
    throws: Annotated[int, Field(ge=1, le=10)]
    """SP-2: the largest number of throws in a turn."""
    line_bonus: Points
    """SP-11: points for every five cubes in a line."""
    block_bonus: Points
    """SP-12: points for a block of 3 x 3."""


class PointsTable(RulesetModel):
    """Points of a cube on a square of each zone."""

    orange: Points
    green: Points
    yellow: Points
    blue: Points
    purple: Points
    red: Points
    gold: Points
    silver: Points


class Tables(RulesetModel):
    """The tables printed on the board."""

    board: Annotated[
        list[Annotated[str, Field(pattern=r"^[OGYBPR*#.]{6,24}$")]], Field(min_length=6, max_length=30)
    ]
    """The top row first: the marks of ZONES, and a dot for a place without a square."""
    points: PointsTable


class SpexxxRuleset(Ruleset):
    """A complete ruleset of Spexxx."""

    players: Annotated[int, Field(ge=2, le=4)]  # SP-1
    options: Options
    tables: Tables

    @model_validator(mode="after")
    def _check_tables(self) -> SpexxxRuleset:
        if str(self.players) not in self.options.cubes:
            raise ValueError(f"options.cubes: expected a number of cubes for {self.players} players")
        if len({len(row) for row in self.tables.board}) > 1:
            raise ValueError("tables.board: expected rows of equal length")
        if self.columns % 6 or self.rows % 6:
            raise ValueError(
                "tables.board: expected whole zones of 6 x 6, one place for each pair of numbers"
            )
        if not self.squares:
            raise ValueError("tables.board: expected at least one square")
        for place, mark in enumerate(self.marks):
            self._check_square(place, mark)
        self._check_provenance("board", "points")
        return self

    def _check_square(self, place: int, mark: str) -> None:
        """Raise ValueError if no throw matches a square. SP-5."""
        if mark == "." or mark in METALS:
            return
        (column_count, column_face), (row_count, row_face) = self.required_dice(place)
        name = format_square(place, self.columns)
        if column_face == row_face:
            raise ValueError(
                f"tables.board: {name} needs the number {row_face} twice: only *, # or . can be there"
            )
        if column_count + row_count > dice.NUMBER_OF_DICE:
            raise ValueError(
                f"tables.board: {name} needs {column_count} + {row_count} dice, but there are only five"
            )

    @property
    def cubes(self) -> int:
        """SP-1: the number of cubes of each seat at the start."""
        return self.options.cubes[str(self.players)]

    @cached_property
    def columns(self) -> int:
        return len(self.tables.board[0])

    @cached_property
    def rows(self) -> int:
        return len(self.tables.board)

    @property
    def board_size(self) -> tuple[int, int]:
        return self.columns, self.rows

    @cached_property
    def marks(self) -> str:
        """The mark of every place of the frame, by cell index."""
        return "".join(reversed(self.tables.board))

    @cached_property
    def squares(self) -> int:
        """Set of the places of the frame that have a square: an integer with one bit per cell."""
        return make_set(place for place, mark in enumerate(self.marks) if mark != ".")

    @cached_property
    def points(self) -> tuple[int, ...]:
        """Points of every place of the frame, by cell index; 0 if it has no square."""
        table = self.tables.points.model_dump()
        return tuple(table[ZONES[mark]] if mark in ZONES else 0 for mark in self.marks)

    def required_dice(self, place: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """SP-5: the dice that the column and the row of a place require, each as (number of dice, face)."""
        row, column = divmod(place, self.columns)
        return (column // 6 + 1, column % 6 + 1), (row // 6 + 1, row % 6 + 1)

    @cached_property
    def matching_squares(self) -> tuple[int, ...]:
        """For every hand from FIRST_THROW on: the set of squares that it matches, free or not."""
        return tuple(self._squares_matching(hand) for hand in dice.HANDS[dice.FIRST_THROW :])

    def _squares_matching(self, hand: tuple[int, ...]) -> int:
        if len(set(hand)) == 1:
            return self.squares  # SP-7: five of a kind, any square
        faces_in_hand = "".join("x" if face in hand else " " for face in dice.FACES)
        longest_sequence = max(map(len, faces_in_hand.split()))
        matching = []
        for place in iter_cells(self.squares):
            mark = self.marks[place]
            if mark in METALS:
                is_match = longest_sequence >= METALS[mark]  # SP-6
            else:
                is_match = all(hand.count(face) >= count for count, face in self.required_dice(place))
            if is_match:
                matching.append(place)
        return make_set(matching)

    @cached_property
    def rays(self) -> tuple[tuple[tuple[Ray, Ray], ...], ...]:
        """For every place of the frame and direction: the squares before it and after it."""
        return tuple(
            tuple(
                (tuple(self._iter_ray(place, -dx, -dy)), tuple(self._iter_ray(place, dx, dy)))
                for dx, dy in DIRECTIONS
            )
            for place in range(len(self.marks))
        )

    def _iter_ray(self, place: int, dx: int, dy: int) -> Iterator[int]:
        row, column = divmod(place, self.columns)
        while True:
            column, row = column + dx, row + dy
            cell = column + self.columns * row
            if not (0 <= column < self.columns and 0 <= row < self.rows and self.squares >> cell & 1):
                return  # SP-8: a place without a square breaks a line
            yield cell

    @cached_property
    def lines_of_three(self) -> tuple[tuple[int, int, int], ...]:
        """Every straight line of three squares, its cells ascending."""
        return tuple(
            (place, after[0], after[1])
            for place in iter_cells(self.squares)
            for _, after in self.rays[place]
            if len(after) >= 2
        )

    @cached_property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """SP-12: for every place, the blocks of 3 x 3 squares that contain it, ordered by their lower left square."""
        blocks = [
            block
            for row in range(self.rows - 2)
            for column in range(self.columns - 2)
            for block in [make_set(column + x + self.columns * (row + y) for x in range(3) for y in range(3))]
            if not block & ~self.squares
        ]
        return tuple(
            tuple(block for block in blocks if block >> place & 1) for place in range(len(self.marks))
        )

    @property
    def actions_end(self) -> int:
        return FIRST_PLACEMENT + self.squares.bit_length()

    def action(self, number: int) -> Action:
        if 0 <= number < DISCARD_ACTION:
            kind, hand = "keep" if number < dice.FIRST_THROW else "throw", dice.HANDS[number]
            return Action(kind, dice.format_hand(number), dice=tuple(map(str, hand)))
        if number == DISCARD_ACTION:
            return Action("discard", "-")
        place = number - FIRST_PLACEMENT
        if place < 0 or not self.squares >> place & 1:
            raise InvalidError(f"{self.name}: there is no action number {number}")
        return Action("place", format_square(place, self.columns), cells=(place,))

    def read_action(self, notation: str) -> int:
        if notation == "-":
            return DISCARD_ACTION
        if notation[:1].isdigit():
            return dice.read_hand(notation)
        if not notation[:1].isalpha():
            raise InvalidError(
                f"{notation!r} is not an action of {self.name}: expected dice such as '1 2 2 5 6', "
                "dice to keep such as '2 2' or '0' for none, a square such as 'k7', or '-'"
            )
        place = read_cell(notation, self.columns, self.rows)
        if not self.squares >> place & 1:
            raise InvalidError(
                f"{notation!r} is not a square: the board of {self.name} has none at this place"
            )
        return FIRST_PLACEMENT + place


def iter_cells(squares: int) -> Iterator[int]:
    """Yield the cells of a set, ascending."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest
