"""Local threads and processes that play shards or check games for the process that coordinates them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor


def usable_cpus() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_worker_pool(workers: int, *, threads: bool = False) -> Executor:
    """Return a pool of worker processes, or of threads of this process with `threads`.

    Processes are spawned, not forked, so that they inherit no threads and no locks. Threads suit a compiled game: it
    releases the GIL while it plays, whereas each spawned process would first need a second to load Numba and the kernel.
    """
    if threads:
        return ThreadPoolExecutor(workers)
    return ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_init_worker
    )


def _init_worker() -> None:
    """Prepare a worker process: it ignores SIGINT and exits when its parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent.sentinel,), daemon=True).start()


def _exit_with_parent(sentinel: int) -> None:
    """Wait until the parent process has ended, then exit."""
    wait([sentinel])
    os._exit(1)
