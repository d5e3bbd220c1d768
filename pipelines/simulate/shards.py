"""Play the blocks of one shard and write them to disk as Parquet files.

A shard appears under its final name in one step: it is complete or absent.
"""

from __future__ import annotations

import json
import secrets
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.play import play_out
from pipelines.design.design import read_ruleset
from pipelines.design.designs import read_design
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.runs.schema import SHARD_TABLES
from pipelines.runs.unfinished_run import UnfinishedRun, sync_to_disk
from pipelines.simulate import compiled_games
from pipelines.simulate.checked_players import (
    DecisionInterrupted,
    DecisionTimeout,
    DecisionTimer,
    DecisionTimes,
    DecisionTracker,
    find_rules_fault,
)
from pipelines.simulate.compiled_games import begin_game
from pipelines.simulate.errors import PlayError
from pipelines.simulate.shard_tables import DECISIONS_SCHEMA, PlayedGame, ShardColumns, join_rollups
from pipelines.simulate.timed_steps import timed_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from pipelines.design.design import Design

PART_SECONDS: Final = 0.5
"""About how long a compiled game plays before it looks whether the run was cancelled."""
MAX_PART_GROWTH: Final = 1000
"""How many times as many blocks a part may have as the part before. The first one is a block, in which most of the time may
pass outside of the game."""


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
    tables = _play_blocks(partial, design, blocks)
    if tables is None:
        return 0
    write_shard(partial, number, tables)
    return len(blocks) * design.rotations


def play_remote_shard(folder: Path, document: str, number: int, own: OwnStrategies = BUILT_IN_ONLY) -> int:
    """Do the same as `play_shard` on another machine, where nothing else compiles the game: compile it first."""
    compiled_games.ensure_compiled(_load_design(document, own))
    return play_shard(folder, document, number, own)


def _play_blocks(partial: UnfinishedRun, design: Design, blocks: range) -> Mapping[str, pa.Table] | None:
    """Return the tables of blocks, or None if the run was cancelled.

    The plain rules play until the compiled game is ready, which another process may be compiling.
    """
    compiled = compiled_games.find_design_kernel(design)
    if compiled:
        return _play_compiled(partial, design, compiled, blocks)
    tables = _play_by_rules(partial, design, blocks)
    played = len(tables["games"]) // design.rotations if tables else 0
    if tables is None or played == len(blocks):
        return tables
    others = _play_blocks(partial, design, blocks[played:])
    return others and _join_parts([tables, others])


def _play_compiled(
    partial: UnfinishedRun, design: Design, compiled: Kernel, blocks: range
) -> Mapping[str, pa.Table] | None:
    """Return the tables of blocks that the compiled game plays, or None if the run was cancelled.

    A compiled game cannot be interrupted, so it plays the blocks in parts. The first part is one block; the time of a part
    decides how many blocks the next one has.
    """
    parts = []
    for step in timed_steps(len(blocks), first=1, seconds=PART_SECONDS, growth=MAX_PART_GROWTH):
        if partial.is_cancelled:
            return None
        parts.append(
            compiled_games.play_blocks(design, compiled, blocks[step.blocks.start : step.blocks.stop])
        )
    return _join_parts(parts)


def _join_parts(parts: Sequence[Mapping[str, pa.Table]]) -> Mapping[str, pa.Table]:
    """Return the rows of all parts as one table each, whose columns have one chunk each."""
    if len(parts) == 1:
        return parts[0]
    return {
        name: pa.concat_tables([part[name] for part in parts]).unify_dictionaries().combine_chunks()
        for name in parts[0]
    }


def _play_by_rules(partial: UnfinishedRun, design: Design, blocks: range) -> Mapping[str, pa.Table] | None:
    """Return the tables of blocks that the plain rules play, or None if the run was cancelled.

    The last blocks are missing if the compiled game becomes ready in between.
    """
    if not design.has_own_strategies:
        return _play_block_games(partial, design, blocks)
    writing, seconds = partial.folder / "writing", design.own_strategies.decision_seconds
    try:
        with DecisionTimer(writing, seconds, lambda: partial.is_cancelled) as timer:
            times = DecisionTimes()
            tables = _play_block_games(partial, design, blocks, timer, times)
            return tables and {**tables, "decisions": _decisions_table(design, times)}
    except DecisionInterrupted:
        return None


def _play_block_games(
    partial: UnfinishedRun,
    design: Design,
    blocks: range,
    timer: DecisionTimer | None = None,
    times: DecisionTimes | None = None,
) -> Mapping[str, pa.Table] | None:
    columns = ShardColumns()
    for block in blocks:
        if partial.is_cancelled:
            return None
        if block != blocks.start and compiled_games.find_design_kernel(design):
            break
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation, timer, times))
    return {table: columns.build_table(table) for table in SHARD_TABLES}


def _decisions_table(design: Design, times: DecisionTimes) -> pa.Table:
    """Return the file `decisions` of a shard."""
    programs = {
        player.label: player.strategy.identify(**player.texts)
        for player in design.players
        if player.strategy.identify
    }
    rows = [
        {
            "strategy": label,
            "seat": seat,
            "decisions": decisions,
            "seconds": seconds,
            "program": programs.get(label),
        }
        for (label, seat), (decisions, seconds) in sorted(times.sums.items())
    ]
    return pa.Table.from_pylist(rows, DECISIONS_SCHEMA)


@lru_cache(maxsize=1)
def _load_design(document: str, own: OwnStrategies) -> Design:
    """Read a design. It is cached, because checking a ruleset and numbering its actions takes longer than a game."""
    design = read_design(document, "design")
    return design if own == BUILT_IN_ONLY else design.with_own_strategies(own, "the run")


def play_game(
    design: Design,
    block: int,
    rotation: int,
    timer: DecisionTimer | None = None,
    times: DecisionTimes | None = None,
) -> PlayedGame:
    """Play one game of a design by the plain rules. Raises PlayError if a strategy or the rules fail.

    `timer` limits the time of decisions by own strategies; without it they may take any time. `times` adds up the time of
    all decisions.
    """
    tracker = DecisionTracker(design.game_id(block, rotation), timer, times)
    deciders = {player.name: tracker.wrap_player(player) for player in design.players}
    seated = [deciders[name] for name in design.strategies_by_seat(rotation)]
    try:
        state, tracker.plies[:] = begin_game(design, block, rotation)
        end, plies = play_out(state, seated, design.luck_of_block(block), tracker, tracker.plies)
    except (Exception, SystemExit, DecisionTimeout) as error:
        if isinstance(error, MemoryError) and not design.has_own_strategies:
            raise  # built-in strategies are not to blame
        raise tracker.make_play_error(error) from error
    if design.code:
        _check_rules_untouched(design, PlayedGame(block, rotation, end, plies))
    return PlayedGame(block, rotation, end, plies)


def _check_rules_untouched(design: Design, game: PlayedGame) -> None:
    """Raise PlayError if own code has changed the rules by which the game was played."""
    ply = find_rules_fault(_copy_ruleset(json.dumps(design.ruleset)), game.end, game.plies)
    if ply is not None:
        names = ", ".join(player.label for player in design.players if player.strategy.code)
        raise PlayError(
            f"{names} changed the ruleset, so that the game breaks the rules "
            f"(game {design.game_id(game.block, game.rotation) + 1}, move {ply + 1})"
        )


@lru_cache(maxsize=1)
def _copy_ruleset(document: str) -> Ruleset:
    """Return a ruleset that no own strategy gets to see."""
    return read_ruleset(json.loads(document), "design")


def _dictionary_columns(schema: pa.Schema) -> list[str]:
    """Return the columns to write with a dictionary. Sorted columns are smaller and faster without."""
    return [field.name for field in schema if field.name not in {"game_id", "ply", "round", "seat"}]


def write_shard(partial: UnfinishedRun, number: int, tables: Mapping[str, pa.Table]) -> None:
    """Write the tables of a shard, with their roll-ups, and move them to the finished shards in one step."""
    # a random name, because two workers may write the same shard if it was submitted again
    writing = partial.folder / "writing" / f"{number:06}-{secrets.token_hex(8)}"
    writing.parent.mkdir(exist_ok=True)  # fails if the folder of the run has vanished
    writing.mkdir()
    for name, table in {**tables, "rollups": join_rollups(tables)}.items():
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
