"""Playing a range of blocks and writing them as a shard: there at once or not at all."""

from __future__ import annotations

import secrets
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from engine.play import play_out
from pipelines.design.design import Design
from pipelines.design.own_strategies import NOTHING, Own
from pipelines.runs.unfinished_run import SHARD_TABLES, Partial, synced
from pipelines.simulate import compiled_games
from pipelines.simulate.checked_players import Witness
from pipelines.simulate.from_prefix import begun, luck_of
from pipelines.simulate.shard_rollups import ply_sums
from pipelines.simulate.shard_tables import Columns, Played
from pipelines.simulate.time_limit import Guard, Halted, TooLong

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa


def play_shard(folder: Path, document: str, number: int, own: Own = NOTHING) -> int:
    """Play a shard of an unfinished run and put it in its place; return its games, or 0 if asked to stop.

    `document` is the design as JSON, `own` what a person has named to play it. A compiled game plays it where there is one, the plain rules where not: the
    games are the same. Raises PlayError if a strategy or the rules fail in a game, OSError if the shard cannot be
    written.
    """
    partial, design = Partial(folder), _design(document, own)
    blocks = design.shards[number]
    if partial.is_cancelled:
        return 0
    compiled = compiled_games.kernel(design)
    tables = (
        compiled_games.tables(design, compiled, blocks) if compiled else _by_rules(partial, design, blocks)
    )
    if tables is None:
        return 0
    write_shard(partial, number, tables)
    return len(blocks) * design.rotations


def _by_rules(partial: Partial, design: Design, blocks: range) -> Mapping[str, pa.Table] | None:
    """Play blocks by the plain rules; None if asked to stop."""
    if not design.is_own:
        return _blocks(partial, design, blocks, None)
    writing, seconds = partial.folder / "writing", design.own.decision_seconds
    try:
        with Guard(writing, seconds, lambda: partial.is_cancelled) as guard:
            return _blocks(partial, design, blocks, guard)
    except Halted:
        return None


def _blocks(
    partial: Partial, design: Design, blocks: range, guard: Guard | None
) -> Mapping[str, pa.Table] | None:
    columns = Columns()
    for block in blocks:
        if partial.is_cancelled:
            return None
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation, guard))
    return {table: columns.table(table) for table in SHARD_TABLES}


@lru_cache(maxsize=1)
def _design(document: str, own: Own) -> Design:
    """Read a design once for all shards: to check a ruleset and number its actions takes longer than a game."""
    design = Design.from_document(document, "design")
    return design if own == NOTHING else design.played_by(own, "the run")


def play_game(design: Design, block: int, rotation: int, guard: Guard | None = None) -> Played:
    """Play one game of a design; raise PlayError if a strategy or the rules fail.

    Strategies of somebody's own may take all the time they like, unless there is a guard.
    """
    witness = Witness(design.game_id(block, rotation), guard)
    deciders = {player.name: witness.of(player) for player in design.players}
    seated = [deciders[name] for name in design.seated(rotation)]
    try:
        state, witness.plies[:] = begun(design, block, rotation)
        end, plies = play_out(state, seated, luck_of(design, block), witness, witness.plies)
    except (Exception, TooLong) as error:
        if isinstance(error, MemoryError) and not design.is_own:
            raise  # no fault of a strategy of ours
        raise witness.wrong(error) from error
    return Played(block, rotation, end, plies)


def _varied(schema: pa.Schema) -> list[str]:
    """Return the columns that are written with a dictionary: a column in order is smaller, and quicker, without."""
    return [field.name for field in schema if field.name not in {"game_id", "ply", "round", "seat"}]


def write_shard(partial: Partial, number: int, tables: Mapping[str, pa.Table]) -> None:
    """Write a shard beside the others and move it among them in one step."""
    # a name that no process has, on no machine: of a shard that was handed out again, both may be writing
    writing = partial.folder / "writing" / f"{number:06}-{secrets.token_hex(8)}"
    writing.mkdir(parents=True)
    for name, table in (*tables.items(), *ply_sums(tables).items()):
        path = writing / f"{name}.parquet"
        pq.write_table(table, path, compression="lz4", use_dictionary=_varied(table.schema))
        synced(path)
    synced(writing)
    place = partial.shards_folder / f"{number:06}"
    try:
        writing.rename(place)
    except OSError:
        if not place.exists():
            raise
        shutil.rmtree(writing)  # another process was quicker; equal designs give equal shards
    synced(partial.shards_folder)
