"""Rulesets whose reconstructed tables are drawn anew: what each table might be as well.

Somebody who does not know the real tables would have to believe each of them about as much as the one that is shipped. A
result that holds on nearly all of them does not depend on the reconstruction.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, TypeVar

from engine import games
from engine.luck import Luck

if TYPE_CHECKING:
    from engine.game import PlausibleTable
    from engine.ruleset import Ruleset

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
