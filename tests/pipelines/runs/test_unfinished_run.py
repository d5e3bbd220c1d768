"""Unfinished runs: folders with unusual names, and folders that hold something else than a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.design.designs import design_comparison, design_simulation
from pipelines.experiments.comparison import compare_strategies
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate.shards import play_shard
from pipelines.simulate.simulate import resume_run
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from pathlib import Path

    from engine.ruleset import Ruleset


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "sigma=1",
        "score=x",
        "a[bc]",
        "[!a]",
        "star*",
        "**",
        "{a,b}",
        "it's",
        'a"b',
        "50%",
        "a;b",
        "a\nb",
        "#1",
    ],
)
def test_a_folder_of_any_name_holds_a_comparison_that_can_be_read_resumed_and_verified(
    ruleset: Ruleset, tmp_path: Path, name: str
) -> None:
    planned = design_comparison(
        ruleset, ["greedy", "random"], blocks=200, until_decided=True, seed=3, log="sample=0.1"
    )
    planned = planned.model_copy(update={"shard_blocks": 100})
    partial = begin_run(tmp_path / name / "run.duckdb", planned, free_name=False)
    play_shard(partial.folder, planned.model_dump_json(), 0)
    assert compare_strategies(UnfinishedRun(partial.folder)).blocks == 100
    run = resume_run(UnfinishedRun(partial.folder), workers=1)
    assert run.path == tmp_path / name / "run.duckdb"
    verify_run(run, workers=1)


@pytest.mark.parametrize(("name", "neighbour"), [("a[bc]", "ab"), ("a*", "ab"), ("**", "ab")])
def test_a_folder_with_a_wildcard_in_its_name_is_not_mixed_up_with_another_folder(
    ruleset: Ruleset, tmp_path: Path, name: str, neighbour: str
) -> None:
    for folder, games in ((name, 4), (neighbour, 6)):
        design = design_simulation(ruleset, ["random", "random"], blocks=games)
        partial = begin_run(tmp_path / folder / "run.duckdb", design, free_name=False)
        for number in range(len(partial.design.shards)):
            play_shard(partial.folder, partial.design.model_dump_json(), number)
    partial = UnfinishedRun(tmp_path / name / "run.partial")
    with partial.connect() as connection:
        assert connection.execute("SELECT count(*) FROM games").fetchall() == [(4,)]
    assert resume_run(partial, workers=1).summary.games == 4


@pytest.mark.parametrize("character", ["?", "\\"])
def test_a_path_that_duckdb_cannot_write_is_refused_before_anything_is_played(
    ruleset: Ruleset, tmp_path: Path, character: str
) -> None:
    design = design_simulation(ruleset, ["random", "random"], blocks=1)
    with pytest.raises(InvalidError, match="DuckDB cannot write files whose path contains"):
        begin_run(tmp_path / f"a{character}b" / "run.duckdb", design, free_name=False)
    assert list(tmp_path.iterdir()) == []


def test_a_shard_just_beyond_the_end_does_not_count(ruleset: Ruleset, tmp_path: Path) -> None:
    """A killed process may leave it behind when it shortens a run."""
    design = design_comparison(ruleset, ["greedy", "random"], blocks=20, seed=3)
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    for number in (0, len(design.shards)):
        (partial.shards_folder / f"{number:06}").mkdir()
    assert partial.finished_shards == {0}
