"""Play the blocks of one shard and write them to disk as Parquet files; also games that are complete already.

A shard has enough blocks for a few seconds of work, and few enough for progress to move.

A shard appears under its final name in one step: it is complete or absent.
"""

from __future__ import annotations

import json
import math
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from engine.play import play_out
from pipelines.design.design import Design, read_ruleset
from pipelines.design.designs import read_design
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.runs.schema import SHARD_TABLES
from pipelines.runs.seal import Sealing
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run, sync_to_disk
from pipelines.simulate import checked_players, compiled_games, shard_tables
from pipelines.simulate.compiled_games import begin_game
from pipelines.simulate.errors import PlayError

if TYPE_CHECKING:
    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run

PART_SECONDS: Final = 0.5
"""About how long a compiled game plays before it looks whether the run was cancelled."""
MAX_PART_GROWTH: Final = 1000
"""How many times as many blocks a part may have as the part before. The first one is a block, in which most of the time may
pass outside of the game."""


def play_shard(
    folder: Path, document: str, number: int, own_strategies: OwnStrategies = BUILT_IN_ONLY
) -> int:
    """Play a shard of the unfinished run in `folder` and write it; return its games, or 0 if the run was cancelled.

    `document` is the design as JSON, `own_strategies` holds the own strategies that play in it. The compiled game plays if there
    is one, else the plain rules do; the games are the same. Raises PlayError if a strategy or the rules fail in a
    game, OSError if the shard cannot be written.
    """
    partial, design = UnfinishedRun(folder), _load_design(document, own_strategies)
    blocks = design.shards[number]
    if partial.is_cancelled:
        return 0
    tables = _play_blocks(partial, design, blocks)
    if tables is None:
        return 0
    write_shard(partial, number, tables)
    return len(blocks) * design.rotations


def play_remote_shard(
    folder: Path, document: str, number: int, own_strategies: OwnStrategies = BUILT_IN_ONLY
) -> int:
    """Do the same as `play_shard` on another machine, where nothing else compiles the game: compile it first."""
    compiled_games.ensure_compiled(_load_design(document, own_strategies))
    return play_shard(folder, document, number, own_strategies)


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
        with checked_players.DecisionTimer(writing, seconds, lambda: partial.is_cancelled) as timer:
            times = checked_players.DecisionTimes()
            tables = _play_block_games(partial, design, blocks, timer, times)
            return tables and {
                **tables,
                "decisions": _decisions_table(design, times),
                "failures": _failures_table(times),
            }
    except checked_players.DecisionInterrupted:
        return None


def _play_block_games(
    partial: UnfinishedRun,
    design: Design,
    blocks: range,
    timer: checked_players.DecisionTimer | None = None,
    times: checked_players.DecisionTimes | None = None,
) -> Mapping[str, pa.Table] | None:
    columns = shard_tables.ShardColumns()
    for block in blocks:
        if partial.is_cancelled:
            return None
        if block != blocks.start and compiled_games.find_design_kernel(design):
            break
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation, timer, times))
    return {table: columns.build_table(table) for table in SHARD_TABLES}


def _decisions_table(design: Design, times: checked_players.DecisionTimes) -> pa.Table:
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
    return pa.Table.from_pylist(rows, shard_tables.DECISIONS_SCHEMA)


def _failures_table(times: checked_players.DecisionTimes) -> pa.Table:
    """Return the file `failures` of a shard."""
    rows = [
        {"strategy": label, "game_id": game_id, "failure": failure}
        for (game_id, _), (label, failure) in sorted(times.failures.items())
    ]
    return pa.Table.from_pylist(rows, shard_tables.FAILURES_SCHEMA)


@lru_cache(maxsize=1)
def _load_design(document: str, own_strategies: OwnStrategies) -> Design:
    """Read a design. It is cached, because checking a ruleset and numbering its actions takes longer than a game."""
    design = read_design(document, "design")
    return (
        design if own_strategies == BUILT_IN_ONLY else design.with_own_strategies(own_strategies, "the run")
    )


def play_game(
    design: Design,
    block: int,
    rotation: int,
    timer: checked_players.DecisionTimer | None = None,
    times: checked_players.DecisionTimes | None = None,
) -> shard_tables.PlayedGame:
    """Play one game of a design by the plain rules. Raises PlayError if a strategy or the rules fail.

    `timer` limits the time of decisions by own strategies; without it they may take any time. `times` adds up the time of
    all decisions.
    """
    tracker = checked_players.DecisionTracker(design.game_id(block, rotation), timer, times)
    deciders = {player.name: tracker.wrap_player(player) for player in design.players}
    seated = [deciders[name] for name in design.strategies_by_seat(rotation)]
    try:
        state, tracker.plies[:] = begin_game(design, block, rotation)
        end, plies = play_out(state, seated, design.luck_of_block(block), tracker, tracker.plies)
    except (Exception, SystemExit, checked_players.DecisionTimeout) as error:
        if isinstance(error, MemoryError) and not design.has_own_strategies:
            raise  # built-in strategies are not to blame
        raise tracker.make_play_error(error) from error
    if design.code:
        _check_rules_untouched(design, shard_tables.PlayedGame(block, rotation, end, plies))
    return shard_tables.PlayedGame(block, rotation, end, plies)


def _check_rules_untouched(design: Design, game: shard_tables.PlayedGame) -> None:
    """Raise PlayError if own code has changed the rules by which the game was played."""
    ply = checked_players.find_rules_fault(_copy_ruleset(json.dumps(design.ruleset)), game.end, game.plies)
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
    for name, table in {**tables, "rollups": shard_tables.join_rollups(tables)}.items():
        if name == "failures" and not len(table):
            continue
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


SHARD_SECONDS: Final = 2.0
"""About the most time that one worker spends on a shard, in seconds. A kill loses at most this much work, and the first games are
saved within five seconds: a block that takes this long is played once to be measured, and once for its shard."""
LOADING_SECONDS: Final = 0.5
"""Loading compiled code takes less than this."""
MAX_SHARD_PLIES: Final = 100_000
"""About the most plies in a shard: larger shards need more memory, thousands of small ones are slow to seal."""
MAX_COMPILED_SHARD_PLIES: Final = 1_000_000
"""The same for a compiled game, which plays this number of plies in a second or less."""
MIN_SHARDS: Final = 16
"""Fewest shards of a run with enough blocks, so that the progress of a short run moves."""
MOMENT_SECONDS: Final = 0.25
"""A compiled game that plays a whole run in this time plays it as one shard: a shard takes longer to write than to play."""
MAX_SHARDS: Final = 4096
OWN_STRATEGY_SHARDS: Final = 256
"""Shards of a run with own strategies. Their first game is not timed, because it might take for ever."""
MAX_OWN_STRATEGY_SHARD_BLOCKS: Final = 500
"""Most blocks of a shard in a run with own strategies."""


def blocks_per_shard(design: Design) -> int:
    """Return the number of blocks of a shard. One block is played to measure its plies and its time."""
    compiled = compiled_games.find_design_kernel(design)
    if compiled:
        plies, seconds = _time_compiled_block(design, compiled)
        if design.blocks * seconds <= MOMENT_SECONDS and not design.is_played_until_decided:
            return design.blocks
        blocks = min(MAX_COMPILED_SHARD_PLIES // plies, int(SHARD_SECONDS / seconds))
    elif design.has_own_strategies:
        blocks = min(design.blocks // OWN_STRATEGY_SHARDS, MAX_OWN_STRATEGY_SHARD_BLOCKS)
    else:
        blocks = _affordable_blocks(design) if design.blocks > MIN_SHARDS else 1
    return max(1, min(blocks, design.blocks // MIN_SHARDS), math.ceil(design.blocks / MAX_SHARDS))


def _affordable_blocks(design: Design) -> int:
    """Return how many blocks the plain rules play within the limits of plies and seconds of one shard."""
    plies, seconds = _time_game(design)
    return min(
        MAX_SHARD_PLIES // (plies * design.rotations), int(SHARD_SECONDS / (seconds * design.rotations))
    )


def _time_compiled_block(design: Design, compiled: Kernel) -> tuple[int, float]:
    """Return the plies and seconds of a block.

    The first try is repeated if it was short, because it loads the compiled code, unless the run has few blocks.
    """
    plies, seconds = 0, math.inf
    for _ in range(1 if design.blocks <= MIN_SHARDS else 2):
        started = time.monotonic()
        plies = compiled_games.count_block_plies(design, compiled)
        seconds = min(seconds, max(1e-6, time.monotonic() - started))
        if SHARD_SECONDS / seconds > design.blocks or seconds > LOADING_SECONDS:
            break
    return plies, seconds


def _time_game(design: Design) -> tuple[int, float]:
    """Return the plies and seconds of one game by the plain rules."""
    _ = design.players, design.rules.sha256  # these are computed once and cached: that is not time of a game
    started = time.monotonic()
    plies = max(1, len(play_game(design, 0, 0).plies))
    return plies, max(1e-6, time.monotonic() - started)


FIRST_STEP_BLOCKS: Final = 10
"""Blocks in the first timed step: the fewest for which intervals are shown."""
STEP_SECONDS: Final = 0.4
"""About how long a timed step takes."""


class Step(NamedTuple):
    """The next blocks to play."""

    blocks: range
    is_last: bool
    """True if these are the last of all blocks."""


def timed_steps(
    total: int, first: int = FIRST_STEP_BLOCKS, seconds: float = STEP_SECONDS, growth: int = 2
) -> Iterator[Step]:
    """Yield `total` blocks: `first` blocks, then steps of about `seconds`, measured by when the next step is requested.

    A step has at most `growth` times the blocks of the step before.
    """
    done, count = 0, first
    while done < total:
        started = time.monotonic()
        blocks = range(done, min(done + count, total))
        done = blocks.stop
        yield Step(blocks, is_last=done == total)
        elapsed = max(time.monotonic() - started, 1e-3)
        count = max(1, min(growth * count, int(count * seconds / elapsed)))


def seal_finished_games(
    design: Design, games: Iterator[shard_tables.PlayedGame], target: Path, *, free_name: bool = True
) -> Run:
    """Write the games of a design, in their order, and return the run at `target`; with `free_name`, at the next free name.

    If `games` raises an error, no file is left behind.
    """
    partial = begin_run(target, design, free_name=free_name)
    try:
        with partial.claim(), Sealing(partial) as sealing:
            for number, blocks in enumerate(design.shards):
                columns = shard_tables.ShardColumns()
                for _ in range(len(blocks) * design.rotations):
                    columns.add_game(design, next(games))
                write_shard(partial, number, {table: columns.build_table(table) for table in SHARD_TABLES})
                sealing.take_shards()
            return sealing.finish(lambda: partial.seconds)
    except BaseException:
        if partial.folder.exists():
            partial.discard()
        raise
