"""What a Spexxx ruleset states, and everything that follows from it before the first throw.

Actions are numbered: first the hands of `dice.py` (a keep if it has fewer than five dice, else a throw), then the
discard, then one placement for every place of the frame, by cell index.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from pydantic import Field, model_validator

from engine.actions import Action
from engine.errors import InvalidError
from engine.games.spexxx import dice
from engine.notation import format_square, read_cell
from engine.ruleset import Ruleset, RulesetModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
"""How a zone's squares are drawn, and what the zone is called."""

METALS: Final = {"*": 4, "#": 5}
"""SP-6: so many dice in a row does a square of this metal ask for."""

DISCARD_ACTION: Final = len(dice.HANDS)
FIRST_PLACEMENT: Final = DISCARD_ACTION + 1
"""The placement on cell 0; those on the other cells follow."""

DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""SP-8: across, up, and both diagonals; each ends at the higher cell index."""

Points: TypeAlias = Annotated[int, Field(ge=0, le=100)]
PlayerCount: TypeAlias = Annotated[str, Field(pattern="^[234]$")]
Ray: TypeAlias = tuple[int, ...]
"""Cells from a square outwards, nearest first, up to the first place without a square."""


class Options(RulesetModel):
    """The choices of a ruleset."""

    cubes: dict[PlayerCount, Annotated[int, Field(ge=1, le=200)]]
    """SP-1: cubes of each seat, by the number of players."""
    throws: Annotated[int, Field(ge=1, le=10)]
    """SP-2: the most throws of a turn."""
    line_bonus: Points
    """SP-11: points for every five cubes in a line."""
    block_bonus: Points
    """SP-12: points for a block of 3 x 3."""


class PointsTable(RulesetModel):
    """What a cube on a square of each zone scores."""

    orange: Points
    green: Points
    yellow: Points
    blue: Points
    purple: Points
    red: Points
    gold: Points
    silver: Points


class Tables(RulesetModel):
    """What is printed on the board."""

    board: Annotated[
        list[Annotated[str, Field(pattern=r"^[OGYBPR*#.]{6,24}$")]], Field(min_length=6, max_length=30)
    ]
    """Top row first: letters, * and # as in ZONES, a dot where the frame has no square."""
    points: PointsTable


class SpexxxRuleset(Ruleset):
    """Spexxx with every option settled."""

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
        for key in ("board", "points"):
            if key not in self.provenance:
                raise ValueError(
                    f"provenance.{key}: expected 'book', 'reconstructed' or 'own', found nothing"
                )
        for key in self.provenance.keys() - {"board", "points"}:
            raise ValueError(f"provenance.{key}: there is no such table")
        return self

    def _check_square(self, place: int, mark: str) -> None:
        """SP-5: refuse a square that no five dice match."""
        if mark == "." or mark in METALS:
            return
        (some, one), (more, other) = self.required_dice(place)
        name = format_square(place, self.columns)
        if one == other:
            raise ValueError(f"tables.board: {name} asks for {one} twice: only *, # or . can be there")
        if some + more > dice.NUMBER_OF_DICE:
            raise ValueError(f"tables.board: {name} asks for {some} + {more} dice, and there are five")

    @property
    def cubes(self) -> int:
        """SP-1: the cubes that each seat begins with."""
        return self.options.cubes[str(self.players)]

    @cached_property
    def columns(self) -> int:
        return len(self.tables.board[0])

    @cached_property
    def rows(self) -> int:
        return len(self.tables.board)

    @cached_property
    def marks(self) -> str:
        """How every place of the frame is drawn, by cell index."""
        return "".join(reversed(self.tables.board))

    @cached_property
    def squares(self) -> int:
        """The places of the frame that are squares: a set, one bit a cell."""
        return make_set(place for place, mark in enumerate(self.marks) if mark != ".")

    @cached_property
    def points(self) -> tuple[int, ...]:
        """Points of every place by cell index; 0 where there is no square."""
        table = self.tables.points.model_dump()
        return tuple(table[ZONES[mark]] if mark in ZONES else 0 for mark in self.marks)

    def required_dice(self, place: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """SP-5: the dice that a column and a row stand for: how many, and of which number."""
        row, column = divmod(place, self.columns)
        return (column // 6 + 1, column % 6 + 1), (row // 6 + 1, row % 6 + 1)

    @cached_property
    def matching_squares(self) -> tuple[int, ...]:
        """For every hand from FIRST_THROW on the set of squares that it matches, free or not."""
        return tuple(self._squares_matching(hand) for hand in dice.HANDS[dice.FIRST_THROW :])

    def _squares_matching(self, hand: tuple[int, ...]) -> int:
        if len(set(hand)) == 1:
            return self.squares  # SP-7: five of a kind, any square
        steps = "".join("x" if face in hand else " " for face in dice.FACES)
        in_a_row = max(map(len, steps.split()))
        count = [hand.count(face) for face in range(7)]
        found = []
        for place in iter_cells(self.squares):
            mark = self.marks[place]
            (some, one), (more, other) = self.required_dice(place)
            if in_a_row >= METALS[mark] if mark in METALS else count[one] >= some and count[other] >= more:
                found.append(place)
        return make_set(found)

    @cached_property
    def rays(self) -> tuple[tuple[tuple[Ray, Ray], ...], ...]:
        """For every place and direction the squares before and after it."""
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
            there = column + self.columns * row
            if not (0 <= column < self.columns and 0 <= row < self.rows and self.squares >> there & 1):
                return  # SP-8: a place without a square breaks a line
            yield there

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
        """SP-12: for every place the blocks of 3 x 3 squares that hold it, by their lowest-left square."""
        whole = [
            block
            for row in range(self.rows - 2)
            for column in range(self.columns - 2)
            for block in [make_set(column + x + self.columns * (row + y) for x in range(3) for y in range(3))]
            if not block & ~self.squares
        ]
        return tuple(
            tuple(block for block in whole if block >> place & 1) for place in range(len(self.marks))
        )

    @property
    def actions_end(self) -> int:
        return FIRST_PLACEMENT + self.squares.bit_length()

    def action(self, number: int) -> Action:
        if 0 <= number < DISCARD_ACTION:
            return Action("keep" if number < dice.FIRST_THROW else "throw", dice.format_hand(number))
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
                f"{notation!r} is no action of {self.name}: expected dice such as '1 2 2 5 6', "
                "dice to keep such as '2 2' or '0' for none, a square such as 'k7', or '-'"
            )
        place = read_cell(notation, self.columns, self.rows)
        if not self.squares >> place & 1:
            raise InvalidError(f"{notation!r} is no square: the frame of {self.name} has none there")
        return FIRST_PLACEMENT + place


def make_set(cells: Iterable[int]) -> int:
    """Return the set of some cells, one bit each."""
    found = 0
    for place in cells:
        found |= 1 << place
    return found


def iter_cells(squares: int) -> Iterator[int]:
    """Yield the cells of a set, ascending."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest
