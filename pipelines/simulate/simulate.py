"""Play a design: its shards go to workers, a comparison ends when it is decided, and the shards become a sealed run file.

Finished shards stay on disk whatever happens, so a run that was stopped or killed can be resumed.

The stopping rule of a comparison that is played until it is decided, applied to its finished shards.
The rule is checked at looks: numbers of blocks that are fixed in advance. A look uses the blocks before it and nothing
else, so the run ends after the same block on any machine and with any number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import duckdb
import numpy as np

from engine.errors import InvalidError
from pipelines.design.designs import ComparisonDesign, read_as_comparison
from pipelines.design.lineups import FIRST_LOOK_BLOCKS, Pair, side_pairs
from pipelines.design.metrics import METRICS
from pipelines.runs.outcomes import PairColumns, difference_bounds, pair_columns, read_shard_outcomes
from pipelines.runs.seal import Sealing, find_sealed_run
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate import compiled_games
from pipelines.simulate.checked_players import find_crash_message
from pipelines.simulate.errors import DiskError, PlayError, RunStopped
from pipelines.simulate.shards import blocks_per_shard, play_remote_shard, play_shard
from pipelines.simulate.workers import check_cluster, connect_cluster, open_worker_pool, usable_cpus
from pipelines.statistics import SequentialLook, StoppingRule

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.runs.run import Run

    ProgressCallback: TypeAlias = Callable[[int, int, float | None], None]
    """Called with the games done, the games in total, and the seconds left (None while they are unknown)."""

STOP_TIMEOUT_SECONDS: Final = 1.0
"""Seconds that workers have to end their shards when the run is interrupted. Those that take longer are left alone."""
DUCKDB_INTERRUPTED_MESSAGE: Final = "Query interrupted"
"""What DuckDB makes of the KeyboardInterrupt that is raised while it works."""
OUT_OF_MEMORY_MESSAGE: Final = "out of memory; try fewer workers, or close other programs first"


def simulate_run(  # noqa: PLR0913 - all options but the first two have names
    design: Design,
    target: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    free_name: bool = True,
    progress: ProgressCallback | None = None,
) -> Run:
    """Play a design and return the sealed run at `target`, or under the next free name with `free_name`.

    Games are played by `workers` local workers (None: one for each processor), or by the workers of the Dask cluster
    at the address `scheduler`. The choice does not change the games.

    Raises RunStopped if the run is cancelled or interrupted, PlayError if a game fails, InvalidError if the name is
    taken or a strategy cannot play the ruleset, OSError if the folder of the run cannot be made, DiskError if it can no longer be written.
    """
    compiled_games.check_playable(design)
    planned = design.model_copy(update={"shard_blocks": blocks_per_shard(design)})
    check_own_strategies_local(planned, scheduler)
    if scheduler:
        check_cluster(scheduler)  # now, so that a wrong address leaves no unfinished run behind
    partial = begin_run(target, planned, free_name=free_name)
    return _finish_run(partial, WorkerSettings(workers, scheduler), progress)


def resume_run(
    partial: UnfinishedRun,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: ProgressCallback | None = None,
) -> Run:
    """Finish an unfinished run and seal it. Its content is the same as if it had never been stopped.

    Raises InvalidError if another process works on the run, or if the design needs own strategies that
    `UnfinishedRun.own` does not have; and whatever `simulate_run` raises.
    """
    partial.check_resumable()
    compiled_games.check_playable(partial.design.with_own_strategies(partial.own, partial.name))
    check_own_strategies_local(partial.design, scheduler)
    return _finish_run(partial, WorkerSettings(workers, scheduler), progress)


def _finish_run(partial: UnfinishedRun, settings: WorkerSettings, progress: ProgressCallback | None) -> Run:
    """Play what is left of a run whose design has been checked, and seal it."""
    try:
        with partial.claim():
            if run := find_sealed_run(partial):
                return run
            with (
                nullcontext() if settings.scheduler else compiled_games.compile_in_background(partial.design)
            ):
                return _play_and_seal(partial, settings, progress)
    except (KeyboardInterrupt, OSError, duckdb.Error, MemoryError, RuntimeError) as error:
        if explained := _explain_error(partial, error):
            raise explained from error
        raise
    except PlayError as error:
        if partial.games_done:
            error.partial = partial
        else:  # what is wrong with a strategy or a machine shows in the first game: keep no empty run for each failure
            partial.discard()
        raise


def _play_and_seal(
    partial: UnfinishedRun, settings: WorkerSettings, progress: ProgressCallback | None
) -> Run:
    """Play the unfinished shards of a run and seal it."""
    started = time.monotonic()
    seconds_before = partial.attempt.seconds_before if partial.attempt else 0.0
    clock = ProgressClock(partial.games, partial.games_done, progress)
    if partial.design.is_played_until_decided:
        partial = _play_until_decided(partial, settings, clock)
    # closed explicitly: a second Ctrl-C during garbage collection would print a traceback
    with Sealing(partial) as sealing, closing(_play_remaining_shards(partial, settings, clock)) as steps:
        for _ in steps:
            sealing.take_shards()  # the workers play on meanwhile
        return sealing.finish(lambda: seconds_before + time.monotonic() - started)


def _explain_error(partial: UnfinishedRun, error: BaseException) -> Exception | None:
    """Return the error that tells a person what has ended the run; None for a mistake in this code."""
    if (
        isinstance(error, KeyboardInterrupt | duckdb.InterruptException)
        or str(error) == DUCKDB_INTERRUPTED_MESSAGE
    ):
        return RunStopped(partial)
    if isinstance(error, OSError | duckdb.Error):
        return DiskError(partial, error)
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        out_of_memory = PlayError(OUT_OF_MEMORY_MESSAGE)
        out_of_memory.partial = partial
        return out_of_memory
    return None


class WorkerSettings(NamedTuple):
    """The workers that play shards."""

    workers: int | None
    """Local workers; None: one for each processor."""
    scheduler: str | None
    """Address of a Dask scheduler. If given, its workers play, and no local ones."""


def check_own_strategies_local(design: Design, scheduler: str | None) -> None:
    """Raise InvalidError if own strategies would have to play on a cluster."""
    if scheduler and design.has_own_strategies:
        raise InvalidError("own strategies and programs play on this machine only: leave out --scheduler")


def _play_until_decided(
    partial: UnfinishedRun, settings: WorkerSettings, clock: ProgressClock
) -> UnfinishedRun:
    """Play a comparison until it is decided; return the run, shortened to the blocks that were needed."""
    monitor = SequentialMonitor(partial)
    with closing(_play_remaining_shards(partial, settings, clock)) as steps:
        while (blocks := monitor.blocks_needed()) is None:
            next(steps)
    return partial.shorten(blocks)


def _play_remaining_shards(
    partial: UnfinishedRun, settings: WorkerSettings, clock: ProgressClock
) -> Generator[None]:
    """Play all unfinished shards; yield after each. Raises RunStopped if the run is cancelled."""
    todo = sorted(set(range(len(partial.design.shards))) - partial.finished_shards)
    with closing(play_shards(partial, todo, settings)) as game_counts:
        for games in game_counts:
            if games == 0:
                raise RunStopped(partial)
            clock.advance(games)
            yield


def play_shards(partial: UnfinishedRun, todo: list[int], settings: WorkerSettings) -> Generator[int]:
    """Play shards of a claimed run and yield the number of games of each finished one, or 0 for a shard that was cancelled.

    Close the generator to stop. Raises PlayError if a game fails, and OSError if a shard cannot be written.
    """
    design = partial.design
    is_bound = bool(design.own_strategies.functions)  # functions of this process cannot play in another one
    workers = 1 if is_bound else min(settings.workers or usable_cpus(), max(1, len(todo)))
    if settings.scheduler:
        with connect_cluster(settings.scheduler) as cluster:
            yield from _submit_shards(partial, todo, cluster, lambda: cluster.size, play_remote_shard)
        return
    has_kernel = compiled_games.find_design_kernel(design) is not None
    # own strategies need a process that can be killed, compiled games a thread: they cannot be interrupted
    if workers == 1 and not has_kernel and (is_bound or not design.has_own_strategies):
        document = design.model_dump_json()
        yield from (play_shard(partial.folder, document, number, design.own_strategies) for number in todo)
        return
    with open_worker_pool(workers, threads=has_kernel) as pool:
        if (
            workers == 1
        ):  # one shard after the other; Ctrl-C could not interrupt a compiled game in the main thread
            for number in todo:
                yield from _submit_shards(partial, [number], pool, lambda: 1)
        else:
            yield from _submit_shards(partial, todo, pool, lambda: workers)


def _submit_shards(
    partial: UnfinishedRun,
    todo: list[int],
    executor: Executor,
    workers: Callable[[], int],
    play: Callable[[Path, str, int, OwnStrategies], int] = play_shard,
) -> Generator[int]:
    """Play shards on an executor. At most two shards a worker are submitted at a time, so that a stop is quick."""
    folder, document = partial.folder.absolute(), partial.design.model_dump_json()
    own_strategies = partial.design.own_strategies
    futures: set[Future[int]] = set()
    try:
        for number in todo:
            futures.add(executor.submit(play, folder, document, number, own_strategies))
            if len(futures) >= 2 * workers():
                done, futures = wait(futures, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        yield from (future.result() for future in as_completed(futures))
    except BrokenProcessPool:
        raise PlayError(
            find_crash_message(partial.folder / "writing")
            or "a worker process died, perhaps because memory ran out; try fewer workers"
        ) from None
    except BaseException as error:
        is_interrupt = isinstance(error, KeyboardInterrupt | GeneratorExit)
        _stop_workers(partial, executor, futures, STOP_TIMEOUT_SECONDS if is_interrupt else None)
        raise


def _stop_workers(
    partial: UnfinishedRun, executor: Executor, futures: set[Future[int]], seconds: float | None
) -> None:
    """Cancel the shards that have not begun, and wait for the others, at most `seconds`."""
    was_cancelled = partial.is_cancelled
    with suppress(OSError):  # the folder may have vanished
        partial.cancel()
    executor.shutdown(wait=False, cancel_futures=True)
    begun = [future for future in futures if not future.cancel()]
    running = wait(begun, timeout=seconds).not_done
    if not running and not was_cancelled:
        partial.take_back_cancel()


FAMILY_ERROR_RATE: Final = 0.05
"""Probability of any wrong decision in such a comparison, over all looks and all pairs, under the condition that
`pipelines.statistics.sequential` states."""


def make_stopping_rule(design: ComparisonDesign) -> StoppingRule:
    """Return the stopping rule of each pair of a comparison. The errors of all pairs add up to FAMILY_ERROR_RATE.

    Raises ValueError if the design is not played until it is decided.
    """
    contest = design.contest
    if contest.most_blocks is None:
        raise ValueError("This run is not played until it is decided.")
    level = 1 - FAMILY_ERROR_RATE / len(side_pairs(len(design.lineup)))
    return StoppingRule(
        contest.most_blocks,
        contest.margin,
        level=level,
        first_look=min(FIRST_LOOK_BLOCKS, contest.most_blocks),
    )


class SequentialMonitor:
    """Follows the finished shards of an unfinished comparison, in the order of their blocks."""

    def __init__(self, partial: UnfinishedRun) -> None:
        design = read_as_comparison(partial.design)
        self._partial, self._design, self._metric = partial, design, METRICS[design.contest.metric]
        self._rule, self._shards = make_stopping_rule(design), design.shards
        self._looks = set(design.contest.look_schedule)
        self._shards_read = 0
        self._columns: dict[Pair, list[PairColumns]] = {pair: [] for pair in side_pairs(len(design.lineup))}

    def blocks_needed(self) -> int | None:
        """Return the number of blocks after which the comparison is decided or its budget is spent, or None until then."""
        finished = self._partial.finished_shards
        while self._shards_read in finished:
            blocks = self._shards[self._shards_read]
            folder = self._partial.shards_folder / f"{self._shards_read:06}"
            outcomes = read_shard_outcomes(self._design, folder, blocks)
            for pair, columns in self._columns.items():
                columns.append(pair_columns(outcomes, pair, self._metric))
            self._shards_read += 1
            if blocks.stop == self._design.blocks or (blocks.stop in self._looks and self._is_decided()):
                return blocks.stop
        return None

    def _is_decided(self) -> bool:
        return all(self._judge_pair(pair).is_over for pair in self._columns)

    def _judge_pair(self, pair: Pair) -> SequentialLook:
        columns = PairColumns(*(np.concatenate(values) for values in zip(*self._columns[pair], strict=True)))
        bounds = difference_bounds(self._design, pair, self._metric, columns)
        return self._rule.judge_differences(columns.differences, bounds)


class ProgressClock:
    """Count games and estimate the time left from the speed since this object was made."""

    def __init__(self, games: int, done: int, progress: ProgressCallback | None) -> None:
        self._games, self._done, self._done_at_start = games, done, done
        self._progress, self._started = progress, time.monotonic()
        self._report_progress(None)

    def advance(self, games: int) -> None:
        """Count `games` more games as done and report the progress."""
        self._done += games
        seconds = time.monotonic() - self._started
        seconds_a_game = seconds / max(1, self._done - self._done_at_start)
        self._report_progress(seconds_a_game * (self._games - self._done))

    def _report_progress(self, seconds_left: float | None) -> None:
        if self._progress:
            self._progress(self._done, self._games, seconds_left)
