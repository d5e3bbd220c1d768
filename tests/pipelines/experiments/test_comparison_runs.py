"""Runs of comparisons: their openings, when they stop, and what a killed or stopped one keeps."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest

from engine.errors import InvalidError
from pipelines.design.designs import design_comparison
from pipelines.design.metrics import METRICS
from pipelines.experiments.comparison import compare_live_run, compare_strategies
from pipelines.report.verdicts import write_comparison
from pipelines.runs.outcomes import pair_columns, read_outcomes
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate import shards
from pipelines.simulate.errors import RunStopped, VerificationFailed
from pipelines.simulate.shards import play_shard
from pipelines.simulate.simulate import SequentialMonitor, make_stopping_rule, resume_run, simulate_run
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.catalogue import Catalogue
    from pipelines.design.design import Design
    from pipelines.runs.library import Library
    from tests.processes import StartProcess

Contents = dict[str, Any]


def test_openings_are_equal_in_all_games_of_a_block_and_verified(opening_run: Run, tmp_path: Path) -> None:
    verify_run(opening_run, workers=1)
    with opening_run.connect() as connection:
        openings = connection.execute(
            "SELECT game_id, list(action ORDER BY ply) FROM plies WHERE ply < 4 GROUP BY game_id ORDER BY game_id"
        ).fetchall()
        lengths = connection.execute(
            "SELECT count(*) FROM games WHERE plies != (SELECT count(*) FROM plies p WHERE p.game_id = games.game_id)"
        ).fetchall()
    by_block = [{tuple(actions) for game, actions in openings if game // 6 == block} for block in range(4)]
    assert [len(found) for found in by_block] == [1] * 4
    assert len(set.union(*by_block)) == 4
    assert lengths == [(0,)]
    path = tmp_path / "swapped.duckdb"
    shutil.copyfile(opening_run.path, path)
    with duckdb.connect(path) as connection:  # the same games under another seed
        connection.execute("UPDATE run SET seed = 8, design = replace(design, '\"seed\":7', '\"seed\":8')")
    with pytest.raises(
        VerificationFailed, match=r"game 1, move 1: opening: the file has .*, by seed and block it is"
    ):
        verify_run(Run(path), workers=1)


def test_the_plain_rules_play_openings_as_the_kernel_does(
    catalogue: Catalogue,
    tmp_path: Path,
    read_contents: Callable[[Run], Contents],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, opening in (("blokus-duo", None), ("bloxx-2p", 3)):
        planned = design_comparison(
            catalogue.find_ruleset(name), ["greedy", "random"], blocks=3, seed=9, opening=opening
        )
        monkeypatch.setenv("REROLL_KERNELS", "1")
        compiled = simulate_run(planned, tmp_path / f"{name}-kernel.duckdb", workers=1)
        monkeypatch.setenv("REROLL_KERNELS", "0")
        plain = simulate_run(planned, tmp_path / f"{name}-rules.duckdb", workers=1)
        assert read_contents(compiled) == read_contents(plain)


@pytest.fixture
def stopping_design(catalogue: Catalogue) -> Design:
    """Return a comparison that stops at its first look, after 100 blocks."""
    return design_comparison(
        catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], until_decided=True, seed=5, log="scores"
    )


def test_a_comparison_goes_on_until_every_pair_is_decided(catalogue: Catalogue, tmp_path: Path) -> None:
    lineup = ["noisy:sigma=2", "noisy:sigma=2.01", "random"]
    planned = design_comparison(
        catalogue.find_ruleset("bloxx-2p"), lineup, blocks=200, until_decided=True, seed=5, log="scores"
    )
    run = simulate_run(planned, tmp_path / "run.duckdb", workers=1)
    decisions = [pair.decision for pair in compare_strategies(run).pairs]
    assert decisions == ["undecided", "more", "more"]
    assert run.design.blocks == 200, "the first look comes after 100 blocks"


def test_workers_change_nothing_in_a_comparison_until_decided(
    stopping_design: Design, tmp_path: Path, read_contents: Callable[[Run], Contents]
) -> None:
    alone = simulate_run(stopping_design, tmp_path / "alone.duckdb", workers=1)
    pair = simulate_run(stopping_design, tmp_path / "pair.duckdb", workers=2)
    assert read_contents(alone) == read_contents(pair)
    assert alone.summary.games == 200  # decided at the first look
    verify_run(alone, workers=1)
    found = compare_strategies(alone)
    assert (found.is_sequential, found.pairs[0].decision) == (True, "more")
    assert found.pairs[0].verdict.kind == "more"
    assert "at every look" in write_comparison(found)


def test_equality_within_a_margin_and_the_end_of_the_budget_stop_too(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    ruleset = catalogue.find_ruleset("bloxx-2p")
    close = ["random", "random"]
    planned = design_comparison(
        ruleset, ["greedy", "random"], blocks=300, until_decided=True, margin=500.0, seed=1, log="scores"
    )
    assert compare_strategies(simulate_run(planned, tmp_path / "margin.duckdb", workers=1)).blocks == 100
    with pytest.raises(InvalidError, match="against itself never differs"):
        design_comparison(ruleset, close, until_decided=True)
    spent = design_comparison(
        ruleset, ["greedy", "random"], blocks=300, until_decided=True, metric="win", seed=1, log="scores"
    )
    judged = make_stopping_rule(spent)
    assert judged.judge_differences(np.tile([1.0, -1.0], 150)).is_over
    assert judged.judge_differences(np.tile([1.0, -1.0], 100)).is_over is False


def test_only_complete_looks_stop_a_run(stopping_design: Design, tmp_path: Path) -> None:
    """Shards after a missing shard, or too few for a look, do not stop the run."""
    planned = stopping_design.model_copy(update={"shard_blocks": 50})
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    deciding = SequentialMonitor(partial)
    for number, needed in ((1, None), (2, None), (0, 100)):
        play_shard(partial.folder, planned.model_dump_json(), number)
        assert deciding.blocks_needed() == needed
    shorter = partial.shorten(100)
    assert (shorter.games, shorter.games_done, shorter.finished_shards) == (200, 200, {0, 1})
    assert sorted(path.name for path in partial.shards_folder.iterdir()) == ["000000", "000001"]
    assert resume_run(shorter, workers=1).summary.games == 200


def test_a_run_that_was_killed_while_it_was_shortened_ends_as_the_shorter_one(
    stopping_design: Design, tmp_path: Path
) -> None:
    planned = stopping_design.model_copy(update={"shard_blocks": 50})
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    for number in range(4):
        play_shard(partial.folder, planned.model_dump_json(), number)
    shorter = planned.model_copy(update={"blocks": 100})
    (partial.folder / "design.json").write_text(shorter.model_dump_json(), encoding="utf-8")
    found = UnfinishedRun(partial.folder)
    assert (found.finished_shards, found.games_done) == ({0, 1}, 200)
    assert resume_run(found, workers=1).summary.games == 200


@pytest.mark.usefixtures("plain_rules")
def test_a_killed_comparison_is_resumed_to_the_same_content(
    start_process: StartProcess,
    catalogue: Catalogue,
    library: Library,
    read_contents: Callable[[Run], Contents],
) -> None:
    library.runs_folder.mkdir(parents=True)
    partial = UnfinishedRun(library.runs_folder / "killed.partial")
    words = [
        "compare",
        "bloxx-2p",
        "greedy",
        "random",
        "--until-decided",
        "--blocks",
        "120",
        "--seed",
        "9",
    ]
    with start_process(
        [sys.executable, "-m", "pipelines", *words, "--workers", "1", "--out", str(partial.target)],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "REROLL_DATA": str(library.folder)},
    ) as process:
        end = time.monotonic() + 60
        while not partial.folder.exists() or not partial.finished_shards:
            assert time.monotonic() < end
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert 0 < partial.games_done < 200
    live = compare_live_run(partial)
    assert (live.is_finished, live.games) == (False, partial.games_done)
    assert write_comparison(live).startswith(f"so far, after {live.blocks} of at most 120 blocks: ")
    resumed = resume_run(library.unfinished_run("killed"), workers=1)
    planned = design_comparison(
        catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=120, until_decided=True, seed=9
    )
    calm = simulate_run(planned, library.runs_folder / "calm.duckdb", workers=1)
    assert read_contents(resumed) == read_contents(calm)
    assert resumed.summary.games == 200


def test_a_stopped_comparison_can_be_reported_and_resumed(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "MOMENT_SECONDS", 0)

    def interrupt(done: int, _games: int, _left: float | None) -> None:
        if done:
            raise KeyboardInterrupt

    planned = design_comparison(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=320, seed=2)
    with pytest.raises(RunStopped) as stopped:
        simulate_run(planned, tmp_path / "run.duckdb", workers=1, progress=interrupt)
    partial = stopped.value.partial
    found = compare_strategies(partial)
    assert 0 < found.games < planned.games
    assert write_comparison(found).startswith(f"so far, after {found.blocks} of 320 blocks: greedy beats")
    finished = compare_strategies(resume_run(partial, workers=1))
    assert finished.games == planned.games
    assert write_comparison(finished).startswith("greedy beats")


def test_a_live_comparison_sorts_shards_by_their_blocks(catalogue: Catalogue, tmp_path: Path) -> None:
    planned = design_comparison(
        catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=40, seed=2, log="scores"
    )
    planned = planned.model_copy(update={"shard_blocks": 10})
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    for number in (3, 1):
        play_shard(partial.folder, planned.model_dump_json(), number)
    found = compare_live_run(partial)
    whole = resume_run(partial, workers=1)
    with whole.connect() as connection:
        values = pair_columns(read_outcomes(connection, planned), (0, 1), METRICS["score"]).differences
    assert found.blocks == 20
    assert write_comparison(found).startswith("so far, after 20 of 40 blocks: ")
    assert found.pairs[0].difference is not None
    assert math.isclose(
        found.pairs[0].difference.estimate, np.concatenate([values[10:20], values[30:]]).mean()
    )
