"""Sealing writes every value once, and its file wastes no space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.designs import design_simulation
from pipelines.runs.seal import Sealing, sealed_file_path
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.shards import play_shard

if TYPE_CHECKING:
    from pathlib import Path

    from engine.ruleset import Ruleset


def test_sealing_writes_no_log_beside_the_file(ruleset: Ruleset, tmp_path: Path) -> None:
    design = design_simulation(ruleset, ["random", "random"], blocks=2)
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    for number in range(len(design.shards)):
        play_shard(partial.folder, design.model_dump_json(), number)
    with Sealing(partial) as sealing:
        sealing.take_shards()
        built = sealed_file_path(partial)
        assert [path.name for path in built.parent.glob("sealed*")] == [built.name]
        run = sealing.finish(lambda: 1.0)
    assert run.summary.games == design.games
    with run.connect() as connection:
        logged = connection.execute("SELECT count(*), count(DISTINCT game_id) FROM plies").fetchall()[0]
        expected = connection.execute("SELECT sum(plies), count(*) FROM games").fetchall()[0]
    assert logged == expected
