"""Whole numbers in texts that anybody may write: options of commands, addresses of pages, fields of forms."""

from __future__ import annotations

from typing import Final

DIGITS: Final = 20
"""As many as the greatest seed has. Python refuses to read numbers of thousands of digits, each in its own words."""


def whole(text: str) -> int | None:
    """Read a whole number from 0; None for all else.

    >>> whole("17"), whole("-1"), whole(""), whole("9" * 5000)
    (17, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else None


def whole_within(least: int, most: int, text: str, otherwise: int) -> int:
    """Read a whole number; one that is too small or too great counts as the nearest that is not, what is none as not said.

    >>> [whole_within(2, 100, text, 5) for text in ("17", "170", "1", "x")]
    [17, 100, 2, 5]
    """
    number = whole(text)
    return otherwise if number is None else max(least, min(number, most))
