"""Rulesets whose reconstructed tables are drawn anew: what each table might be as well.

Somebody who does not know the real tables would have to believe each of them about as much as the one that is shipped. A
result that holds on nearly all of them does not depend on the reconstruction.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from engine.games.spexxx.ruleset import METALS
from engine.luck import Luck
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from engine.luck import Source
    from engine.ruleset import Ruleset

R = TypeVar("R", bound="Ruleset")
T = TypeVar("T")


class PlausibleTable(NamedTuple):
    """What a reconstructed table of a ruleset might be as well: the prior of the table."""

    prior: str
    """Which tables are drawn and how likely each is, as a sentence."""
    draw: Callable[[dict[str, Any], Source], None]
    """Takes the document of a ruleset and replaces the table in it by one that is drawn."""


def list_plausible_tables(ruleset: Ruleset) -> dict[str, PlausibleTable]:
    """Return the priors of the reconstructed tables of a ruleset, by the names that its provenance has.

    A reconstructed table without a prior stays as it is.
    """
    known = PLAUSIBLE_TABLES.get(ruleset.game, {})
    return {
        name: known[name]
        for name, origin in ruleset.provenance.items()
        if origin == "reconstructed" and name in known
    }


def draw_plausible_ruleset(ruleset: R, seed: int, number: int) -> R:
    """Return a ruleset with other plausible tables; equal seeds and numbers give the same one.

    Tables that are printed in the rulebook, and those that somebody made, stay.
    """
    document, source = copy.deepcopy(ruleset.document), Luck(seed, number).source(0, 0, 0)
    for table in list_plausible_tables(ruleset).values():
        table.draw(document, source)
    return type(ruleset).from_document(document, f"{ruleset.name}, plausible tables {number}")


# The priors of the BLOXX! sheet and dice.
#
# Known are the size of the sheet, numbers from 2 to 4, four coloured rows with green low, and twelve shapes of two to five squares
# with one circle each.

HIGHEST_GREEN_ROW: Final = 3
ALWAYS: Final = ("I2", "I3", "V3")
"""The shapes of two and three squares."""


def draw_numbers(document: dict[str, Any], source: Source) -> None:
    """Draw the numbers of the sheet."""
    sheet: list[str] = document["tables"]["numbers"]
    columns = len(sheet[0])
    digits = shuffle((mark for row in sheet for mark in row if mark != "."), source)
    rows = []
    for count in shuffle((columns - row.count(".") for row in sheet), source):
        places = set(shuffle(range(columns), source)[:count])
        rows.append("".join(digits.pop() if place in places else "." for place in range(columns)))
    document["tables"]["numbers"] = rows


def draw_coloured_rows(document: dict[str, Any], source: Source) -> None:
    """Draw the numbers of the coloured rows; the lowest one keeps the colour that it has."""
    coloured: dict[str, int] = document["tables"]["coloured_rows"]
    colours, height = (
        sorted(coloured, key=lambda colour: coloured[colour]),
        len(document["tables"]["numbers"]),
    )
    lowest = 1 + source.below(min(HIGHEST_GREEN_ROW, height - len(colours) + 1))
    others = sorted(shuffle(range(lowest + 1, height + 1), source)[: len(colours) - 1])
    document["tables"]["coloured_rows"] = dict(zip(colours, [lowest, *others], strict=True))


def draw_dice(document: dict[str, Any], source: Source) -> None:
    """Draw the shapes of both dice and the circle of each shape."""
    dice: dict[str, dict[str, str]] = document["tables"]["dice"]
    count = sum(map(len, dice.values()))
    larger = shuffle((name for name, shape in SHAPES.items() if len(shape) > 3), source)
    names = shuffle([*ALWAYS, *larger[: count - len(ALWAYS)]], source)
    document["tables"]["dice"] = {
        die: {name: draw_face(name, source) for name in (names.pop() for _ in faces)}
        for die, faces in dice.items()
    }


def draw_face(name: str, source: Source) -> str:
    """Return the drawing of a shape with its circle on a random square."""
    shape = SHAPES[name]
    circle = source.choice(shape)
    width, height = max(x for x, _ in shape) + 1, max(y for _, y in shape) + 1
    marks = {point: "o" if point == circle else "x" for point in shape}
    return "/".join("".join(marks.get((x, y), ".") for x in range(width)) for y in reversed(range(height)))


_BLOXX_TABLES: Final = {
    "numbers": PlausibleTable(
        "The numbers of our sheet in any order, on any squares; the rows have as many numbers as ours, in any order.",
        draw_numbers,
    ),
    "coloured_rows": PlausibleTable(
        "Green is one of the rows 1 to 3, the other colours are any rows above.", draw_coloured_rows
    ),
    "dice": PlausibleTable(
        "The domino, both shapes of three squares and any nine of the 17 of four and five squares, on any die, with the circle on "
        "any square.",
        draw_dice,
    ),
}


# The priors of the play area and of the list of shapes of Blokus Dice. Known are the 21 shapes and the six rows.

SIDES: Final = (7, 8, 9, 10)


def draw_side(document: dict[str, Any], source: Source) -> None:
    """Draw the side of the play area."""
    document["options"]["side"] = source.choice(SIDES)


def draw_rows(document: dict[str, Any], source: Source) -> None:
    """Draw the shapes of each row."""
    rows: dict[str, list[str]] = document["tables"]["rows"]
    names = shuffle((name for row in rows.values() for name in row), source)
    is_graded = source.below(2) == 1
    if is_graded:
        names.sort(key=lambda name: len(SHAPES[name]))
    faces = sorted(rows)
    lengths = shuffle(
        (len(names) // len(faces) + (place < len(names) % len(faces)) for place in range(len(faces))), source
    )
    drawn = iter(names)
    document["tables"]["rows"] = {
        face: [next(drawn) for _ in range(length)] for face, length in zip(faces, lengths, strict=True)
    }


_BLOKUS_DICE_TABLES: Final = {
    "side": PlausibleTable("A side of 7, 8, 9 or 10 squares, each equally likely.", draw_side),
    "rows": PlausibleTable(
        "Rows of three or four shapes: on every other board in any order, on the others sorted by their squares.",
        draw_rows,
    ),
}


# The priors of the Spexxx board and its points. Known are the axes, the zones and 1, 5 and 12 points for orange, blue and red.

ZONE_SIDE: Final = 6
TRIANGLES: Final = "OY"
"""The zones whose columns and rows ask for equally many dice, so that one half of the zone says it all."""


def draw_board(document: dict[str, Any], source: Source) -> None:
    """Draw on which side of the diagonal the triangles are, and how the metals are spread over the diagonals."""
    board = [list(row) for row in document["tables"]["board"]]
    zones = [
        (top, left) for top in range(0, len(board), ZONE_SIDE) for left in range(0, len(board[0]), ZONE_SIDE)
    ]
    is_spread_anew = source.below(10) == 0
    for top, left in zones:
        cells = [(top + y, left + x) for y in range(ZONE_SIDE) for x in range(ZONE_SIDE)]
        marks = {board[row][column] for row, column in cells}
        if marks & set(TRIANGLES) and source.below(2):
            # the rows are written from the top, so a mirror in the diagonal of equal numbers swaps x and 5 - y
            before = {(y, x): board[top + y][left + x] for y in range(ZONE_SIDE) for x in range(ZONE_SIDE)}
            for y, x in before:
                board[top + y][left + x] = before[ZONE_SIDE - 1 - x, ZONE_SIDE - 1 - y]
        if marks & set(METALS) and is_spread_anew:
            metal = source.choice(list(METALS))
            for row, column in cells:
                if board[row][column] in METALS:
                    board[row][column] = metal
    document["tables"]["board"] = ["".join(row) for row in board]


def draw_points(document: dict[str, Any], source: Source) -> None:
    """Draw the points that are not known, between those that are."""
    points: dict[str, int] = document["tables"]["points"]
    points["green"] = _between(points["orange"] + 1, points["blue"] - 1, source)
    points["yellow"] = _between(points["green"], points["blue"], source)
    points["purple"] = _between(points["blue"] + 1, points["red"] - 1, source)
    points["gold"] = _between(points["orange"] + 1, points["blue"], source)
    points["silver"] = _between(points["gold"] + 1, points["red"] - 1, source)


def _between(lowest: int, highest: int, source: Source) -> int:
    return lowest + source.below(max(1, highest - lowest + 1))


_SPEXXX_TABLES: Final = {
    "board": PlausibleTable(
        "The orange and the yellow triangle on either side of their diagonals; on one of ten boards each diagonal has either metal.",
        draw_board,
    ),
    "points": PlausibleTable(
        "Green from 2 to 4, yellow from green to 5, purple from 6 to 11, gold from 2 to 5, silver from more than gold to 11.",
        draw_points,
    ),
}


PLAUSIBLE_TABLES: Final[Mapping[str, Mapping[str, PlausibleTable]]] = {
    "bloxx": _BLOXX_TABLES,
    "blokus-dice": _BLOKUS_DICE_TABLES,
    "spexxx": _SPEXXX_TABLES,
}
"""By game, the priors of reconstructed tables by their names in the provenance of a ruleset."""


def shuffle(items: Iterable[T], source: Source) -> list[T]:
    """Return the items in a random order, each equally likely."""
    shuffled = list(items)
    for place in range(len(shuffled) - 1, 0, -1):
        other = source.below(place + 1)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled
