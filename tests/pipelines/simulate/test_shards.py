"""Every block of a shard is played once, and every shard of a run, whoever plays it and whenever it is stopped.

The number of shards of a run: many while progress can be seen, one for a run that is played in a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from engine.kernels.loader import can_compile_games
from pipelines.design.designs import design_comparison, design_simulation
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate import compiled_games, shards, simulate
from pipelines.simulate.shards import MAX_SHARDS, MIN_SHARDS, blocks_per_shard, play_shard

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.design.own_strategies import OwnStrategies

SHARD_BLOCKS = 6


@pytest.fixture
def planned(ruleset: Ruleset) -> Design:
    """Five shards of six blocks, two games each."""
    design = design_simulation(ruleset, ["greedy", "random"], blocks=5 * SHARD_BLOCKS, seed=3)
    return design.model_copy(update={"shard_blocks": SHARD_BLOCKS})


@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
@pytest.mark.parametrize("by_rules", [1, 4, SHARD_BLOCKS])
def test_a_compiled_game_takes_over_with_the_block_after_the_last_one_of_the_plain_rules(
    planned: Design, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by_rules: int
) -> None:
    """The second shard is played, whose first block is not number 0."""
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    find_kernel, answers = compiled_games.find_design_kernel, iter([None] * by_rules)
    play_blocks = compiled_games.play_blocks
    compiled_blocks: list[int] = []

    def play_and_record(design: Design, kernel: Kernel, blocks: range) -> dict[str, pa.Table]:
        compiled_blocks.extend(blocks)
        return play_blocks(design, kernel, blocks)

    monkeypatch.setattr(
        compiled_games, "find_design_kernel", lambda design: next(answers, find_kernel(design))
    )
    monkeypatch.setattr(compiled_games, "play_blocks", play_and_record)
    blocks = range(SHARD_BLOCKS, 2 * SHARD_BLOCKS)
    assert play_shard(partial.folder, planned.model_dump_json(), 1) == 2 * SHARD_BLOCKS
    assert compiled_blocks == list(blocks[by_rules:])
    (written,) = partial.shards_folder.glob("*/games.parquet")
    games = pq.read_table(written)
    assert games["block"].to_pylist() == [block for block in blocks for _ in range(2)]
    assert games["game_id"].to_pylist() == list(range(2 * blocks.start, 2 * blocks.stop))


@pytest.mark.usefixtures("plain_rules")
def test_a_resumed_run_plays_the_shards_that_are_missing_and_no_other(
    planned: Design, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    for number in (0, 3):
        play_shard(partial.folder, planned.model_dump_json(), number)
    resumed: list[int] = []

    def play_and_record(folder: Path, document: str, number: int, own_strategies: OwnStrategies) -> int:
        resumed.append(number)
        return play_shard(folder, document, number, own_strategies)

    monkeypatch.setattr(simulate, "play_shard", play_and_record)
    run = simulate.resume_run(partial, workers=1)
    assert resumed == [1, 2, 4]
    blocks = run.arrow("SELECT block FROM games ORDER BY game_id")["block"].to_pylist()
    assert blocks == [block for block in range(5 * SHARD_BLOCKS) for _ in range(2)]


@pytest.mark.parametrize(
    ("blocks", "seconds", "wanted"),
    [
        (10, 0.001, 10),
        (10, 1.0, 1),
        (200, 0.001, 200),
        (320, 0.1, 20),
        (320, 1.0, 2),
        (1_000_000, 0.0001, 15_625),
        (1_000_000, 10.0, 245),
    ],
)
def test_a_run_is_one_shard_only_if_the_compiled_game_plays_it_in_a_moment(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch, blocks: int, seconds: float, wanted: int
) -> None:
    monkeypatch.setattr(shards, "_time_compiled_block", lambda *_: (64, seconds))
    assert blocks_per_shard(design_simulation(ruleset, ["greedy", "random"], blocks=blocks)) == wanted
    assert -(-blocks // wanted) <= MAX_SHARDS


def test_a_comparison_until_decided_can_end_after_each_of_its_first_blocks(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_time_compiled_block", lambda *_: (64, 1e-6))
    planned = design_comparison(ruleset, ["greedy", "random"], blocks=400, until_decided=True)
    assert blocks_per_shard(planned) == planned.blocks // MIN_SHARDS


def test_slow_games_are_measured_once_and_saved_within_seconds(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop after five seconds keeps games: a block is played to be measured, then the blocks of the first shard."""
    seconds, clock = 0.7, [0.0]

    def count_slow_block(*_: object) -> int:
        clock[0] += seconds
        return 64

    monkeypatch.setattr("pipelines.simulate.shards.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(compiled_games, "count_block_plies", count_slow_block)
    blocks = blocks_per_shard(design_simulation(ruleset, ["greedy", "random"], blocks=1000))
    assert clock[0] + blocks * seconds < 3
