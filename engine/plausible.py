"""Plausible tables: what a reconstructed table of a ruleset might be as well, and rulesets that are drawn with them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from engine import games
from engine.luck import Luck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.luck import Source
    from engine.ruleset import Ruleset

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


R = TypeVar("R", bound="Ruleset")


def list_plausible_tables(ruleset: Ruleset) -> dict[str, PlausibleTable]:
    """Return the priors of the reconstructed tables of a ruleset, by the names that its provenance has.

    A reconstructed table without a prior stays as it is.
    """
    known = games.find_game(ruleset.game).plausible
    return {
        name: known[name]
        for name, origin in ruleset.provenance.items()
        if origin == "reconstructed" and name in known
    }


def draw_plausible_ruleset(ruleset: R, seed: int, number: int) -> R:
    """Return a ruleset with other plausible tables; equal seeds and numbers give the same one.

    Tables that are printed in the rulebook, and those that somebody made, stay.
    """
    document, source = copy.deepcopy(ruleset.document), Luck(seed, number).source(0, 0, 0)
    for table in list_plausible_tables(ruleset).values():
        table.draw(document, source)
    return type(ruleset).from_document(document, f"{ruleset.name}, plausible tables {number}")
