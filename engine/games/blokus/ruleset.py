"""The Blokus ruleset: its options and tables, the values computed from them, and the numbers of its actions.

The number of a placement is colour x span + spot x K + orientation:

- The spot is the lower left corner of the placement's bounding box: column + (side + 1) x row.
- K is the number of orientations of all pieces together. The full set has 91: those of small pieces come first (28 of
  one to four squares, then 63 of five squares).
- span = K x (side + 1) x side.

So the placements of one colour are the bits of one plane (see `windows.py`), in ascending order. Each row has one more
column than the board; the spots in that column have no actions. After the placements follows one action `out` for each
colour: colours x span + colour.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, field_validator, model_validator

from engine.actions import Action
from engine.errors import InvalidError
from engine.games.blokus.windows import Windows
from engine.notation import format_squares, read_cell
from engine.polyomino import SHAPES, make_shape
from engine.ruleset import Ruleset, RulesetModel

COLOUR_NAMES: Final = ("blue", "yellow", "red", "green")
"""BK-1: the colours in the order of play."""

Points: TypeAlias = Annotated[int, Field(ge=0, le=100)]
SquareName: TypeAlias = Annotated[str, Field(pattern=r"^[a-x][1-9][0-9]?$")]
PieceName: TypeAlias = Annotated[str, Field(max_length=12)]


class Options(RulesetModel):
    """The options of a ruleset."""

    corners: Literal["free", "fixed"]
    """BK-3: where the first shape of a colour lies."""
    bonus: Points
    """BK-8: points for a colour that has placed all its shapes."""
    bonus_single_last: Points
    """BK-8: points instead of these if the single square was the last shape."""


class BoardTable(RulesetModel):
    """The board, which all players share."""

    side: Annotated[int, Field(ge=5, le=24)]
    """BK-1: squares along each edge."""
    start: Annotated[list[SquareName], Field(min_length=2, max_length=4)]
    """BK-3: the start cells, one for each colour in the order of play. Their number is the number of colours."""

    @model_validator(mode="after")
    def _start_cells_are_on_the_board(self) -> BoardTable:
        for text in self.start:
            try:
                read_cell(text, self.side, self.side)
            except InvalidError as error:
                raise ValueError(f"start: {error}") from None
        if len(set(self.start)) < len(self.start):
            raise ValueError(f"start: expected a different square for each colour, not {self.start}")
        return self


class Tables(RulesetModel):
    """The board and the pieces."""

    board: BoardTable
    pieces: Annotated[list[PieceName], Field(min_length=1, max_length=len(SHAPES))]
    """The names of the shapes that every colour has, one of each: a letter for the form, a digit for the squares."""

    @field_validator("pieces")
    @classmethod
    def _pieces_are_shapes(cls, pieces: list[str]) -> list[str]:
        for name in pieces:
            if name not in SHAPES:
                raise ValueError(f"{name!r} is not a polyomino; known: {', '.join(SHAPES)}")
        if len(set(pieces)) < len(pieces):
            raise ValueError("expected each piece only once")
        return pieces


class BlokusRuleset(Ruleset):
    """A complete ruleset of Blokus."""

    players: Annotated[int, Field(ge=2, le=4)]
    options: Options
    tables: Tables

    @model_validator(mode="after")
    def _check_colours_and_provenance(self) -> BlokusRuleset:
        if self.players > len(self.colours):
            raise ValueError(
                f"players: expected at most one for each of the {len(self.colours)} start cells, "
                f"not {self.players}"
            )
        self._check_provenance("board", "pieces")
        return self

    @cached_property
    def colours(self) -> tuple[str, ...]:
        return COLOUR_NAMES[: len(self.tables.board.start)]

    @cached_property
    def colour_letters(self) -> str:
        return "".join(colour[0] for colour in self.colours)

    @property
    def side(self) -> int:
        return self.tables.board.side

    @property
    def board_size(self) -> tuple[int, int]:
        return self.side, self.side

    @property
    def piece_areas(self) -> dict[str, int]:
        return {name: len(SHAPES[name]) for name in self.pieces}

    @cached_property
    def start_cells(self) -> tuple[int, ...]:
        return tuple(read_cell(text, self.side, self.side) for text in self.tables.board.start)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """Names of the pieces of a colour, small pieces first; the order in the file does not matter."""
        return tuple(name for name in SHAPES if name in self.tables.pieces)

    @cached_property
    def seat_colours(self) -> tuple[tuple[int, ...], ...]:
        """The colours of each seat. BK-9, BK-10: all seats own equally many colours; a colour left over has no owner."""
        owned = len(self.colours) // self.players * self.players
        return tuple(tuple(range(seat, owned, self.players)) for seat in range(self.players))

    @cached_property
    def colour_owners(self) -> tuple[int | None, ...]:
        """The seat that owns each colour; None for a colour that all seats play in turn."""
        owned = {colour: seat for seat, colours in enumerate(self.seat_colours) for colour in colours}
        return tuple(owned.get(colour) for colour in range(len(self.colours)))

    @cached_property
    def total_squares(self) -> int:
        """Number of squares of all pieces of a colour."""
        return sum(len(SHAPES[name]) for name in self.pieces)

    @cached_property
    def single_square_set(self) -> int:
        """The set of pieces that contains only the single square; 0 if the ruleset does not have this piece."""
        return 1 << self.pieces.index("I1") if "I1" in self.pieces else 0

    @cached_property
    def windows(self) -> Windows:
        return Windows(self.side, self.pieces)

    @cached_property
    def first_out_action(self) -> int:
        """The action `out` of colour 0; those of the other colours follow."""
        return len(self.colours) * self.windows.span

    @cached_property
    def centre_distances(self) -> dict[int, int]:
        """For each spot of the board: four times the squared distance from the centre of the square to that of the board."""
        return {
            self.windows.spot((x, y)): (2 * x - self.side + 1) ** 2 + (2 * y - self.side + 1) ** 2
            for y in range(self.side)
            for x in range(self.side)
        }

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The image of each square, for each reflection and rotation of the board that keeps the start cells of every colour."""
        last, squares = self.side - 1, range(self.side * self.side)
        turns = [
            tuple(
                (last - a if flip_x else a) + self.side * (last - b if flip_y else b)
                for cell in squares
                for a, b in [divmod(cell, self.side)[:: -1 if is_plain else 1]]
            )
            for is_plain in (True, False)
            for flip_x in (False, True)
            for flip_y in (False, True)
        ]
        starts = (
            [set(self.start_cells)] if self.options.corners == "free" else [{c} for c in self.start_cells]
        )
        return tuple(
            turn for turn in turns if all({turn[cell] for cell in cells} == cells for cells in starts)
        )

    def equal_actions(self, number: int) -> tuple[int, ...]:
        action = self.action(number)
        if not action.cells:
            return (number,)
        letter = action.notation[:2]
        images = (sorted(turn[cell] for cell in action.cells) for turn in self.symmetries)
        return tuple(self.read_action(f"{letter}{format_squares(image, self.side)}") for image in images)

    @property
    def actions_end(self) -> int:
        return self.first_out_action + len(self.colours)

    def action(self, number: int) -> Action:
        if number in range(self.first_out_action, self.first_out_action + len(self.colours)):
            return Action("out", f"{self.colour_letters[number - self.first_out_action]}:out")
        windows = self.windows
        colour, bit = divmod(number, windows.span)
        if number not in range(self.first_out_action) or not windows.board >> bit & 1:
            raise InvalidError(f"{self.name}: there is no action number {number}")
        spot, orientation = windows.placement(bit)
        left, bottom = windows.point(spot)
        cells = tuple(left + x + self.side * (bottom + y) for x, y in orientation.shape)
        notation = f"{self.colour_letters[colour]}:{format_squares(cells, self.side)}"
        return Action("place", notation, self.pieces[orientation.piece], None, cells)

    def read_action(self, notation: str) -> int:
        letter, colon, rest = notation.partition(":")
        if not colon or len(letter) != 1 or letter not in self.colour_letters:
            raise InvalidError(
                f"{notation!r} is not an action of {self.name}: expected a colour ({', '.join(self.colour_letters)}) and squares, "
                f"such as '{self.colour_letters[0]}:a1,a2', or 'out', such as '{self.colour_letters[0]}:out'"
            )
        colour = self.colour_letters.index(letter)
        if rest == "out":
            return self.first_out_action + colour
        cells = [read_cell(text, self.side, self.side) for text in rest.split(",")]
        points = tuple((index % self.side, index // self.side) for index in cells)
        orientation = self._orientation_numbers.get(make_shape(points))
        if orientation is None or any(low >= high for low, high in pairwise(cells)):
            raise InvalidError(
                f"{notation!r} is not a piece of {self.name} (squares ascending, row by row from a1)"
            )
        corner = (min(x for x, _ in points), min(y for _, y in points))
        windows = self.windows
        return colour * windows.span + windows.spot(corner) * windows.count + orientation

    @cached_property
    def _orientation_numbers(self) -> dict[tuple[tuple[int, int], ...], int]:
        return {orientation.shape: number for number, orientation in enumerate(self.windows.orientations)}
