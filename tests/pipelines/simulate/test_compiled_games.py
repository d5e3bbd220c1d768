"""A compiled game and the plain rules give the same run file, row for row."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from engine.kernels.loader import can_compile_games, find_kernel
from pipelines.design.designs import design_simulation
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate import compiled_games, shards
from pipelines.simulate.simulate import resume_run, simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

    from engine.catalogue import Catalogue
    from engine.kernels.contract import Kernel
    from pipelines.design.design import Design
    from pipelines.runs.run import Run

    Contents = dict[str, Any]

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "log", [*(pytest.param(log, marks=pytest.mark.slow) for log in ("full", "scores")), "sample=0.5"]
)
def test_a_run_in_which_the_compiled_game_takes_over_is_the_same_run(
    catalogue: Catalogue,
    read_contents: Callable[[Run], Contents],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    log: str,
) -> None:
    """The plain rules play until another process has compiled the game, here in the middle of the first of four shards."""
    ruleset = catalogue.find_ruleset("bloxx-3p")
    planned = design_simulation(ruleset, ["greedy", "random", "random"], blocks=40, seed=3, log=log)
    expected = simulate_run(planned, tmp_path / "compiled" / "run.duckdb", workers=1)
    find_compiled, answers = compiled_games.find_design_kernel, iter([None] * 4)
    played_by_kernel: list[int] = []

    def find_kernel_later(design: Design) -> Kernel | None:
        return next(answers, find_compiled(design))

    def play_and_count(design: Design, kernel: Kernel, blocks: range) -> dict[str, pa.Table]:
        played_by_kernel.extend(blocks)
        return play_compiled(design, kernel, blocks)

    play_compiled = compiled_games.play_blocks
    monkeypatch.setattr(compiled_games, "find_design_kernel", find_kernel_later)
    monkeypatch.setattr(compiled_games, "play_blocks", play_and_count)
    shards_of_ten = planned.model_copy(update={"shard_blocks": 10})
    joined = resume_run(
        begin_run(tmp_path / "joined" / "run.duckdb", shards_of_ten, free_name=False), workers=1
    )
    assert 0 < min(played_by_kernel) < 10
    assert read_contents(joined) == read_contents(expected)


@pytest.mark.parametrize("log", ["full", "scores", "sample=0.5"])
def test_a_shard_that_is_played_in_parts_is_the_same_and_is_left_soon_after_a_stop(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, log: str
) -> None:
    planned = design_simulation(
        catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=9, seed=5, log=log
    ).model_copy(update={"shard_blocks": 9})
    kernel = compiled_games.find_design_kernel(planned)
    assert kernel
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    monkeypatch.setattr(shards, "PART_SECONDS", 0.0)  # a part for each block
    whole = compiled_games.play_blocks(planned, kernel, range(9))
    parts = shards._play_compiled(partial, planned, kernel, range(9))
    assert parts
    assert {name: table.to_pylist() for name, table in parts.items()} == {
        name: table.to_pylist() for name, table in whole.items()
    }
    played: list[range] = []
    play_blocks = compiled_games.play_blocks

    def play_and_stop(design: Design, compiled: Kernel, blocks: range) -> dict[str, pa.Table]:
        played.append(blocks)
        if len(played) == 3:
            partial.cancel()
        return play_blocks(design, compiled, blocks)

    monkeypatch.setattr(compiled_games, "play_blocks", play_and_stop)
    assert shards.play_shard(partial.folder, planned.model_dump_json(), 0) == 0
    assert played == [range(1), range(1, 2), range(2, 3)]
    assert partial.finished_shards == set()


def test_a_game_is_compiled_in_the_background_by_a_run_that_lasts(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = design_simulation(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=1)
    monkeypatch.setattr(compiled_games, "is_compiled", lambda _: False)
    monkeypatch.setattr(compiled_games, "BACKGROUND_COMPILE_DELAY_SECONDS", 0.0)
    started = []

    def start_process(game: str) -> subprocess.Popen[bytes]:
        started.append((game, subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])))
        return started[-1][1]

    monkeypatch.setattr(compiled_games, "start_compile_process", start_process)
    with compiled_games.compile_in_background(planned):
        deadline = time.monotonic() + 10
        while not started:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    ((game, process),) = started
    assert (game, process.returncode) == ("bloxx", -signal.SIGTERM)


def test_a_strategy_that_is_not_compiled_is_played_by_the_plain_rules(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = design_simulation(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=1)
    found = find_kernel(catalogue.find_ruleset("bloxx-2p"))
    if found is None:
        pytest.skip("bloxx has no kernel")
    monkeypatch.setattr(type(found), "strategies", ("random",))
    assert compiled_games.find_design_kernel(planned) is None
