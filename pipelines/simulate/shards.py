"""Playing a range of blocks and writing them as a shard: there at once or not at all."""

from __future__ import annotations

import secrets
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from engine.play import play_out
from pipelines.design.design import Design
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.runs.unfinished_run import SHARD_TABLES, UnfinishedRun, sync_to_disk
from pipelines.simulate import compiled_games
from pipelines.simulate.checked_players import DecisionTracker
from pipelines.simulate.from_prefix import begin_game, luck_of_block
from pipelines.simulate.shard_rollups import ply_sums
from pipelines.simulate.shard_tables import PlayedGame, ShardColumns
from pipelines.simulate.time_limit import DecisionInterrupted, DecisionTimeout, Guard

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa


def play_shard(folder: Path, document: str, number: int, own: OwnStrategies = BUILT_IN_ONLY) -> int:
    """Play a shard of an unfinished run and put it in its place; return its games, or 0 if asked to stop.

    `document` is the design as JSON, `own` what a person has named to play it. A compiled game plays it where there is one, the plain rules where not: the
    games are the same. Raises PlayError if a strategy or the rules fail in a game, OSError if the shard cannot be
    written.
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
    """Play blocks by the plain rules; None if asked to stop."""
    if not design.has_own_strategies:
        return _play_block_games(partial, design, blocks, None)
    writing, seconds = partial.folder / "writing", design.own_strategies.decision_seconds
    try:
        with Guard(writing, seconds, lambda: partial.is_cancelled) as guard:
            return _play_block_games(partial, design, blocks, guard)
    except DecisionInterrupted:
        return None


def _play_block_games(
    partial: UnfinishedRun, design: Design, blocks: range, guard: Guard | None
) -> Mapping[str, pa.Table] | None:
    columns = ShardColumns()
    for block in blocks:
        if partial.is_cancelled:
            return None
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation, guard))
    return {table: columns.build_table(table) for table in SHARD_TABLES}


@lru_cache(maxsize=1)
def _load_design(document: str, own: OwnStrategies) -> Design:
    """Read a design once for all shards: to check a ruleset and number its actions takes longer than a game."""
    design = Design.from_document(document, "design")
    return design if own == BUILT_IN_ONLY else design.with_own_strategies(own, "the run")


def play_game(design: Design, block: int, rotation: int, guard: Guard | None = None) -> PlayedGame:
    """Play one game of a design; raise PlayError if a strategy or the rules fail.

    Strategies of somebody's own may take all the time they like, unless there is a guard.
    """
    witness = DecisionTracker(design.game_id(block, rotation), guard)
    deciders = {player.name: witness.wrap_player(player) for player in design.players}
    seated = [deciders[name] for name in design.strategies_by_seat(rotation)]
    try:
        state, witness.plies[:] = begin_game(design, block, rotation)
        end, plies = play_out(state, seated, luck_of_block(design, block), witness, witness.plies)
    except (Exception, DecisionTimeout) as error:
        if isinstance(error, MemoryError) and not design.has_own_strategies:
            raise  # no fault of a strategy of ours
        raise witness.make_play_error(error) from error
    return PlayedGame(block, rotation, end, plies)


def _dictionary_columns(schema: pa.Schema) -> list[str]:
    """Return the columns that are written with a dictionary: a column in order is smaller, and quicker, without."""
    return [field.name for field in schema if field.name not in {"game_id", "ply", "round", "seat"}]


def write_shard(partial: UnfinishedRun, number: int, tables: Mapping[str, pa.Table]) -> None:
    """Write a shard beside the others and move it among them in one step."""
    # a name that no process has, on no machine: of a shard that was handed out again, both may be writing
    writing = partial.folder / "writing" / f"{number:06}-{secrets.token_hex(8)}"
    writing.mkdir(parents=True)
    for name, table in (*tables.items(), *ply_sums(tables).items()):
        path = writing / f"{name}.parquet"
        pq.write_table(table, path, compression="lz4", use_dictionary=_dictionary_columns(table.schema))
        sync_to_disk(path)
    sync_to_disk(writing)
    place = partial.shards_folder / f"{number:06}"
    try:
        writing.rename(place)
    except OSError:
        if not place.exists():
            raise
        shutil.rmtree(writing)  # another process was quicker; equal designs give equal shards
    sync_to_disk(partial.shards_folder)
