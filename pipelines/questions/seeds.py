"""Seeds as people type them into forms and addresses."""

from __future__ import annotations

import secrets
from typing import Final

from engine.errors import InvalidError
from pipelines.design.limits import SEED
from pipelines.questions.address import shorten_value

MAX_SEED_DIGITS: Final = len(str(SEED.most))


def parse_seed(text: str) -> int:
    """Return the seed in a text; a random one below a million if the text is empty.

    Raises InvalidError if the text is not a seed.

    >>> parse_seed("17")
    17
    >>> parse_seed("many")
    Traceback (most recent call last):
    engine.errors.InvalidError: The seed must be a whole number from 0 to 18,446,744,073,709,551,615, not many.
    """
    if not text:
        return secrets.randbelow(10**6)
    is_number = text.isdecimal() and len(text) <= MAX_SEED_DIGITS
    if not is_number or int(text) > SEED.most:
        raise InvalidError(
            f"The seed must be a whole number from {SEED.least} to {SEED.most:,}, not {shorten_value(text)}."
        )
    return int(text)


def find_seed_problem(text: str) -> list[str]:
    """Return a sentence on a text that is not a seed, in a list."""
    try:
        parse_seed(text)
    except InvalidError as error:
        return [str(error)]
    return []
