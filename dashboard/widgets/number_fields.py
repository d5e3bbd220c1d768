"""Parse integers from addresses and form fields. Invalid text never breaks a page."""

from __future__ import annotations

from typing import Final

MAX_DIGITS: Final = 20


def parse_whole_number(text: str) -> int | None:
    """Return the integer in a text of at most 20 digits; None if the text is anything else.

    >>> parse_whole_number("17"), parse_whole_number("-1"), parse_whole_number("many"), parse_whole_number("9" * 5000)
    (17, None, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None


def parse_bounded_number(text: str, least: int, most: int, otherwise: int) -> int:
    """Return the integer in a text, limited to `least` and `most`; `otherwise` if the text is invalid.

    >>> parse_bounded_number("17", 10, 20, 12), parse_bounded_number("5", 10, 20, 12), parse_bounded_number("many", 10, 20, 12)
    (17, 10, 12)
    """
    number = parse_whole_number(text)
    return otherwise if number is None else max(least, min(number, most))
