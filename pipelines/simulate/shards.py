"""Play the blocks of one shard and write them to disk as Parquet files.

A shard appears under its final name in one step: it is complete or absent.
"""

from __future__ import annotations

import secrets
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from engine.play import play_out
from pipelines.design.design import Design
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.runs.schema import SHARD_TABLES
from pipelines.runs.unfinished_run import UnfinishedRun, sync_to_disk
from pipelines.simulate import compiled_games
from pipelines.simulate.checked_players import DecisionTracker
from pipelines.simulate.from_prefix import begin_game, luck_of_block
from pipelines.simulate.shard_rollups import ply_sums
from pipelines.simulate.shard_tables import PlayedGame, ShardColumns
from pipelines.simulate.time_limit import DecisionInterrupted, DecisionTimeout, DecisionTimer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa


def play_shard(folder: Path, document: str, number: int, own: OwnStrategies = BUILT_IN_ONLY) -> int:
    """Play a shard of the unfinished run in `folder` and write it; return its games, or 0 if the run was cancelled.

    `document` is the design as JSON, `own` holds the own strategies that play in it. The compiled game plays if there
    is one, else the plain rules do; the games are the same. Raises PlayError if a strategy or the rules fail in a
    game, OSError if the shard cannot be written.
    """
    partial, design = UnfinishedRun(folder), _load_design(document, own)
    blocks = design.shards[number]
    if partial.is_cancelled:
        return 0
    compiled = compiled_games.find_design_kernel(design)
    tables = (
        compiled_games.play_blocks(design, compiled, blocks)
        if compiled
        else _play_by_rules(partial, design, blocks)
    )
    if tables is None:
        return 0
    write_shard(partial, number, tables)
    return len(blocks) * design.rotations


def _play_by_rules(partial: UnfinishedRun, design: Design, blocks: range) -> Mapping[str, pa.Table] | None:
    """Return the tables of blocks that the plain rules play, or None if the run was cancelled."""
    if not design.has_own_strategies:
        return _play_block_games(partial, design, blocks, None)
    writing, seconds = partial.folder / "writing", design.own_strategies.decision_seconds
    try:
        with DecisionTimer(writing, seconds, lambda: partial.is_cancelled) as timer:
            return _play_block_games(partial, design, blocks, timer)
    except DecisionInterrupted:
        return None


def _play_block_games(
    partial: UnfinishedRun, design: Design, blocks: range, timer: DecisionTimer | None
) -> Mapping[str, pa.Table] | None:
    columns = ShardColumns()
    for block in blocks:
        if partial.is_cancelled:
            return None
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation, timer))
    return {table: columns.build_table(table) for table in SHARD_TABLES}


@lru_cache(maxsize=1)
def _load_design(document: str, own: OwnStrategies) -> Design:
    """Read a design. It is cached, because checking a ruleset and numbering its actions takes longer than a game."""
    design = Design.from_document(document, "design")
    return design if own == BUILT_IN_ONLY else design.with_own_strategies(own, "the run")


def play_game(design: Design, block: int, rotation: int, timer: DecisionTimer | None = None) -> PlayedGame:
    """Play one game of a design by the plain rules. Raises PlayError if a strategy or the rules fail.

    `timer` limits the time of decisions by own strategies; without it they may take any time.
    """
    tracker = DecisionTracker(design.game_id(block, rotation), timer)
    deciders = {player.name: tracker.wrap_player(player) for player in design.players}
    seated = [deciders[name] for name in design.strategies_by_seat(rotation)]
    try:
        state, tracker.plies[:] = begin_game(design, block, rotation)
        end, plies = play_out(state, seated, luck_of_block(design, block), tracker, tracker.plies)
    except (Exception, DecisionTimeout) as error:
        if isinstance(error, MemoryError) and not design.has_own_strategies:
            raise  # built-in strategies are not to blame
        raise tracker.make_play_error(error) from error
    return PlayedGame(block, rotation, end, plies)


def _dictionary_columns(schema: pa.Schema) -> list[str]:
    """Return the columns to write with a dictionary. Sorted columns are smaller and faster without."""
    return [field.name for field in schema if field.name not in {"game_id", "ply", "round", "seat"}]


def write_shard(partial: UnfinishedRun, number: int, tables: Mapping[str, pa.Table]) -> None:
    """Write the tables of a shard, with their roll-ups, and move them to the finished shards in one step."""
    # a random name, because two workers may write the same shard if it was submitted again
    writing = partial.folder / "writing" / f"{number:06}-{secrets.token_hex(8)}"
    writing.parent.mkdir(exist_ok=True)  # fails if the folder of the run has vanished
    writing.mkdir()
    for name, table in (*tables.items(), *ply_sums(tables).items()):
        path = writing / f"{name}.parquet"
        pq.write_table(table, path, compression="lz4", use_dictionary=_dictionary_columns(table.schema))
        sync_to_disk(path)
    sync_to_disk(writing)
    finished = partial.shards_folder / f"{number:06}"
    try:
        writing.rename(finished)
    except OSError:
        if not finished.exists():
            raise
        shutil.rmtree(writing)  # another worker finished this shard first, with the same content
    sync_to_disk(partial.shards_folder)
