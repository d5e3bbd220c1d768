"""Parse integers from addresses and form fields. Invalid text never breaks a page."""

from __future__ import annotations

import secrets
from typing import Final

from engine.errors import InvalidError
from pipelines.design.design import MAX_SEED

MAX_SEED_DIGITS: Final = len(str(MAX_SEED))


def parse_whole_number(text: str) -> int | None:
    """Return the integer in a text of at most 20 digits; None if the text is anything else.

    >>> parse_whole_number("17"), parse_whole_number("-1"), parse_whole_number("many"), parse_whole_number("9" * 5000)
    (17, None, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= MAX_SEED_DIGITS else None


def parse_bounded_number(text: str, least: int, most: int, otherwise: int) -> int:
    """Return the integer in a text, limited to `least` and `most`; `otherwise` if the text is invalid.

    >>> parse_bounded_number("17", 10, 20, 12), parse_bounded_number("5", 10, 20, 12), parse_bounded_number("many", 10, 20, 12)
    (17, 10, 12)
    """
    number = parse_whole_number(text)
    return otherwise if number is None else max(least, min(number, most))


def parse_seed(text: str) -> int:
    """Return the seed in a text; a random one below a million if the text is empty.

    Raises InvalidError if the text is not a seed.

    >>> parse_seed("17")
    17
    >>> parse_seed("many")
    Traceback (most recent call last):
    engine.errors.InvalidError: The seed must be a whole number from 0 to 18,446,744,073,709,551,615.
    """
    number = parse_whole_number(text) if text else secrets.randbelow(10**6)
    if number is None or number > MAX_SEED:
        raise InvalidError(f"The seed must be a whole number from 0 to {MAX_SEED:,}.")
    return number
