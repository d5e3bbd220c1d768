"""The strategies that forms propose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.questions.lineups import suggest_lineup

if TYPE_CHECKING:
    from engine.catalogue import Catalogue


@pytest.mark.parametrize("ruleset", ["bloxx-2p", "blokus-4p", "blokus-dice-4p", "spexxx-3p"])
def test_a_form_proposes_two_different_strategies(catalogue: Catalogue, ruleset: str) -> None:
    found = catalogue.find_ruleset(ruleset)
    others = found.players - 1
    assert suggest_lineup(found) == ("greedy",) * others + ("random",)
    assert suggest_lineup(found, "noisy:sigma=3") == ("greedy",) * others + ("noisy:sigma=3",)
    assert suggest_lineup(found, "greedy") == ("random",) * others + ("greedy",)
