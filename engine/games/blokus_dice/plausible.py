"""The priors of the play area and of the list of shapes of Blokus Dice. Known are the 21 shapes and the six rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.game import PlausibleTable
from engine.luck import shuffle
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from engine.luck import Source

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


PLAUSIBLE_TABLES: Final = {
    "side": PlausibleTable("A side of 7, 8, 9 or 10 squares, each equally likely.", draw_side),
    "rows": PlausibleTable(
        "Rows of three or four shapes: on every other board in any order, on the others sorted by their squares.",
        draw_rows,
    ),
}
