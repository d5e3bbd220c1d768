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
from pipelines.runs.seal import Sealing, sealed_before
from pipelines.runs.unfinished_run import Partial, begin
from pipelines.simulate import compiled_games
from pipelines.simulate.cluster import cluster
from pipelines.simulate.shard_tables import PlayError
from pipelines.simulate.shards import play_game, play_shard
from pipelines.simulate.stop_rule import Deciding
from pipelines.simulate.time_limit import last_words
from pipelines.simulate.workers import Clock, cpus, pool

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from concurrent.futures import Executor
    from pathlib import Path

    from engine.kernels.contract import Kernel
    from pipelines.design.design import Design
    from pipelines.runs.run import Run
    from pipelines.simulate.workers import Progress

SHARD_PLIES: Final = 100_000
"""Plies a shard at most, about: thousands of small shards are slow to seal, large ones need memory."""
COMPILED_SHARD_PLIES: Final = 1_000_000
"""The same for a compiled game, which plays them in a second or less."""
SHARD_SECONDS: Final = 4.0
"""Seconds of one worker a shard, about: what a kill can lose."""
FEWEST_SHARDS: Final = 16
"""So that progress moves in a short run."""
MOST_SHARDS: Final = 4096
NO_MEMORY: Final = "there is not enough memory to go on; try fewer workers, or end other programs first"
OWN_SHARDS: Final = 256
"""Where a strategy of somebody's own plays, nobody can tell how long a first game would take."""
MOST_OWN_BLOCKS: Final = 500
"""Blocks a shard at most there."""


class Stopped(Exception):  # noqa: N818 - no error: somebody asked for it
    """The run was stopped; finished shards are kept in `partial`."""

    def __init__(self, partial: Partial) -> None:
        super().__init__(partial.name)
        self.partial = partial


class DiskError(GameError):
    """What was played could not be written; finished shards are kept in `partial`, if it is still there."""

    def __init__(self, partial: Partial, error: Exception) -> None:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error).splitlines()[0]
        super().__init__(f"{partial.folder}: {why}")
        self.partial = partial if partial.folder.is_dir() else None


def simulate(  # noqa: PLR0913 - what is asked for, and how: all but two by name
    design: Design,
    target: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    free_name: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Play a design and return the sealed run at `target` (or, with `free_name`, the next free name).

    The games do not depend on the number of workers, nor on whether they are processes here or, with `scheduler`, those
    of a Dask cluster. Raises Stopped if cancelled or interrupted, PlayError if a game fails, InvalidError if the name is
    taken, OSError if the folder cannot be made, DiskError if it can no longer be written.
    """
    planned = design.model_copy(update={"shard_blocks": shard_blocks(design)})
    _refuse_own(planned, scheduler)
    partial = begin(target, planned, free_name=free_name)
    return resume(partial, workers=workers, scheduler=scheduler, progress=progress)


def resume(
    partial: Partial,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Finish an unfinished run and seal it: the same content as if nothing had happened.

    Raises InvalidError if a process is at it, or strategies play that a person has to name (`Partial.own`), and what
    `simulate` raises.
    """
    partial.design.played_by(partial.own, partial.name)
    _refuse_own(partial.design, scheduler)
    at = _Place(workers, scheduler)
    try:
        with partial.claimed():
            if run := sealed_before(partial):
                return run
            compiled_games.warm(partial.design)  # here, or every worker would compile for itself
            started = time.monotonic()
            before = partial.attempt.seconds_before if partial.attempt else 0.0
            clock = Clock(partial.games, partial.games_done, progress)
            if partial.design.contest and partial.design.contest.until_decided:
                partial = _until_decided(partial, at, clock)
            # closed here and not when it is collected, where a second Ctrl-C would be told as a traceback
            with Sealing(partial) as sealing, closing(_advanced(partial, at, clock)) as advanced:
                for _ in advanced:
                    sealing.take()  # while the workers play on
                return sealing.finish(lambda: before + time.monotonic() - started)
    except KeyboardInterrupt:
        raise Stopped(partial) from None
    except (OSError, duckdb.Error) as error:
        raise DiskError(partial, error) from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "can't start new thread" not in str(error):
            raise
        short = PlayError(NO_MEMORY)
        short.partial = partial
        raise short from None
    except PlayError as error:
        if partial.games_done or not partial.design.is_own:
            error.partial = partial
        else:  # who tries a strategy of his own leaves nothing behind with every mistake
            partial.discard()
        raise


def _until_decided(partial: Partial, at: _Place, clock: Clock) -> Partial:
    """Play until a comparison is decided, and let the run end there."""
    deciding = Deciding(partial)
    with closing(_advanced(partial, at, clock)) as advanced:
        while (blocks := deciding.blocks_needed()) is None:
            next(advanced)
    return partial.shortened(blocks)


class _Place(NamedTuple):
    """Where shards are played."""

    workers: int | None
    """Processes here; None: as many as there are processors."""
    scheduler: str | None
    """Address of a Dask scheduler, whose workers play in their place."""


def _refuse_own(design: Design, scheduler: str | None) -> None:
    if scheduler and design.is_own:
        raise InvalidError(
            "strategies of your own and programs play on this machine only: leave out --scheduler"
        )


def _advanced(partial: Partial, at: _Place, clock: Clock) -> Generator[None]:
    """Play what is left, shard by shard."""
    todo = sorted(set(range(len(partial.design.shards))) - partial.finished)
    with closing(_played(partial, todo, at)) as played:
        for games in played:
            if games == 0:
                raise Stopped(partial)
            clock.advance(games)
            yield


def shard_blocks(design: Design) -> int:
    """Settle how many blocks make a shard, from the length and time of a first game."""
    if design.blocks <= FEWEST_SHARDS:
        return 1
    if design.is_own:
        most = min(design.blocks // OWN_SHARDS, MOST_OWN_BLOCKS)
        return max(1, most, -(-design.blocks // MOST_SHARDS))
    compiled = compiled_games.kernel(design)
    if compiled:
        compiled_games.warm(design)
        plies, seconds = _first_block(design, compiled)
        by_plies, by_seconds = COMPILED_SHARD_PLIES // plies, int(SHARD_SECONDS / seconds)
        most = max(1, min(by_plies, by_seconds, design.blocks // FEWEST_SHARDS))
        return max(most, -(-design.blocks // MOST_SHARDS))
    _ = design.players, design.rules.sha256
    started = time.monotonic()
    plies = max(1, len(play_game(design, 0, 0).plies))
    seconds = max(1e-6, time.monotonic() - started)
    by_plies = SHARD_PLIES // (plies * design.rotations)
    by_seconds = int(SHARD_SECONDS / (seconds * design.rotations))
    most = max(1, min(by_plies, by_seconds, design.blocks // FEWEST_SHARDS))
    return max(most, -(-design.blocks // MOST_SHARDS))


def _first_block(design: Design, compiled: Kernel) -> tuple[int, float]:
    """Return plies and seconds of a block. The first call loads what was compiled, so a slow one is timed once more."""
    plies, seconds = 0, math.inf
    for _ in range(2):
        started = time.monotonic()
        plies = compiled_games.plies_of_block(design, compiled)
        seconds = min(seconds, max(1e-6, time.monotonic() - started))
        if SHARD_SECONDS / seconds > design.blocks:
            break
    return plies, seconds


def _played(partial: Partial, todo: list[int], at: _Place) -> Generator[int]:
    """Play shards and yield the games of each as it is finished: 0 for one that was asked to stop."""
    workers = min(at.workers or cpus(), max(1, len(todo)))
    if at.scheduler:
        with cluster(at.scheduler) as there:
            yield from _handed_out(partial, todo, there, lambda: there.size)
    elif workers == 1 and not partial.design.is_own:  # what is not ours plays in a process that can be ended
        play = partial.folder, partial.design.model_dump_json()
        yield from (play_shard(*play, number) for number in todo)
    else:
        with pool(workers, threads=compiled_games.kernel(partial.design) is not None) as here:
            yield from _handed_out(partial, todo, here, lambda: workers)


def _handed_out(
    partial: Partial, todo: list[int], executor: Executor, workers: Callable[[], int]
) -> Generator[int]:
    """Have shards played, a few ahead of those that are being played, so that a stop has few to wait for."""
    own = partial.design.own
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
            last_words(partial.folder / "writing")
            or "a worker process died, perhaps for want of memory; try fewer workers"
        ) from None
    except BaseException:
        with partial.halted():
            executor.shutdown(wait=True, cancel_futures=True)
        raise
