"""Threads and processes of this machine, or of a Dask cluster, that play shards and check games for the process that coordinates.

An executor that plays shards on a Dask cluster, whose workers see the folder of the run under the same path.
A shard is complete or absent, and its content depends only on its number. If a worker is lost, the scheduler gives its
shards to other workers, and the content of the run does not change.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from engine import line_protocol
from engine.errors import InvalidError
from pipelines.interrupts import defer_interrupts
from pipelines.runs.working_folder import outside_deleted_folder
from pipelines.simulate.errors import PlayError

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
        with defer_interrupts(), outside_deleted_folder():
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


SCHEDULER_TIMEOUT_SECONDS: Final = 10
"""Seconds within which the scheduler must answer."""
FIRST_WORKER_TIMEOUT_SECONDS: Final = 30
"""Seconds within which the first worker must connect."""
_ADDRESS_PATTERN: Final = re.compile(r"((tcp|tls|ws|wss)://)?([^\s/:\[\]]+|\[[0-9a-fA-F:.%]+\]):[0-9]{1,5}/?")
_LOST_SCHEDULER: Final = "lost the scheduler at {}"
_SOURCE_PACKAGES: Final = ("engine", "pipelines")
_SOURCE_SUFFIXES: Final = {".py", ".toml", ".zlib"}
"""Suffixes of sources, and of the weights of strategies."""
_RULESETS_FOLDER: Final = "rulesets"
"""The folder that an installed package has in its engine and a clone has elsewhere. A run holds its ruleset itself."""
_SOURCE_ROOT: Final = Path(__file__).resolve().parents[2]


def check_cluster(scheduler: str, notify: Callable[[str], None] = lambda _: None) -> None:
    """Connect to a cluster, wait for its first worker, and disconnect.

    `notify` gets a line of text if there is no worker yet. Raises what `connect_cluster` raises.
    """
    Cluster(scheduler, notify).close()


@contextmanager
def connect_cluster(scheduler: str) -> Iterator[Cluster]:
    """Connect to the cluster at an address such as tcp://host:8786, for the time of the context.

    Raises InvalidError if no scheduler answers, if no worker connects, or if a worker cannot play this run. Raises
    PlayError if the cluster is lost.
    """
    cluster = Cluster(scheduler)
    try:
        yield cluster
    except Exception as error:
        if explained := _explain_cluster_error(error, scheduler):
            raise explained from error
        raise
    finally:
        cluster.close()


def _explain_cluster_error(error: Exception, scheduler: str) -> PlayError | None:
    """Return an error that explains what happened to the cluster, or None for an error of another kind."""
    from distributed import KilledWorker  # noqa: PLC0415 - Dask takes 1.7 s to import
    from distributed.comm.core import CommClosedError  # noqa: PLC0415 - Dask takes 1.7 s to import

    if isinstance(error, CancelledError | CommClosedError):
        return PlayError(_LOST_SCHEDULER.format(scheduler))
    if isinstance(error, KilledWorker):
        return PlayError(
            f"{error.allowed_failures + 1} workers died while playing the same shard, perhaps because memory ran out; "
            f"the last was {error.last_worker.address}"
        )
    if isinstance(error, ModuleNotFoundError) and error.name in _SOURCE_PACKAGES:
        return PlayError("a worker has no Reroll; install the same version of Reroll on all machines")
    return None


class Cluster(Executor):
    """An executor whose calls run on the workers of a Dask scheduler."""

    def __init__(self, scheduler: str, notify: Callable[[str], None] = lambda _: None) -> None:
        # Dask prints a traceback for such an address, long after its error has been reported
        if not _ADDRESS_PATTERN.fullmatch(scheduler):
            raise InvalidError(f"scheduler {scheduler!r}: expected an address such as tcp://host:8786")
        try:
            from distributed import Client  # noqa: PLC0415 - Dask takes 1.7 s to import, and is an optional extra
        except ModuleNotFoundError:
            raise InvalidError(
                "a cluster needs Dask: in a clone of Reroll, pip install -e '.[cluster]'"
            ) from None
        try:
            self._client: Any = Client(scheduler, timeout=SCHEDULER_TIMEOUT_SECONDS, set_as_default=False)
        except (OSError, ValueError):
            raise InvalidError(
                f"no Dask scheduler answers at {scheduler}: start one with `dask scheduler`, "
                "and workers with `dask worker ADDRESS`"
            ) from None
        self._address = scheduler
        self._executor = self._client.get_executor(pure=False)
        if not self._client.nthreads():
            notify(
                f"the scheduler at {scheduler} has no workers yet; "
                f"waiting up to {FIRST_WORKER_TIMEOUT_SECONDS} s for the first one"
            )
        try:
            self._client.wait_for_workers(1, timeout=FIRST_WORKER_TIMEOUT_SECONDS)
        except TimeoutError:
            self.close()
            raise InvalidError(
                f"the scheduler at {scheduler} has no workers: start some with `dask worker {scheduler}`"
            ) from None

    @property
    def size(self) -> int:
        """How many shards the workers can play at once now. Workers may join and leave at any time.

        Raises PlayError if the scheduler no longer answers.
        """
        try:
            threads: dict[str, int] = self._client.nthreads()
        except OSError as error:
            raise PlayError(_LOST_SCHEDULER.format(self._address)) from error
        return max(1, sum(threads.values()))

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        """Call `function(folder, ...)` on any worker, after a check that the worker can play this run."""
        future: Future[Any] = self._executor.submit(
            _call_on_worker, source_fingerprint(), function, *args, **kwargs
        )
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        """Wait for the submitted calls; with `cancel_futures`, drop those that have not begun, and do not wait."""
        if self._client.status == "running":
            self._executor.shutdown(wait=wait and not cancel_futures)

    def close(self) -> None:
        self._client.close(timeout=SCHEDULER_TIMEOUT_SECONDS)


def _call_on_worker(expected: str, function: Callable[..., int], folder: Path, *args: object) -> int:
    """Call the function on the worker. Raises InvalidError if the worker has other sources or does not see the folder."""
    from distributed import get_worker  # noqa: PLC0415 - Dask takes 1.7 s to import

    if source_fingerprint() != expected:
        raise InvalidError(
            f"worker {get_worker().address} has another version of Reroll; install the same on all"
        )
    if not folder.is_dir():
        raise InvalidError(
            f"worker {get_worker().address} does not see {folder}; the data folder must have the same path on all machines"
        )
    return function(folder, *args)


@cache
def source_fingerprint() -> str:
    """Return a hash of the files that decide how games are played and written: sources, and weights of strategies."""
    digest = hashlib.sha256()
    paths = (path for name in _SOURCE_PACKAGES for path in (_SOURCE_ROOT / name).rglob("*"))
    for path in sorted(paths):
        if path.suffix not in _SOURCE_SUFFIXES or path.parent.name == _RULESETS_FOLDER:
            continue
        digest.update(path.relative_to(_SOURCE_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
