"""A compiled game and the plain rules give the same run file, row for row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.kernels.loader import can_compile_games, find_kernel
from pipelines.design.design import design_simulation
from pipelines.simulate import compiled_games
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.catalogue import Catalogue
    from pipelines.runs.run import Run

    Contents = dict[str, list[tuple[object, ...]]]

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")


@pytest.mark.parametrize("name", ["bloxx-3p", "blokus-3p", "blokus-dice-4p", "spexxx-2p"])
@pytest.mark.parametrize("log", ["full", "scores", "sample=0.5"])
def test_both_ways_to_play_give_the_same_run(
    catalogue: Catalogue,
    read_contents: Callable[[Run], Contents],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    log: str,
) -> None:
    ruleset = catalogue.find_ruleset(name)
    if find_kernel(ruleset) is None:
        pytest.skip(f"{name} has no kernel")
    lineup = ["greedy", *["random"] * (ruleset.players - 1)]
    planned = design_simulation(ruleset, lineup, blocks=3, seed=2**64 - 5, log=log)
    assert compiled_games.find_design_kernel(planned)
    compiled = simulate_run(planned, tmp_path / "one" / "run.duckdb", workers=1)
    monkeypatch.setenv("REROLL_KERNELS", "0")
    assert compiled_games.find_design_kernel(planned) is None
    plain = simulate_run(planned, tmp_path / "two" / "run.duckdb", workers=1)
    assert read_contents(compiled) == read_contents(plain)


def test_a_strategy_that_is_not_compiled_is_played_by_the_plain_rules(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = design_simulation(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=1)
    found = find_kernel(catalogue.find_ruleset("bloxx-2p"))
    if found is None:
        pytest.skip("bloxx has no kernel")
    monkeypatch.setattr(type(found), "strategies", ("random",))
    assert compiled_games.find_design_kernel(planned) is None
