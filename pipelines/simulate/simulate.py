"""Simulating: a design is played in shards by local processes, then sealed. What is finished is never lost."""

from __future__ import annotations

import math
import time
from concurrent.futures import FIRST_COMPLETED, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from engine.game import GameError, InvalidError
from pipelines.runs.seal import Sealing, find_sealed_run
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate import compiled_games
from pipelines.simulate.cluster import connect_cluster
from pipelines.simulate.shard_tables import PlayError
from pipelines.simulate.shards import play_game, play_shard
from pipelines.simulate.stop_rule import SequentialMonitor
from pipelines.simulate.time_limit import find_crash_message
from pipelines.simulate.workers import ProgressClock, make_worker_pool, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from concurrent.futures import Executor
    from pathlib import Path

    from engine.kernels.contract import Kernel
    from pipelines.design.design import Design
    from pipelines.runs.run import Run
    from pipelines.simulate.workers import ProgressCallback

MAX_SHARD_PLIES: Final = 100_000
"""Plies a shard at most, about: thousands of small shards are slow to seal, large ones need memory."""
MAX_COMPILED_SHARD_PLIES: Final = 1_000_000
"""The same for a compiled game, which plays them in a second or less."""
SHARD_SECONDS: Final = 4.0
"""Seconds of one worker a shard, about: what a kill can lose."""
MIN_SHARDS: Final = 16
"""So that progress moves in a short run."""
MAX_SHARDS: Final = 4096
NO_MEMORY_MESSAGE: Final = (
    "there is not enough memory to go on; try fewer workers, or end other programs first"
)
OWN_STRATEGY_SHARDS: Final = 256
"""Where a strategy of somebody's own plays, nobody can tell how long a first game would take."""
MAX_OWN_STRATEGY_SHARD_BLOCKS: Final = 500
"""Blocks a shard at most there."""


class RunStopped(Exception):  # noqa: N818 - no error: somebody asked for it
    """The run was stopped; finished shards are kept in `partial`."""

    def __init__(self, partial: UnfinishedRun) -> None:
        super().__init__(partial.name)
        self.partial = partial


class DiskError(GameError):
    """What was played could not be written; finished shards are kept in `partial`, if it is still there."""

    def __init__(self, partial: UnfinishedRun, error: Exception) -> None:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error).splitlines()[0]
        super().__init__(f"{partial.folder}: {why}")
        self.partial = partial if partial.folder.is_dir() else None


def simulate_run(  # noqa: PLR0913 - what is asked for, and how: all but two by name
    design: Design,
    target: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    free_name: bool = True,
    progress: ProgressCallback | None = None,
) -> Run:
    """Play a design and return the sealed run at `target` (or, with `free_name`, the next free name).

    The games do not depend on the number of workers, nor on whether they are processes here or, with `scheduler`, those
    of a Dask cluster. Raises Stopped if cancelled or interrupted, PlayError if a game fails, InvalidError if the name is
    taken, OSError if the folder cannot be made, DiskError if it can no longer be written.
    """
    planned = design.model_copy(update={"shard_blocks": blocks_per_shard(design)})
    _check_own_strategies_local(planned, scheduler)
    partial = begin_run(target, planned, free_name=free_name)
    return resume_run(partial, workers=workers, scheduler=scheduler, progress=progress)


def resume_run(
    partial: UnfinishedRun,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: ProgressCallback | None = None,
) -> Run:
    """Finish an unfinished run and seal it: the same content as if nothing had happened.

    Raises InvalidError if a process is at it, or strategies play that a person has to name (`Partial.own`), and what
    `simulate_run` raises.
    """
    partial.design.with_own_strategies(partial.own, partial.name)
    _check_own_strategies_local(partial.design, scheduler)
    at = _WorkerSettings(workers, scheduler)
    try:
        with partial.claim():
            if run := find_sealed_run(partial):
                return run
            compiled_games.ensure_compiled(partial.design)  # here, or every worker would compile for itself
            started = time.monotonic()
            before = partial.attempt.seconds_before if partial.attempt else 0.0
            clock = ProgressClock(partial.games, partial.games_done, progress)
            if partial.design.contest and partial.design.contest.until_decided:
                partial = _play_until_decided(partial, at, clock)
            # closed here and not when it is collected, where a second Ctrl-C would be told as a traceback
            with Sealing(partial) as sealing, closing(_play_remaining_shards(partial, at, clock)) as advanced:
                for _ in advanced:
                    sealing.take_shards()  # while the workers play on
                return sealing.finish(lambda: before + time.monotonic() - started)
    except KeyboardInterrupt:
        raise RunStopped(partial) from None
    except (OSError, duckdb.Error) as error:
        raise DiskError(partial, error) from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "can't start new thread" not in str(error):
            raise
        short = PlayError(NO_MEMORY_MESSAGE)
        short.partial = partial
        raise short from None
    except PlayError as error:
        if partial.games_done or not partial.design.has_own_strategies:
            error.partial = partial
        else:  # who tries a strategy of his own leaves nothing behind with every mistake
            partial.discard()
        raise


def _play_until_decided(partial: UnfinishedRun, at: _WorkerSettings, clock: ProgressClock) -> UnfinishedRun:
    """Play until a comparison is decided, and let the run end there."""
    deciding = SequentialMonitor(partial)
    with closing(_play_remaining_shards(partial, at, clock)) as advanced:
        while (blocks := deciding.blocks_needed()) is None:
            next(advanced)
    return partial.shorten(blocks)


class _WorkerSettings(NamedTuple):
    """Where shards are played."""

    workers: int | None
    """Processes here; None: as many as there are processors."""
    scheduler: str | None
    """Address of a Dask scheduler, whose workers play in their place."""


def _check_own_strategies_local(design: Design, scheduler: str | None) -> None:
    if scheduler and design.has_own_strategies:
        raise InvalidError(
            "strategies of your own and programs play on this machine only: leave out --scheduler"
        )


def _play_remaining_shards(
    partial: UnfinishedRun, at: _WorkerSettings, clock: ProgressClock
) -> Generator[None]:
    """Play what is left, shard by shard."""
    todo = sorted(set(range(len(partial.design.shards))) - partial.finished_shards)
    with closing(_play_shards(partial, todo, at)) as played:
        for games in played:
            if games == 0:
                raise RunStopped(partial)
            clock.advance(games)
            yield


def blocks_per_shard(design: Design) -> int:
    """Settle how many blocks make a shard, from the length and time of a first game."""
    if design.blocks <= MIN_SHARDS:
        return 1
    if design.has_own_strategies:
        most = min(design.blocks // OWN_STRATEGY_SHARDS, MAX_OWN_STRATEGY_SHARD_BLOCKS)
        return max(1, most, -(-design.blocks // MAX_SHARDS))
    compiled = compiled_games.find_design_kernel(design)
    if compiled:
        compiled_games.ensure_compiled(design)
        plies, seconds = _time_first_block(design, compiled)
        by_plies, by_seconds = MAX_COMPILED_SHARD_PLIES // plies, int(SHARD_SECONDS / seconds)
        most = max(1, min(by_plies, by_seconds, design.blocks // MIN_SHARDS))
        return max(most, -(-design.blocks // MAX_SHARDS))
    _ = design.players, design.rules.sha256
    started = time.monotonic()
    plies = max(1, len(play_game(design, 0, 0).plies))
    seconds = max(1e-6, time.monotonic() - started)
    by_plies = MAX_SHARD_PLIES // (plies * design.rotations)
    by_seconds = int(SHARD_SECONDS / (seconds * design.rotations))
    most = max(1, min(by_plies, by_seconds, design.blocks // MIN_SHARDS))
    return max(most, -(-design.blocks // MAX_SHARDS))


def _time_first_block(design: Design, compiled: Kernel) -> tuple[int, float]:
    """Return plies and seconds of a block. The first call loads what was compiled, so a slow one is timed once more."""
    plies, seconds = 0, math.inf
    for _ in range(2):
        started = time.monotonic()
        plies = compiled_games.count_block_plies(design, compiled)
        seconds = min(seconds, max(1e-6, time.monotonic() - started))
        if SHARD_SECONDS / seconds > design.blocks:
            break
    return plies, seconds


def _play_shards(partial: UnfinishedRun, todo: list[int], at: _WorkerSettings) -> Generator[int]:
    """Play shards and yield the games of each as it is finished: 0 for one that was asked to stop."""
    workers = min(at.workers or usable_cpus(), max(1, len(todo)))
    if at.scheduler:
        with connect_cluster(at.scheduler) as there:
            yield from _submit_shards(partial, todo, there, lambda: there.size)
    elif (
        workers == 1 and not partial.design.has_own_strategies
    ):  # what is not ours plays in a process that can be ended
        play = partial.folder, partial.design.model_dump_json()
        yield from (play_shard(*play, number) for number in todo)
    else:
        with make_worker_pool(
            workers, threads=compiled_games.find_design_kernel(partial.design) is not None
        ) as here:
            yield from _submit_shards(partial, todo, here, lambda: workers)


def _submit_shards(
    partial: UnfinishedRun, todo: list[int], executor: Executor, workers: Callable[[], int]
) -> Generator[int]:
    """Have shards played, a few ahead of those that are being played, so that a stop has few to wait for."""
    own = partial.design.own_strategies
    play = partial.folder.absolute(), partial.design.model_dump_json()
    futures = set()
    try:
        for number in todo:
            futures.add(executor.submit(play_shard, *play, number, own))
            if len(futures) >= 2 * workers():
                done, futures = wait(futures, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        yield from (future.result() for future in as_completed(futures))
    except BrokenProcessPool:
        raise PlayError(
            find_crash_message(partial.folder / "writing")
            or "a worker process died, perhaps for want of memory; try fewer workers"
        ) from None
    except BaseException:
        with partial.stop_workers():
            executor.shutdown(wait=True, cancel_futures=True)
        raise
