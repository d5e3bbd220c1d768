"""The notation of squares: column letter and row number. `a1` is the square at the bottom left."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from engine.errors import InvalidError

COLUMN_LETTERS: Final = "abcdefghijklmnopqrstuvwx"
_SQUARE_PATTERN: Final = re.compile(r"([a-x])([1-9][0-9]?)")


def format_square(cell: int, width: int) -> str:
    """Return the name of the square with a cell index (column + width x row).

    >>> format_square(0, 7), format_square(10, 7)
    ('a1', 'd2')
    """
    return f"{COLUMN_LETTERS[cell % width]}{cell // width + 1}"


def format_squares(cells: Iterable[int], width: int) -> str:
    """Return the names of cells, ascending and separated by commas.

    >>> format_squares([8, 0], 7)
    'a1,b2'
    """
    return ",".join(format_square(cell, width) for cell in sorted(cells))


def read_cell(text: str, width: int, height: int) -> int:
    """Return the cell index of a square; raise InvalidError if a board of this size has no such square.

    >>> read_cell("d2", 7, 10)
    10
    """
    match = _SQUARE_PATTERN.fullmatch(text)
    if match:
        column, row = COLUMN_LETTERS.index(match[1]), int(match[2]) - 1
        if column < width and row < height:
            return column + width * row
    last = format_square(width * height - 1, width)
    raise InvalidError(f"{text!r} is not a square of this board (a1 to {last})")
