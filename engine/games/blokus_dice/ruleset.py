"""What a Blokus Dice ruleset states, and how its actions are numbered.

First the rolls: by number of dice, then in the order of their notation. Then `out_action`. Then the placements: by die,
then without a strike before with one, then by colour, then by the number of the placement (see `placements.py`).
In every position one colour is held, so the legal placements are, for each different die from 1 to 6, those without a
strike and those with one, each a set of placement numbers in its own order.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field, field_validator, model_validator

from engine.actions import Action
from engine.errors import InvalidError, unknown_name_error
from engine.games.blokus_dice.placements import Placement, PlayArea, make_set
from engine.notation import format_squares, read_cell
from engine.polyomino import SHAPES
from engine.ruleset import Ruleset, RulesetModel

if TYPE_CHECKING:
    from collections.abc import Iterator

COLOUR_NAMES: Final = ("red", "blue", "yellow", "green")
"""BD-1: the markers, in the order in which the book names them."""
COLOUR_LETTERS: Final = "rbyg"
FACE_COUNT: Final = 6
"""BD-1: rows of the list, and faces of a die."""

Face: TypeAlias = Literal["1", "2", "3", "4", "5", "6"]

_PLACEMENT_PATTERN: Final = re.compile(rf"([1-6])(!?)([{COLOUR_LETTERS}])([A-Z][0-9]):(.*)")


class Options(RulesetModel):
    """The choices of a ruleset."""

    side: Annotated[int, Field(ge=6, le=24)]
    """BD-1: squares along each edge of the play area."""
    strikes: Annotated[int, Field(ge=0, le=21)]
    """BD-1: how often a seat may draw a shape of any row. There are no more than 21 shapes to spend one on."""


class Tables(RulesetModel):
    """What is printed on the board beside the play area."""

    rows: dict[Face, Annotated[list[str], Field(min_length=1, max_length=21)]]
    """BD-3: for each number of a die the shapes it offers, by Golomb's names. Shapes may be left out of the list."""

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
    """What the number of a placing action holds."""

    die: int
    struck: bool
    colour: int
    placement: int


class BlokusDiceRuleset(Ruleset):
    """Blokus Dice with every option settled."""

    lowest_wins: ClassVar[bool] = True  # BD-12

    players: Annotated[int, Field(ge=2, le=4)]  # BD-1
    options: Options
    tables: Tables

    @model_validator(mode="after")
    def _tables_have_a_provenance(self) -> BlokusDiceRuleset:
        for key in ("side", "rows"):
            if key not in self.provenance:
                raise ValueError(
                    f"provenance.{key}: expected 'book', 'reconstructed' or 'own', found nothing"
                )
        for key in self.provenance.keys() - {"side", "rows"}:
            raise ValueError(f"provenance.{key}: there is no such table")
        return self

    @property
    def side(self) -> int:
        return self.options.side

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
        """For each number of a die the placements of the shapes in its row."""
        return {
            face: self.play_area.placements_of_shapes(names) for face, names in self.shapes_by_row.items()
        }

    @cached_property
    def roll_actions(self) -> dict[int, range]:
        """For each number of dice the actions that are rolls of so many."""
        found, first = {}, 0
        for dice in range(1, self.players + 1):
            count = sum(1 for _ in _iter_rolls(dice))
            found[dice] = range(first, first + count)
            first += count
        return found

    @cached_property
    def roll_faces(self) -> tuple[tuple[int, ...], ...]:
        """The dice of every roll, ascending, by action."""
        return tuple(roll for dice in range(1, self.players + 1) for roll in _iter_rolls(dice))

    @cached_property
    def roll_numbers(self) -> dict[tuple[int, ...], int]:
        """Rolls by their dice, ascending."""
        return {roll: action for action, roll in enumerate(self.roll_faces)}

    @cached_property
    def out_action(self) -> int:
        """The action of a seat that can draw nothing."""
        return len(self.roll_faces)

    def first_action(self, die: int, colour: int, *, struck: bool) -> int:
        """Return the number to which a placement's number is added, drawn in this way, to give the action."""
        block = (2 * (die - 1) + struck) * len(COLOUR_NAMES) + colour
        return self.out_action + 1 + block * len(self.play_area.placements)

    def find_draft(self, action: int) -> Draft | None:
        """Take the number of a placing action apart; None if it is none."""
        block, placement = divmod(action - self.out_action - 1, len(self.play_area.placements))
        if not 0 <= block < 2 * FACE_COUNT * len(COLOUR_NAMES):
            return None
        ways, colour = divmod(block, len(COLOUR_NAMES))
        die, struck = ways // 2 + 1, bool(ways % 2)
        # BD-3, BD-6: only a strike opens the other rows
        return Draft(die, struck, colour, placement) if struck or self._row_offers(die, placement) else None

    def _row_offers(self, die: int, placement: int) -> bool:
        return self.play_area.placements[placement].shape in self.shapes_by_row[die]

    @property
    def actions_end(self) -> int:
        return self.out_action + 1 + 2 * FACE_COUNT * len(COLOUR_NAMES) * len(self.play_area.placements)

    def action(self, number: int) -> Action:
        if 0 <= number < self.out_action:
            return Action("roll", " ".join(map(str, self.roll_faces[number])))
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
        written, strike, letter, name, cells = place.groups()
        die, struck = int(written), bool(strike)
        drawn = make_set(read_cell(text, self.side, self.side) for text in cells.split(","))
        number = self.play_area.numbers.get(drawn)
        if number is None or self.play_area.placements[number].shape != name:
            raise InvalidError(f"{notation!r}: {cells} is no {name} of the list of {self.name}")
        if not struck and not self._row_offers(die, number):
            row = next(face for face, names in self.shapes_by_row.items() if name in names)
            raise InvalidError(f"{notation!r}: {name} stands in row {row}, so a {die} needs a strike: {die}!")
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
            f"{notation!r} is no action of {self.name}: expected up to {self.players} dice, ascending, such as "
            "'1 3', a placement such as '4yI5:a1,a2,a3,a4,a5' ('4!y...' with a strike), or 'out'"
        )


def _iter_rolls(dice: int) -> Iterator[tuple[int, ...]]:
    return combinations_with_replacement(range(1, FACE_COUNT + 1), dice)
