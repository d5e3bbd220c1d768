"""Local threads and processes that play shards or check games for the process that coordinates them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from engine import line_protocol
from pipelines.interrupts import defer_interrupts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor, Future

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def usable_cpus() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_worker_pool(workers: int, *, threads: bool = False) -> Iterator[Executor]:
    """Yield a pool of worker processes, or of threads of this process with `threads`.

    Threads suit a compiled game: it releases the GIL while it plays, whereas each process would first need a second to
    load Numba and the kernel. If the context ends by an exception, the calls that have begun are not waited for.
    """
    pool = ThreadPoolExecutor(workers) if threads else _WorkerProcesses(workers)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


class _WorkerProcesses(ProcessPoolExecutor):
    """Worker processes. They are spawned, not forked, so that they inherit no threads and no locks."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_init_worker)

    def submit(
        self, function: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        """Submit a call, which may start a process."""
        with defer_interrupts():
            return super().submit(function, *args, **kwargs)


def _init_worker() -> None:
    """Prepare a worker process: it ignores SIGINT and exits when its parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent.sentinel,), daemon=True).start()


def _exit_with_parent(sentinel: int) -> None:
    """Wait until the parent process has ended, then end the programs that this process started, and exit."""
    wait([sentinel])
    line_protocol.close_all_programs()
    os._exit(1)
