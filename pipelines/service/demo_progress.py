"""How far the demo library is, and how long the rest takes: by the time that its finished steps took."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import GameError
from pipelines.runs.names import unfinished_path
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.service.demo import plan_demo_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.runs.library import Library
    from pipelines.service.demo import DemoKind, DemoRun
    from pipelines.service.jobs import Job

PLANNED_SECONDS: Final[dict[DemoKind, float]] = {
    "small": 1.1,
    "strategies": 14.0,
    "comparison": 2.5,
    "whatif": 2.0,
}
"""Processor seconds of a run of each kind, its process and its first look at the compiled game included.

Only their ratios count. The games take on average 0.6, 12.5 and 0.5 processor seconds, measured with compiled games; about a
second of each run goes to its process and its first look at the compiled game.
"""
MIN_ELAPSED_SECONDS: Final = 4.0
MIN_SHARE_DONE: Final = 0.03
"""Before both of these nothing is said about the time left: a few steps measure the start of processes only."""
MIN_PACE, MAX_PACE = 0.1, 10.0
"""Limits of the seconds that a planned second takes, so that a machine that slept does not lead to a wild number."""


class DemoStep(NamedTuple):
    """One run of the demo library as a step of the job that makes it."""

    planned_seconds: float
    share_done: float
    """From 0 to 1."""
    is_old: bool = False
    """Whether the run was there before the job began."""


class DemoProgress(NamedTuple):
    """How far the demo library is."""

    ready: int
    runs: int
    share: float
    """The share of the planned time that is done, from 0 to 1; it grows while a long run is made."""
    seconds_left: float | None
    """None as long as it cannot be estimated."""


def read_demo_progress(library: Library, job: Job, clock: Callable[[], float] = time.time) -> DemoProgress:
    """Return how far a job is that makes the demo library. `clock` returns the seconds since 1970."""
    plans = plan_demo_runs(library)
    started = job.started_at
    steps = [_read_step(plan, started) for plan in plans]
    return DemoProgress(
        sum(step.share_done == 1 for step in steps),
        len(steps),
        _planned_done(steps) / sum(step.planned_seconds for step in steps) if steps else 1.0,
        None if started is None else estimate_seconds_left(steps, clock() - started),
    )


def _read_step(plan: DemoRun, started: float | None) -> DemoStep:
    planned = PLANNED_SECONDS[plan.kind]
    try:
        finished = plan.target.stat().st_mtime
    except FileNotFoundError:
        return DemoStep(planned, _share_of_games(plan))
    return DemoStep(planned, 1.0, started is not None and finished < started)


def _share_of_games(plan: DemoRun) -> float:
    """Return the share of the games of an unfinished run that are on disk."""
    try:
        partial = UnfinishedRun(unfinished_path(plan.target.parent, plan.target.stem))
        return min(0.99, partial.games_done / partial.games)
    except (GameError, OSError, ZeroDivisionError):  # it is not begun, or it becomes a run at this moment
        return 0.0


def _planned_done(steps: Sequence[DemoStep]) -> float:
    return sum(step.planned_seconds * step.share_done for step in steps)


def estimate_seconds_left(steps: Sequence[DemoStep], elapsed: float) -> float | None:
    """Return the seconds until all steps are done, if the others go at the pace of those so far; None if too few are done.

    `elapsed` are the seconds since the job began. Steps that were there before it say nothing about its pace.

    >>> estimate_seconds_left([DemoStep(10.0, 1.0), DemoStep(30.0, 0.0)], 20.0)
    60.0
    """
    own = [step for step in steps if not step.is_old]
    done, planned = _planned_done(own), sum(step.planned_seconds for step in own)
    if done >= planned:
        return 0.0
    if elapsed < MIN_ELAPSED_SECONDS or done < MIN_SHARE_DONE * planned:
        return None
    return (planned - done) * min(MAX_PACE, max(MIN_PACE, elapsed / done))
