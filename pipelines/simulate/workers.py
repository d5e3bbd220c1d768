"""Local threads and processes that work for one that coordinates, and how far they are."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    ProgressCallback: TypeAlias = Callable[[int, int, float | None], None]
    """Told games done, games in total, and seconds left (None: not known yet)."""


def usable_cpus() -> int:
    """Return how many processes can work at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_worker_pool(workers: int, *, threads: bool = False) -> Executor:
    """Return processes that start from nothing, so that threads and locks of this one cannot harm them.

    With `threads` they are threads of this process: a compiled game lets others run while it plays, and a process that
    starts from nothing would load Numba and the kernel first, a second of work for each.
    """
    if threads:
        return ThreadPoolExecutor(workers)
    return ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_init_worker
    )


def _init_worker() -> None:
    """Prepare a worker: Ctrl-C is for the process that coordinates, and who has lost that one leaves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent.sentinel,), daemon=True).start()


def _exit_with_parent(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


class ProgressClock:
    """Counts games and estimates the time left from those of this attempt."""

    def __init__(self, games: int, done: int, progress: ProgressCallback | None) -> None:
        self._games, self._done, self._before = games, done, done
        self._progress, self._started = progress, time.monotonic()
        self._report_progress(None)

    def advance(self, games: int) -> None:
        self._done += games
        seconds = time.monotonic() - self._started
        self._report_progress(seconds / max(1, self._done - self._before) * (self._games - self._done))

    def _report_progress(self, left: float | None) -> None:
        if self._progress:
            self._progress(self._done, self._games, left)
