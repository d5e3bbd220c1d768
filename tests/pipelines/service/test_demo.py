"""The demo library: every game, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.strategies import player
from pipelines.service import demo
from pipelines.simulate.verify import verify

if TYPE_CHECKING:
    import pytest

    from engine.catalogue import Catalogue
    from pipelines.runs.library import Library


def test_every_ruleset_has_a_line_up(catalogue: Catalogue) -> None:
    for ruleset in catalogue.rulesets.values():
        names = demo.line_up(ruleset)
        assert len(names) == ruleset.players
        assert len({player(games.game(ruleset.game), name).name for name in names}) == 2


def test_what_is_missing_is_made_and_then_is_there(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "SECONDS", 0.0)
    plans = demo.missing(library)
    assert len(plans) == len(library.catalogue.rulesets)
    wanted = [plan for plan in plans if plan.target.stem in {"demo-bloxx-2p", "demo-bloxx-3p"}]
    told: list[tuple[int, str, int]] = []
    demo.make(wanted, lambda *news: told.append(news))
    assert [(done, games) for done, _, games in told] == [(1, told[0][2]), (2, told[1][2])]
    assert {run.name for run in library.runs()} == {"demo-bloxx-2p", "demo-bloxx-3p"}
    assert len(demo.missing(library)) == len(plans) - 2
    verify(library.run("demo-bloxx-3p"), workers=1)
