"""Queries that a person writes: over the library, read-only, with a limit on everything."""

from __future__ import annotations

import atexit
import contextlib
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.game import InvalidError
from pipelines.runs.attach import statements
from pipelines.runs.query_process import read
from pipelines.runs.schema import LOCAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pipelines.runs.run import Run

ROWS: Final = 1000
SECONDS: Final = 30.0
MEMORY: Final = "1GB"
"""What DuckDB may take for a query; it says so when it needs more."""
PROCESS_BYTES: Final = 3 << 30
"""Address space of the process that runs the query: where DuckDB does not count, the system stops it."""
ANSWER_BYTES: Final = 64 << 20
GRACE_SECONDS: Final = 1.0
"""How long after its time a query that does not stop goes on before its process is ended."""

_PROGRAM: Final = Path(__file__).with_name("query_process.py")


@dataclass(frozen=True)
class Answer:
    """The rows of a query."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    is_cut: bool
    """Whether there are more rows than the limit."""


def answer(
    runs: Sequence[Run],
    sql: str,
    *,
    rows: int = ROWS,
    seconds: float = SECONDS,
    begun: Callable[[Callable[[], None]], None] = lambda _: None,
) -> Answer:
    """Return what a query says of some runs; each table has a first column `run`.

    It runs in a process of its own. `begun` is called with a function that stops it, from whatever thread. Raises
    InvalidError for anything but one query, for an error in it, and when it takes too long or too much.
    """
    settings = {
        **LOCAL,
        "threads": "2",
        "memory_limit": MEMORY,
        "temp_directory": "",  # what does not fit into memory is no question for a page; nothing goes to the disk
    }
    how, said = _told(
        {
            "settings": settings,
            "statements": list(statements(runs)),
            "sql": sql,
            "rows": rows + 1,
            "seconds": seconds,
            "bytes": PROCESS_BYTES,
        },
        seconds,
        begun,
    )
    match how:
        case "rows":
            columns, found = said
            return Answer(tuple(columns), [tuple(read(row)) for row in found[:rows]], len(found) > rows)
        case "stopped":
            raise InvalidError("the query was stopped")
        case "late":
            raise InvalidError(f"the query was stopped after {seconds:g} seconds")
        case "large":
            raise InvalidError(f"the query needs more than {MEMORY} of memory; ask for less at once")
        case "long":
            raise InvalidError(
                f"the answer is larger than {ANSWER_BYTES >> 20} MB; ask for fewer rows or shorter texts"
            )
        case _:
            raise InvalidError(_two_lines(said))


def _told(
    task: dict[str, Any], seconds: float, begun: Callable[[Callable[[], None]], None]
) -> tuple[str, Any]:
    """Have `pipelines.runs.query_process` run a query, and end its process when its time is over."""
    with _spare.taken() as process:
        assert process.stdin  # noqa: S101 - for mypy: they are pipes
        assert process.stdout  # noqa: S101
        ended: list[str] = []

        def end(why: str) -> None:
            ended.append(why)
            process.kill()

        timer = threading.Timer(seconds + GRACE_SECONDS, end, ("late",))
        try:
            begun(lambda: end("stopped"))
            with contextlib.suppress(BrokenPipeError), process.stdin:  # it may have been stopped already
                process.stdin.write(json.dumps(task).encode())
            process.stdout.read(1)  # it has started: only now its time begins, however busy the machine is
            timer.start()
            found = process.stdout.read(ANSWER_BYTES + 1)
        finally:
            timer.cancel()
            process.kill()
    if ended:
        return ended[0], ""
    if len(found) > ANSWER_BYTES:
        return "long", ""
    try:
        how, said = json.loads(found)
    except ValueError:
        return "large", ""  # it died: the system gives no other reason for that
    return how, said


class _Spare:
    """A process that has loaded DuckDB and waits for a query, if anybody wants one to be there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: subprocess.Popen[bytes] | None = None
        self._wanted = False

    def prepare(self) -> None:
        with self._lock:
            if not self._wanted:
                self._wanted = True
                atexit.register(self.end)
            self._waiting = self._alive() or _started()

    @contextlib.contextmanager
    def taken(self) -> Iterator[subprocess.Popen[bytes]]:
        """Give a process away for one query; it ends with that. The next one is made when this query is over."""
        with self._lock:
            waiting, self._waiting = self._alive(), None
        try:
            with waiting or _started() as process:
                yield process
        finally:
            if self._wanted:
                with contextlib.suppress(
                    OSError
                ):  # too little memory for one that waits takes no answer away
                    self.prepare()

    def end(self) -> None:
        with self._lock:
            waiting, self._waiting = self._alive(), None
        if waiting:
            waiting.kill()
            _closed(waiting)

    def _alive(self) -> subprocess.Popen[bytes] | None:
        if self._waiting and self._waiting.poll() is not None:
            _closed(self._waiting)
            return None
        return self._waiting


def _closed(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes of a process and wait until it is gone."""
    with process:
        pass


def _started() -> subprocess.Popen[bytes]:
    # -P: the folder of the program holds modules of ours that are called like some of Python.
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-P", str(_PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


_spare: Final = _Spare()


def prepare() -> None:
    """Have a process ready for the next query, and for every one after it.

    That saves a tenth of a second each; a process that waits takes some 40 MB.
    """
    _spare.prepare()


def _two_lines(message: str) -> str:
    """Return an error of DuckDB without the quotation of the query, which the person has in front of them."""
    return "\n".join([line for line in message.splitlines() if line.strip()][:2])
