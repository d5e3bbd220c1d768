"""The benchmark: what needs processes of its own is measured, decisions are timed, and the programs in C play the right games."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Final

import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games import find_game
from engine.games.spexxx.kernel import batches
from engine.games.spexxx.learned_values import read_learned_values
from engine.games.spexxx.ruleset import SpexxxRuleset
from engine.kernels.loader import can_compile_games, find_kernel
from engine.strategies import built_in_strategies, read_player
from pipelines import bench
from pipelines.bench import Yardstick, decision_microseconds, find_yardsticks, run_yardstick

if TYPE_CHECKING:
    from array import array

    import numpy as np
    from numpy.typing import NDArray

    from engine.kernels.results import Batch

EXPECTED_PLACEMENTS: Final = {"blokus-4p": 58.98, "bloxx-4p": 35.56}
"""Shapes placed in a game, from 100,000 games of the kernel; the standard deviations are 3.3 and 5.5."""
RESULT_DEVIATION: Final = {"blokus-4p": 10, "bloxx-4p": 9}
"""Standard deviation of a seat's result in one game."""


def test_the_compile_time_is_measured_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are switched off here: only the command matters."""
    monkeypatch.setenv("REROLL_KERNELS", "0")
    assert bench._compile_seconds() > 0


def test_the_best_of_several_rates_counts() -> None:
    rounds: list[int] = []

    def work(n: int) -> int:
        rounds.append(n)
        return sum(range(50_000 * n)) and n

    assert bench.best_rate(work, seconds=0.02, tries=3) > 0
    assert rounds[0] == 1
    assert len(set(rounds[-3:])) == 1


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


@pytest.fixture(scope="module", params=list(find_yardsticks()))
def ruleset_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def yardstick_result(ruleset_name: str) -> Yardstick:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    measured = run_yardstick(ruleset_name, seconds=1)
    assert measured
    return measured


@pytest.mark.slow
def test_c_places_as_many_shapes_as_the_kernel(ruleset_name: str, yardstick_result: Yardstick) -> None:
    assert yardstick_result.games >= 2000
    error = 5 * 5.5 * yardstick_result.games**-0.5 + 0.02
    assert yardstick_result.placements == pytest.approx(EXPECTED_PLACEMENTS[ruleset_name], abs=error)


@pytest.mark.slow
@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
def test_c_has_the_results_of_the_kernel(ruleset_name: str, yardstick_result: Yardstick) -> None:
    ruleset = Catalogue().find_ruleset(ruleset_name)
    compiled = find_kernel(ruleset)
    if compiled is None:
        pytest.skip(f"{ruleset.game} has no kernel")
    seating = [read_player(find_game(ruleset.game), "random")] * 4
    batch = compiled.play([seating], 5, range(20_000), logged=False)
    error = 5 * RESULT_DEVIATION[ruleset_name] * (yardstick_result.games**-0.5 + 20_000**-0.5)
    expected = _squares_left(batch) if ruleset.game == "blokus" else batch.scores
    assert yardstick_result.results == pytest.approx(tuple(expected.mean(axis=0)), abs=error)


@pytest.mark.slow
@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_plays_the_games_of_bloxx_that_the_kernel_plays() -> None:
    seed = 2**64 - 7
    measured = run_yardstick("bloxx-4p", seconds=0.01, seed=seed)
    compiled = find_kernel(Catalogue().find_ruleset("bloxx-4p"))
    assert measured
    assert compiled
    seating = [read_player(find_game("bloxx"), "random")] * 4
    batch = compiled.play([seating], seed, range(measured.games), logged=False)
    assert measured.results == pytest.approx(tuple(batch.scores.mean(axis=0)), abs=1e-6)


def _squares_left(batch: Batch) -> NDArray[np.int32]:
    return -batch.points[:, :, 0]


def test_without_a_compiler_there_is_no_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert run_yardstick("bloxx-4p", seconds=1) is None
