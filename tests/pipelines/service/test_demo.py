"""The demo library: runs of every game, each made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.strategies import read_player
from pipelines.service import demo
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    import pytest

    from engine.catalogue import Catalogue
    from pipelines.runs.library import Library


def test_every_ruleset_has_a_line_up(catalogue: Catalogue) -> None:
    for ruleset in catalogue.rulesets.values():
        names = demo.demo_lineup(ruleset)
        assert len(names) == ruleset.players
        assert len({read_player(games.find_game(ruleset.game), name).name for name in names}) == 2


def test_missing_demo_runs_are_made_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "DEMO_CPU_SECONDS", 0.0)
    plans = demo.missing_demo_runs(library)
    assert len(plans) == len(library.catalogue.rulesets)
    wanted = [plan for plan in plans if plan.target.stem in {"demo-bloxx-2p", "demo-bloxx-3p"}]
    finished: list[tuple[int, str, int]] = []
    demo.make_demo_runs(wanted, lambda *report: finished.append(report))
    assert [done for done, _, _ in finished] == [1, 2]
    assert {name for _, name, _ in finished} == {"demo-bloxx-2p", "demo-bloxx-3p"}
    assert all(games > 0 for _, _, games in finished)
    assert {run.name for run in library.runs()} == {"demo-bloxx-2p", "demo-bloxx-3p"}
    assert len(demo.missing_demo_runs(library)) == len(plans) - 2
    verify_run(library.run("demo-bloxx-3p"), workers=1)
