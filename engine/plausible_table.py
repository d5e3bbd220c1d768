"""What a game states about each of its reconstructed tables: the prior from which other plausible ones are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.luck import Source

T = TypeVar("T")


class PlausibleTable(NamedTuple):
    """The prior of a table."""

    prior: str
    """Which tables are drawn and how likely each is, as a sentence."""
    draw: Callable[[dict[str, Any], Source], None]
    """Takes the document of a ruleset and replaces the table in it by one that is drawn."""


def shuffle(items: Iterable[T], source: Source) -> list[T]:
    """Return the items in a random order, each equally likely."""
    shuffled = list(items)
    for place in range(len(shuffled) - 1, 0, -1):
        other = source.below(place + 1)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled
