"""Playing a range of blocks and writing them as a shard: there at once or not at all."""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from engine import games
from engine.game import GameError
from engine.luck import Luck
from engine.play import Decisions, play_out
from pipelines import batches
from pipelines.columns import Columns, Played, PlayError
from pipelines.design import Design
from pipelines.partial import SHARD_TABLES, Partial, synced
from pipelines.sums import ply_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from engine.game import State
    from engine.luck import Source


def play_shard(folder: Path, document: str, number: int) -> int:
    """Play a shard of an unfinished run and put it in its place; return its games, or 0 if asked to stop.

    `document` is the design as JSON. A compiled game plays it where there is one, the plain rules where not: the
    games are the same. Raises PlayError if a strategy or the rules fail in a game, OSError if the shard cannot be
    written.
    """
    partial, design = Partial(folder), _design(document)
    blocks = design.shards[number]
    if partial.is_cancelled:
        return 0
    compiled = batches.kernel(design)
    tables = batches.tables(design, compiled, blocks) if compiled else _by_rules(partial, design, blocks)
    if tables is None:
        return 0
    _write(partial, number, tables)
    return len(blocks) * design.rotations


def _by_rules(partial: Partial, design: Design, blocks: range) -> Mapping[str, pa.Table] | None:
    """Play blocks by the plain rules; None if asked to stop."""
    columns = Columns()
    for block in blocks:
        if partial.is_cancelled:
            return None
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation))
    return {table: columns.table(table) for table in SHARD_TABLES}


@lru_cache(maxsize=1)
def _design(document: str) -> Design:
    """Read a design once for all shards: to check a ruleset and number its actions takes longer than a game."""
    return Design.from_document(document, "design")


def play_game(design: Design, block: int, rotation: int) -> Played:
    """Play one game of a design; raise PlayError if a strategy or the rules fail."""
    ruleset, luck = design.rules, Luck(design.seed, block)
    deciders = {player.name: player.decide for player in design.players}
    witness = _Witness()
    seated = [witness.of(deciders[name], name) for name in design.seated(rotation)]
    try:
        end, plies = play_out(games.start(ruleset), seated, luck, witness)
    except Exception as error:
        game_id = design.game_id(block, rotation)
        raise PlayError(
            f"game {game_id} (block {block}, rotation {rotation}), {witness}: {_told(error)}"
        ) from error
    return Played(block, rotation, end, plies)


class _Witness(Decisions):
    """Remembers who decided last, so that an error can say where the game was."""

    def __init__(self) -> None:
        super().__init__()
        self._last = "before the first decision"

    def of(self, decide: Callable[[State, Source], int], name: str) -> Callable[[State, Source], int]:
        def decided(state: State, source: Source) -> int:
            self._last = f"round {state.round}, seat {state.seat} ({name})"
            return decide(state, source)

        return decided

    def __str__(self) -> str:
        return self._last


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, GameError) else f"{type(error).__name__}: {error}"


def _varied(schema: pa.Schema) -> list[str]:
    """Return the columns that are written with a dictionary: a column in order is smaller, and quicker, without."""
    return [field.name for field in schema if field.name not in {"game_id", "ply", "round", "seat"}]


def _write(partial: Partial, number: int, tables: Mapping[str, pa.Table]) -> None:
    """Write a shard beside the others and move it among them in one step."""
    writing = partial.folder / "writing" / f"{number:06}-{os.getpid()}"
    writing.mkdir(parents=True)
    for name, table in (*tables.items(), *ply_sums(tables).items()):
        path = writing / f"{name}.parquet"
        pq.write_table(table, path, compression="lz4", use_dictionary=_varied(table.schema))
        synced(path)
    synced(writing)
    place = partial.shards_folder / f"{number:06}"
    if place.exists():  # another process was quicker; equal designs give equal shards
        shutil.rmtree(writing)
        return
    writing.rename(place)
    synced(partial.shards_folder)
