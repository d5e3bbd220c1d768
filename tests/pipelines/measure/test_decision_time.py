"""The time of a decision is measured for every strategy, with the compiled game or the plain rules."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.spexxx.kernel import batches
from engine.games.spexxx.learned_values import read_learned_values
from engine.games.spexxx.ruleset import SpexxxRuleset
from engine.kernels.loader import can_compile_games
from engine.strategies import built_in_strategies
from pipelines.measure import bench
from pipelines.measure.decision_time import decision_microseconds

if TYPE_CHECKING:
    from array import array


@pytest.mark.slow
@pytest.mark.skipif(not can_compile_games(), reason="nothing can be compiled here")
def test_bench_times_a_decision_of_every_strategy_of_every_game() -> None:
    lines = list(bench._measure_decision_times(0.001))
    assert [line.name for line in lines] == [
        f"{name}-2p {strategy}, time per decision"
        for name in games.game_names()
        for strategy in built_in_strategies(games.find_game(name))
    ]
    assert all(line.value and line.unit == "µs" for line in lines)


@pytest.mark.skipif(not can_compile_games(), reason="nothing can be compiled here")
def test_more_playouts_take_longer() -> None:
    ruleset = Catalogue().find_ruleset("blokus-duo")
    few, many = (decision_microseconds(ruleset, f"mcts:playouts={n}", seconds=0.01) for n in (10, 500))
    assert many > 5 * few > 0


@pytest.mark.skipif(not can_compile_games(), reason="nothing can be compiled here")
def test_what_a_strategy_has_learned_is_loaded_before_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    clock, read = time.process_time, read_learned_values

    def look_at_clock() -> float:
        calls.append("clock")
        return clock()

    def read_values(ruleset: SpexxxRuleset) -> array[int]:
        calls.append("read")
        return read(ruleset)

    monkeypatch.setattr(time, "process_time", look_at_clock)
    monkeypatch.setattr(batches, "read_learned_values", read_values)
    ruleset = Catalogue().find_ruleset("spexxx-2p")
    assert isinstance(ruleset, SpexxxRuleset)
    seven_cubes = ruleset.model_copy(
        update={"options": ruleset.options.model_copy(update={"cubes": {"2": 7}})}
    )
    decision_microseconds(seven_cubes, "learned", seconds=0.001)
    assert calls[:2] == ["read", "clock"]
    assert "read" not in calls[1:]


def test_the_plain_rules_are_timed_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    assert decision_microseconds(ruleset, "greedy", seconds=0.01) > 20
    with pytest.raises(InvalidError, match="bloxx-2p has no compiled game here, which 'planner' needs"):
        decision_microseconds(ruleset, "planner", seconds=0.01)
