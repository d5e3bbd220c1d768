"""What a Harvest ruleset states, and what its actions mean.

Actions are numbered: first the rolls of the die (a row each, from the bottom), then the fields by cell index, then the
pass.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from engine.actions import Action
from engine.errors import InvalidError
from engine.notation import format_square
from engine.ruleset import Ruleset, RulesetModel


class Options(RulesetModel):
    """The numbers that a ruleset can choose."""

    rounds: Annotated[int, Field(ge=1, le=100)]
    """HV-4: rounds of a game."""
    pair_points: Annotated[int, Field(ge=0, le=100)]
    """HV-5: points for every pair of a seat's fields that share an edge."""


class BoardTables(RulesetModel):
    """The tables of a ruleset."""

    fields: Annotated[list[Annotated[str, Field(pattern=r"^[0-9]{6}$")]], Field(min_length=2, max_length=6)]
    """HV-1: the numbers of the fields, one digit each, from the top row down."""


class HarvestRuleset(Ruleset):
    """Harvest with a number of players and every option settled."""

    game: Literal["harvest"]
    players: Annotated[int, Field(ge=2, le=4)]
    options: Options
    tables: BoardTables

    @model_validator(mode="after")
    def _check_tables(self) -> Self:
        self._check_provenance("fields")
        return self

    @property
    def rows(self) -> int:
        return len(self.tables.fields)

    @property
    def columns(self) -> int:
        return len(self.tables.fields[0])

    @property
    def board_size(self) -> tuple[int, int]:
        return self.columns, self.rows

    @cached_property
    def values(self) -> tuple[int, ...]:
        """The number of every field, by cell index: row by row from the bottom."""
        return tuple(int(digit) for row in reversed(self.tables.fields) for digit in row)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The cells that share an edge with each cell."""
        return tuple(
            tuple(
                x + dx + self.columns * (y + dy)
                for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1))
                if 0 <= x + dx < self.columns and 0 <= y + dy < self.rows
            )
            for y in range(self.rows)
            for x in range(self.columns)
        )

    @property
    def first_field_action(self) -> int:
        """The action that takes the field of cell 0; those of the other cells follow."""
        return self.rows

    @property
    def pass_action(self) -> int:
        return self.first_field_action + len(self.values)

    @property
    def actions_end(self) -> int:
        return self.pass_action + 1

    def action(self, number: int) -> Action:
        if number not in range(self.actions_end):
            raise InvalidError(f"{self.name}: there is no action number {number}")
        if number < self.first_field_action:
            return Action("roll", f"die{number + 1}", dice=(str(number + 1),))
        if number == self.pass_action:
            return Action("pass", "pass")
        cell = number - self.first_field_action
        return Action("take", format_square(cell, self.columns), cells=(cell,))

    def read_action(self, notation: str) -> int:
        if notation not in self._numbers:
            raise InvalidError(
                f"{notation!r} is not an action of {self.name}: expected a field such as 'a1', 'pass', or a roll such as 'die1'"
            )
        return self._numbers[notation]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {self.action(number).notation: number for number in range(self.actions_end)}
