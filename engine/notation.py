"""Squares in writing: column letter and row number from the bottom, `a1` bottom left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from engine.game import InvalidError

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS: Final = "abcdefghijklmnopqrstuvwx"
_SQUARE: Final = re.compile(r"([a-x])([1-9][0-9]?)")


def square(cell: int, width: int) -> str:
    """Write a cell index (column + width x row) as a square.

    >>> square(0, 7), square(10, 7)
    ('a1', 'd2')
    """
    return f"{COLUMNS[cell % width]}{cell // width + 1}"


def squares(cells: Iterable[int], width: int) -> str:
    """Write cells as a list, ascending.

    >>> squares([8, 0], 7)
    'a1,b2'
    """
    return ",".join(square(cell, width) for cell in sorted(cells))


def cell(text: str, width: int, height: int) -> int:
    """Read a square; raise InvalidError if there is none of that name on a board of this size.

    >>> cell("d2", 7, 10)
    10
    """
    found = _SQUARE.fullmatch(text)
    if found:
        column, row = COLUMNS.index(found[1]), int(found[2]) - 1
        if column < width and row < height:
            return column + width * row
    last = square(width * height - 1, width)
    raise InvalidError(f"{text!r} is no square of this board (a1 to {last})")
