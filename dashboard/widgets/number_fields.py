"""Whole numbers as people write them, into addresses and into fields: what is none breaks no page."""

from __future__ import annotations

import secrets
from typing import Final

from engine.game import InvalidError
from pipelines.design.design import LARGEST_SEED

MOST_DIGITS: Final = len(str(LARGEST_SEED))


def whole(text: str) -> int | None:
    """Read a whole number of at most 20 digits; None if the text is none.

    >>> whole("17"), whole("-1"), whole("many"), whole("9" * 5000)
    (17, None, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def within(text: str, least: int, most: int, otherwise: int) -> int:
    """Read a number, or the nearest one that a field takes; what is none counts as not said.

    >>> within("17", 10, 20, 12), within("5", 10, 20, 12), within("many", 10, 20, 12)
    (17, 10, 12)
    """
    number = whole(text)
    return otherwise if number is None else max(least, min(number, most))


def seed(text: str) -> int:
    """Read a seed; draw a short one if nothing is written. Raises InvalidError if the text is none.

    >>> seed("17")
    17
    >>> seed("many")
    Traceback (most recent call last):
    engine.game.InvalidError: The seed is a whole number from 0 to 18,446,744,073,709,551,615.
    """
    number = whole(text) if text else secrets.randbelow(10**6)
    if number is None or number > LARGEST_SEED:
        raise InvalidError(f"The seed is a whole number from 0 to {LARGEST_SEED:,}.")
    return number
