"""Simulating: a design is played in shards by local processes, then sealed. What is finished is never lost."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Final

from pipelines import batches
from pipelines.columns import PlayError
from pipelines.partial import Partial, begin
from pipelines.seal import Sealing, sealed_before
from pipelines.shards import play_game, play_shard
from pipelines.workers import Clock, cpus, pool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pipelines.design import Design
    from pipelines.run import Run
    from pipelines.workers import Progress

SHARD_PLIES: Final = 100_000
"""Plies a shard at most, about: thousands of small shards are slow to seal, large ones need memory."""
COMPILED_SHARD_PLIES: Final = 1_000_000
"""The same for a compiled game, which plays them in a second or less."""
SHARD_SECONDS: Final = 4.0
"""Seconds of one worker a shard, about: what a kill can lose."""
FEWEST_SHARDS: Final = 16
"""So that progress moves in a short run."""
MOST_SHARDS: Final = 4096


class Stopped(Exception):  # noqa: N818 - no error: somebody asked for it
    """The run was stopped; finished shards are kept in `partial`."""

    def __init__(self, partial: Partial) -> None:
        super().__init__(partial.name)
        self.partial = partial


def simulate(
    design: Design,
    target: Path,
    *,
    workers: int | None = None,
    free_name: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Play a design and return the sealed run at `target` (or, with `free_name`, the next free name).

    The games do not depend on the number of workers. Raises Stopped if cancelled or interrupted, PlayError if a
    game fails, InvalidError if the name is taken, OSError if the folder cannot be written.
    """
    planned = design.model_copy(update={"shard_blocks": shard_blocks(design)})
    return resume(begin(target, planned, free_name=free_name), workers=workers, progress=progress)


def resume(partial: Partial, *, workers: int | None = None, progress: Progress | None = None) -> Run:
    """Finish an unfinished run and seal it: the same content as if nothing had happened.

    Raises InvalidError if a process is at it, and what `simulate` raises.
    """
    try:
        with partial.claimed(), Sealing(partial) as sealing:
            if run := sealed_before(partial):
                return run
            batches.warm(partial.design)  # here, or every worker would compile for itself
            started, before = time.monotonic(), float(partial.job["seconds_before"])
            todo = sorted(set(range(len(partial.design.shards))) - partial.finished)
            clock = Clock(partial.games, partial.games_done, progress)
            for games in _played(partial, todo, min(workers or cpus(), max(1, len(todo)))):
                if games == 0:
                    raise Stopped(partial)
                clock.advance(games)
                sealing.take()  # while the workers play on
            return sealing.finish(lambda: before + time.monotonic() - started)
    except KeyboardInterrupt:
        raise Stopped(partial) from None


def shard_blocks(design: Design) -> int:
    """Settle how many blocks make a shard, from the length and time of a first game."""
    if design.blocks <= FEWEST_SHARDS:
        return 1
    compiled = batches.kernel(design)
    if compiled:
        batches.warm(design)
        by_plies = COMPILED_SHARD_PLIES // batches.plies_of_block(design, compiled)
        most = max(1, min(by_plies, design.blocks // FEWEST_SHARDS))
        return max(most, -(-design.blocks // MOST_SHARDS))
    _ = design.players, design.rules.sha256
    started = time.monotonic()
    plies = max(1, len(play_game(design, 0, 0).plies))
    seconds = max(1e-6, time.monotonic() - started)
    by_plies = SHARD_PLIES // (plies * design.rotations)
    by_seconds = int(SHARD_SECONDS / (seconds * design.rotations))
    most = max(1, min(by_plies, by_seconds, design.blocks // FEWEST_SHARDS))
    return max(most, -(-design.blocks // MOST_SHARDS))


def _played(partial: Partial, todo: list[int], workers: int) -> Iterator[int]:
    """Play shards and yield the games of each as it is finished: 0 for one that was asked to stop."""
    play = partial.folder, partial.design.model_dump_json()
    if workers == 1:
        yield from (play_shard(*play, number) for number in todo)
        return
    with pool(workers, threads=batches.kernel(partial.design) is not None) as executor:
        futures = set()
        try:
            for number in todo:
                futures.add(executor.submit(play_shard, *play, number))
                if (
                    len(futures) >= 2 * workers
                ):  # few are handed out ahead, so that a stop has few to wait for
                    done, futures = wait(futures, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            yield from (future.result() for future in as_completed(futures))
        except BrokenProcessPool:
            raise PlayError(
                "a worker process died, perhaps for want of memory; resume with fewer workers"
            ) from None
        except BaseException:
            with partial.halted():
                executor.shutdown(wait=True, cancel_futures=True)
            raise
