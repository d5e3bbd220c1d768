"""Verify results of games without plies: the games are played again from the seed, as `simulate` plays them, and compared."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import closing
from importlib import metadata
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.design.design import MAX_RUN_SHARDS
from pipelines.design.own_strategies import BUILT_IN_ONLY
from pipelines.runs.schema import SHARD_TABLES
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate import compiled_games
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.shards import blocks_per_shard
from pipelines.simulate.simulate import ProgressClock, WorkerSettings, play_shards
from pipelines.simulate.verify_games import check_equal

if TYPE_CHECKING:
    import duckdb

    from pipelines.design.design import Design
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.simulate.simulate import ProgressCallback

SAMPLED_GAMES_PER_SHARD: Final = 10
"""Games of a shard when only a sample is played again. Small shards spread the sample over the run."""
COMPARED_COLUMNS: Final = {
    "games": "game_id, ruleset, block, rotation, rounds, plies, logged",
    "seats": "game_id, seat, strategy, score, rank, win_share",
    "parts": "game_id, seat, part, count, points",
    "plies": "game_id, ply, action",
}
"""The columns of each file of a shard that must be the same in the run file. All others of `plies` follow from the rules."""


def find_obstacle(design: Design, own: OwnStrategies) -> str | None:
    """Return why the games of a design cannot be played again here, in words that follow "because"; None if they can be."""
    if design.has_finished_games:
        return "they were not played by Reroll"
    if design.has_programs:
        return "a program may decide otherwise each time"
    if design.has_own_strategies and own == BUILT_IN_ONLY:
        return "not all strategies are built in"
    return None


def compare_with_new_games(  # noqa: PLR0913 - the limits of the check, passed by name
    run: Run,
    design: Design,
    *,
    workers: int,
    own: OwnStrategies,
    progress: ProgressCallback | None,
    most: int | None,
    seconds: float | None,
) -> int:
    """Play the games of a run again and compare every result; return the number of games that were compared.

    With `most`, about so many games are played, spread evenly; with `seconds`, only until so many seconds have passed.
    Raises VerificationFailed at the first game whose result differs, and what `play_shards` raises.
    """
    design = design.with_own_strategies(own, run.name)
    end = None if seconds is None else time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="reroll-verify-", ignore_cleanup_errors=True) as folder:
        shard_blocks = _blocks_of_sample(design) if most or end else blocks_per_shard(design)
        design = design.model_copy(update={"shard_blocks": shard_blocks})
        partial = begin_run(Path(folder) / "again.duckdb", design, free_name=False)
        todo = _spread_shards(design, most)
        clock = ProgressClock(
            sum(len(design.shards[number]) for number in todo) * design.rotations, 0, progress
        )
        compared, waiting = 0, todo.copy()
        with (
            partial.claim(),
            compiled_games.compile_in_background(design),
            run.connect() as connection,
            closing(play_shards(partial, todo, WorkerSettings(workers, None))) as game_counts,
        ):
            for games in game_counts:
                # in order, so that the first game that differs is reported
                while waiting and waiting[0] in partial.finished_shards:
                    try:
                        compared += _compare_shard(partial, connection, waiting.pop(0))
                    except VerificationFailed as fault:
                        raise VerificationFailed(f"{fault}{_describe_other_version(run)}") from None
                clock.advance(games)
                if end is not None and time.monotonic() > end:
                    break
        return compared


def _describe_other_version(run: Run) -> str:
    """Return what may explain a difference: another Reroll made the run. Return nothing if it was this one."""
    made, here = run.versions.get("reroll"), metadata.version("reroll")
    if made == here:
        return ""
    return f" (Reroll {made!s:.20} made the run; the strategies of this one, {here}, may decide otherwise)"


def _blocks_of_sample(design: Design) -> int:
    """Return the number of blocks of a small shard."""
    return max(1, SAMPLED_GAMES_PER_SHARD // design.rotations, ceil(design.blocks / MAX_RUN_SHARDS))


def _spread_shards(design: Design, most: int | None) -> list[int]:
    """Return the numbers of all shards, or of shards that have about `most` games together, spread evenly."""
    last = len(design.shards) - 1
    if most is None or most >= design.games or not last:
        return list(range(last + 1))
    wanted = min(last + 1, max(2, most // (len(design.shards[0]) * design.rotations)))
    return sorted({number * last // (wanted - 1) for number in range(wanted)})


def _compare_shard(partial: UnfinishedRun, connection: duckdb.DuckDBPyConnection, number: int) -> int:
    """Compare the games of a finished shard with those of a run file, remove the shard, and return the number of games."""
    design, folder = partial.design, partial.shards_folder / f"{number:06}"
    blocks = design.shards[number]
    span = [design.game_id(blocks.start, 0), design.game_id(blocks.stop, 0)]
    for file, columns in COMPARED_COLUMNS.items():
        again = pq.read_table(folder / f"{file}.parquet", columns=columns.split(", "))
        order = "game_id, rowid" if file == "parts" else columns
        in_file = connection.sql(
            f"SELECT {columns} FROM file.main.{SHARD_TABLES[file]} "  # noqa: S608 - constant names
            f"WHERE game_id >= ? AND game_id < ? ORDER BY {order}",
            params=span,
        ).to_arrow_table()
        _compare_tables(file, in_file, again)
    shutil.rmtree(folder)
    return span[1] - span[0]


def _compare_tables(table: str, in_file: pa.Table, again: pa.Table) -> None:
    """Raise VerificationFailed at the first row of the two tables that differs; both are ordered by game."""
    rows = min(len(in_file), len(again))
    first = rows
    for column in again.column_names:
        kind = pa.string() if pa.types.is_dictionary(again[column].type) else again[column].type
        same = pc.equal(in_file[column][:first].cast(kind), again[column][:first].cast(kind))
        place = pc.index(same.fill_null(fill_value=False), value=False).as_py()
        first = first if place < 0 else place
    if first == rows and len(in_file) == len(again):
        return
    found, played = (other.slice(first, 1).to_pylist() for other in (in_file, again))
    row = (played or found)[0]
    where = f"game {row['game_id'] + 1}"
    where += (
        f", player {row['seat'] + 1}" if "seat" in row else f", move {row['ply'] + 1}" if "ply" in row else ""
    )
    if not found or not played:
        raise VerificationFailed(f"{where}: table {table} has {'too few' if not found else 'too many'} rows")
    for column, value in row.items():
        name = f"{row['part']} {column}" if table == "parts" else column
        check_equal(f"{where}: {name}", found[0][column], value, "played again from the seed")
