"""People at the table: a seat that a person plays is written `me`, or `me:name="Anna"` where people need to be told apart."""

from __future__ import annotations

from typing import Final

from engine.player_notation import read_settings
from engine.strategy import Strategy

PERSON: Final = "me"


PERSON_TITLE: Final = "A person, who chose every move by hand."


PERSON_SUBSTITUTE: Final = "greedy"
"""The strategy that plays on for a person where games are continued without them. Every game has it."""


def is_person(text: str) -> bool:
    """Return whether the text of a player stands for a person.

    >>> is_person("me"), is_person('me:name="Anna"'), is_person("greedy")
    (True, True, False)
    """
    return text.partition(":")[0] == PERSON


def read_person(text: str) -> str:
    """Return the text of a person in its standard form; raise InvalidError if it has a setting other than `name`.

    >>> read_person("me:name=Anna")
    'me:name="Anna"'
    """
    return read_settings(Strategy(PERSON, PERSON_TITLE, None), text).player_name
