"""Seal games that are complete already, such as imported games and games by hand, as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.runs.schema import SHARD_TABLES
from pipelines.runs.seal import Sealing
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.shard_tables import ShardColumns
from pipelines.simulate.shards import write_shard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pipelines.design.design import Design
    from pipelines.runs.run import Run
    from pipelines.simulate.shard_tables import PlayedGame


def seal_finished_games(
    design: Design, games: Iterator[PlayedGame], target: Path, *, free_name: bool = True
) -> Run:
    """Write the games of a design, in their order, and return the run at `target`; with `free_name`, at the next free name.

    If `games` raises an error, no file is left behind.
    """
    partial = begin_run(target, design, free_name=free_name)
    try:
        with partial.claim(), Sealing(partial) as sealing:
            for number, blocks in enumerate(design.shards):
                columns = ShardColumns()
                for _ in range(len(blocks) * design.rotations):
                    columns.add_game(design, next(games))
                write_shard(partial, number, {table: columns.build_table(table) for table in SHARD_TABLES})
                sealing.take_shards()
            return sealing.finish(lambda: partial.seconds)
    except BaseException:
        if partial.folder.exists():
            partial.discard()
        raise
