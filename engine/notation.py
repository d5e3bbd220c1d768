"""Squares in writing: column letter and row number from the bottom, `a1` bottom left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMN_LETTERS: Final = "abcdefghijklmnopqrstuvwx"
_SQUARE_PATTERN: Final = re.compile(r"([a-x])([1-9][0-9]?)")


def format_square(cell: int, width: int) -> str:
    """Write a cell index (column + width x row) as a square.

    >>> format_square(0, 7), format_square(10, 7)
    ('a1', 'd2')
    """
    return f"{COLUMN_LETTERS[cell % width]}{cell // width + 1}"


def format_squares(cells: Iterable[int], width: int) -> str:
    """Write cells as a list, ascending.

    >>> format_squares([8, 0], 7)
    'a1,b2'
    """
    return ",".join(format_square(cell, width) for cell in sorted(cells))


def read_cell(text: str, width: int, height: int) -> int:
    """Read a square; raise InvalidError if there is none of that name on a board of this size.

    >>> read_cell("d2", 7, 10)
    10
    """
    found = _SQUARE_PATTERN.fullmatch(text)
    if found:
        column, row = COLUMN_LETTERS.index(found[1]), int(found[2]) - 1
        if column < width and row < height:
            return column + width * row
    last = format_square(width * height - 1, width)
    raise InvalidError(f"{text!r} is no square of this board (a1 to {last})")
