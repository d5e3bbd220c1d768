"""Playing shards on a Dask cluster: processes on any machines that see the folder of the run under the same path.

A shard is there at once or not at all, and what is in it depends on its number alone. So a worker that is lost costs
the shards it was at: the scheduler hands them to others, and the run is what it would have been.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.errors import InvalidError
from pipelines.simulate.shard_tables import PlayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

SCHEDULER_TIMEOUT_SECONDS: Final = 10
"""How long the scheduler may take to answer."""
FIRST_WORKER_TIMEOUT_SECONDS: Final = 30
"""How long the first worker may take to come."""
_SOURCE_PACKAGES: Final = ("engine", "pipelines")
_SOURCE_ROOT: Final = Path(__file__).resolve().parents[2]


@contextmanager
def connect_cluster(scheduler: str) -> Iterator[Cluster]:
    """Work with the cluster behind an address such as tcp://host:8786.

    Raises InvalidError if nobody answers there, no worker comes or one is not fit, PlayError if the cluster is lost on
    the way.
    """
    found = Cluster(scheduler)
    try:
        yield found
    except Exception as error:
        if said := _explain_cluster_error(error, scheduler):
            raise said from error
        raise
    finally:
        found.close()


def _explain_cluster_error(error: Exception, scheduler: str) -> PlayError | None:
    """Return what has befallen the cluster, or None if it was something else."""
    from distributed import KilledWorker  # noqa: PLC0415 - as below
    from distributed.comm.core import CommClosedError  # noqa: PLC0415

    if isinstance(error, CancelledError | CommClosedError):
        return PlayError(f"lost the scheduler at {scheduler}")
    if isinstance(error, KilledWorker):
        return PlayError(
            f"{error.allowed_failures + 1} workers died over the same shard, perhaps for want of memory; "
            f"the last was {error.last_worker.address}"
        )
    if isinstance(error, ModuleNotFoundError) and error.name in _SOURCE_PACKAGES:
        return PlayError("a worker has no Reroll: install the same version where the workers start")
    return None


class Cluster(Executor):
    """Hands shards to the workers of a Dask scheduler."""

    def __init__(self, scheduler: str) -> None:
        try:
            from distributed import Client  # noqa: PLC0415 - an extra that few need
        except ModuleNotFoundError:
            raise InvalidError("a cluster needs Dask: pip install 'reroll[cluster]'") from None
        try:
            self._client: Any = Client(scheduler, timeout=SCHEDULER_TIMEOUT_SECONDS, set_as_default=False)
        except (OSError, ValueError):
            raise InvalidError(
                f"no Dask scheduler answers at {scheduler}: start one with `dask scheduler`, "
                "and workers with `dask worker ADDRESS`"
            ) from None
        self._executor = self._client.get_executor(pure=False)
        try:
            self._client.wait_for_workers(1, timeout=FIRST_WORKER_TIMEOUT_SECONDS)
        except TimeoutError:
            self.close()
            raise InvalidError(
                f"the scheduler at {scheduler} has no workers: start some with `dask worker {scheduler}`"
            ) from None

    @property
    def size(self) -> int:
        """How many shards can be played at once now; workers may come and go."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        """Have a function of a shard called by any worker that sees its folder and plays as this process does."""
        future: Future[Any] = self._executor.submit(
            _call_on_worker, source_fingerprint(), function, *args, **kwargs
        )
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        """Let what is being played end, or, with `cancel_futures`, forget what is not begun."""
        if self._client.status == "running":
            self._executor.shutdown(wait=wait and not cancel_futures)

    def close(self) -> None:
        self._client.close(timeout=SCHEDULER_TIMEOUT_SECONDS)


def _call_on_worker(expected: str, function: Callable[..., int], folder: Path, *args: object) -> int:
    """Play a shard on the worker; raise InvalidError if it is not fit for it."""
    from distributed import get_worker  # noqa: PLC0415 - as above

    if source_fingerprint() != expected:
        raise InvalidError(f"worker {get_worker().address} has another version of Reroll; all need the same")
    if not folder.is_dir():
        raise InvalidError(
            f"worker {get_worker().address} does not see {folder}; the data folder must lie on a path that all share"
        )
    return function(folder, *args)


@cache
def source_fingerprint() -> str:
    """Return a hash of all that decides how games are played and written."""
    found = hashlib.sha256()
    for path in sorted(path for part in _SOURCE_PACKAGES for path in (_SOURCE_ROOT / part).rglob("*.py")):
        found.update(path.relative_to(_SOURCE_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
