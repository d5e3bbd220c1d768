"""The priors of the BLOXX! sheet and dice.

Known are the size of the sheet, numbers from 2 to 4, four coloured rows with green low, and twelve shapes of two to five squares
with one circle each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.game import PlausibleTable
from engine.luck import shuffle
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from engine.luck import Source

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


PLAUSIBLE_TABLES: Final = {
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
