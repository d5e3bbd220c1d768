"""A run that cannot be played does not begin, and one that fails in its first game leaves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.catalogue import SHIPPED_RULESETS_FOLDER, Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import can_compile_games
from pipelines.design.designs import design_simulation
from pipelines.simulate import simulate
from pipelines.simulate.errors import PlayError
from pipelines.simulate.simulate import simulate_run
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from engine.ruleset import Ruleset

REASON = "compiled games have at most 4 throws in a turn"


@pytest.fixture
def five_throws(tmp_path: Path) -> Ruleset:
    """A ruleset that has no compiled game."""
    path = tmp_path / "rulesets" / "five.toml"
    path.parent.mkdir()
    path.write_text('extends = "spexxx"\nplayers = 2\n[options]\nthrows = 5\n', encoding="utf-8")
    return Catalogue((path.parent, SHIPPED_RULESETS_FOLDER)).find_ruleset("five")


@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
def test_a_strategy_that_cannot_play_the_ruleset_is_refused_with_the_reason(
    five_throws: Ruleset, tmp_path: Path
) -> None:
    design = design_simulation(five_throws, ["builder", "greedy"], blocks=2)
    with pytest.raises(InvalidError, match=f"strategy 'builder' cannot play five: .*{REASON}"):
        simulate_run(design, tmp_path / "runs" / "run.duckdb", workers=1)
    assert not (tmp_path / "runs").exists()


@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
@pytest.mark.usefixtures("five_throws")
def test_a_ruleset_says_who_plays_it_and_whether_it_is_compiled(tmp_path: Path) -> None:
    lines = run_reroll("rulesets", "five", "--data", tmp_path).stdout.splitlines()
    assert "played by: random, noisy, greedy" in lines
    assert any(line.startswith("not played by builder: ") and REASON in line for line in lines)
    assert any(line.startswith("compiled: no: ") and REASON in line for line in lines)
    assert "compiled: yes" in run_reroll("rulesets", "spexxx-2p", "--data", tmp_path).stdout.splitlines()


def test_a_run_that_fails_in_its_first_game_leaves_nothing(
    ruleset: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise PlayError("the first game failed")

    monkeypatch.setattr(simulate, "play_shards", fail)
    design = design_simulation(ruleset, ["random", "random"], blocks=2)
    with pytest.raises(PlayError):
        simulate_run(design, tmp_path / "run.duckdb", workers=1)
    assert list(tmp_path.iterdir()) == []
