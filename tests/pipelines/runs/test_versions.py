"""Versions of strategies: a run records them, and nobody plays or checks a run with other ones without a word."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb
import pytest

from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.runs.versions import describe_other_strategies, strategy_versions
from pipelines.simulate.shards import play_shard
from pipelines.simulate.simulate import resume_run
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design

OLDER = "greedy 1, now 2"


@pytest.fixture
def design(ruleset: Ruleset) -> Design:
    return design_simulation(ruleset, ["greedy", "random"], blocks=4, seed=3).model_copy(
        update={"shard_blocks": 2}
    )


@pytest.fixture
def unfinished(design: Design, tmp_path: Path) -> UnfinishedRun:
    """A run with one of its two shards."""
    partial = begin_run(tmp_path / "half.duckdb", design, free_name=False)
    play_shard(partial.folder, design.model_dump_json(), 0)
    return partial


def set_strategy_versions(path: Path, strategies: dict[str, int]) -> None:
    """Write other versions of strategies into a run file."""
    path.chmod(0o644)
    with duckdb.connect(path) as connection:
        ((text,),) = connection.execute("SELECT versions FROM run").fetchall()
        connection.execute(
            "UPDATE run SET versions = ?", [json.dumps({**json.loads(text), "strategies": strategies})]
        )


def test_a_run_records_the_versions_of_the_strategies_that_played(unfinished: UnfinishedRun) -> None:
    run = resume_run(unfinished, workers=1)
    assert run.versions["strategies"] == {"greedy": 2, "random": 1}
    assert describe_other_strategies(run.versions, run.design) == ""


def test_games_that_reroll_did_not_play_have_no_strategies_of_a_version(
    design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(design), "has_finished_games", True)
    assert strategy_versions(design) == {}


@pytest.mark.parametrize("recorded", [None, "no record", {}, {"greedy": 1}, {"greedy": 1, "random": 1}])
def test_a_run_without_versions_of_strategies_was_played_by_the_first_ones(
    design: Design, recorded: object
) -> None:
    assert describe_other_strategies({"strategies": recorded}, design) == OLDER
    assert describe_other_strategies({}, design) == OLDER


def test_verify_says_that_an_older_version_played(unfinished: UnfinishedRun) -> None:
    run = resume_run(unfinished, workers=1)
    set_strategy_versions(run.path, {"greedy": 1, "random": 1})
    result = run_reroll("verify", run.path, "--workers", 1)
    assert (result.exit_code, result.stdout) == (
        0,
        f"half: all 8 games agree with the rules\nother versions of its strategies played: {OLDER}\n",
    )
    (check,) = json.loads(run_reroll("verify", run.path, "--workers", 1, "--json").stdout)
    assert check["other_versions"] == OLDER


def test_verify_explains_other_games_by_an_older_version(ruleset: Ruleset, tmp_path: Path) -> None:
    options = ("--strategies", "greedy,random", "--blocks", 4, "--log", "scores", "--out", tmp_path / "made")
    assert run_reroll("simulate", ruleset.name, *options).exit_code == 0
    path = tmp_path / "older.duckdb"
    path.write_bytes((tmp_path / "made.duckdb").read_bytes())  # this process has the other file open
    set_strategy_versions(path, {"greedy": 1})
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE games SET plies = plies + 1 WHERE game_id = 5")
    result = run_reroll("verify", path, "--workers", 1)
    assert result.exit_code == 1
    assert result.stdout.endswith(f" (other versions of its strategies played: {OLDER})\n")


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ({"strategies": {"greedy": 1, "random": 1}}, OLDER),
        ({"rules": 0, "strategies": {"greedy": 2, "random": 1}}, "rules 0, now "),
        (None, OLDER),
    ],
)
def test_no_other_version_plays_a_run_on(
    unfinished: UnfinishedRun, recorded: dict[str, object] | None, said: str
) -> None:
    """Without the file, Reroll 0.4.0 or an earlier version began the run."""
    file = unfinished.folder / "versions.json"
    file.unlink()
    if recorded is not None:
        file.write_text(json.dumps(recorded), encoding="utf-8")
    with pytest.raises(InvalidError, match=f"half: other versions began the run .{said}"):
        resume_run(UnfinishedRun(unfinished.folder), workers=1)
    assert "play its games again, after: reroll rm half" in unfinished.describe_ways_on()
    assert unfinished.finished_shards == {0}
