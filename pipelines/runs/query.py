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

from engine.errors import InvalidError
from pipelines.runs.attach import attach_statements
from pipelines.runs.query_process import decode_value
from pipelines.runs.schema import OFFLINE_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pipelines.runs.run import Run

MAX_QUERY_ROWS: Final = 1000
QUERY_TIMEOUT_SECONDS: Final = 30.0
QUERY_MEMORY_LIMIT: Final = "1GB"
"""What DuckDB may take for a query; it says so when it needs more."""
MAX_PROCESS_BYTES: Final = 3 << 30
"""Address space of the process that runs the query: where DuckDB does not count, the system stops it."""
MAX_ANSWER_BYTES: Final = 64 << 20
KILL_GRACE_SECONDS: Final = 1.0
"""How long after its time a query that does not stop goes on before its process is ended."""

_QUERY_PROGRAM: Final = Path(__file__).with_name("query_process.py")


@dataclass(frozen=True)
class Answer:
    """The rows of a query."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    is_cut: bool
    """Whether there are more rows than the limit."""


def answer_query(
    runs: Sequence[Run],
    sql: str,
    *,
    rows: int = MAX_QUERY_ROWS,
    seconds: float = QUERY_TIMEOUT_SECONDS,
    begun: Callable[[Callable[[], None]], None] = lambda _: None,
) -> Answer:
    """Return what a query says of some runs; each table has a first column `run`.

    It runs in a process of its own. `begun` is called with a function that stops it, from whatever thread. Raises
    InvalidError for anything but one query, for an error in it, and when it takes too long or too much.
    """
    settings = {
        **OFFLINE_SETTINGS,
        "threads": "2",
        "memory_limit": QUERY_MEMORY_LIMIT,
        "temp_directory": "",  # what does not fit into memory is no question for a page; nothing goes to the disk
    }
    how, said = _run_query_process(
        {
            "settings": settings,
            "statements": list(attach_statements(runs)),
            "sql": sql,
            "rows": rows + 1,
            "seconds": seconds,
            "bytes": MAX_PROCESS_BYTES,
        },
        seconds,
        begun,
    )
    match how:
        case "rows":
            columns, found = said
            return Answer(
                tuple(columns), [tuple(decode_value(row)) for row in found[:rows]], len(found) > rows
            )
        case "stopped":
            raise InvalidError("the query was stopped")
        case "late":
            raise InvalidError(f"the query was stopped after {seconds:g} seconds")
        case "large":
            raise InvalidError(
                f"the query needs more than {QUERY_MEMORY_LIMIT} of memory; ask for less at once"
            )
        case "long":
            raise InvalidError(
                f"the answer is larger than {MAX_ANSWER_BYTES >> 20} MB; ask for fewer rows or shorter texts"
            )
        case _:
            raise InvalidError(_format_query_error(said))


def _run_query_process(
    task: dict[str, Any], seconds: float, begun: Callable[[Callable[[], None]], None]
) -> tuple[str, Any]:
    """Have `pipelines.runs.query_process` run a query, and end its process when its time is over."""
    with _spare_process.take_process() as process:
        assert process.stdin  # noqa: S101 - for mypy: they are pipes
        assert process.stdout  # noqa: S101
        ended: list[str] = []

        def end_process(why: str) -> None:
            ended.append(why)
            process.kill()

        timer = threading.Timer(seconds + KILL_GRACE_SECONDS, end_process, ("late",))
        try:
            begun(lambda: end_process("stopped"))
            with contextlib.suppress(BrokenPipeError), process.stdin:  # it may have been stopped already
                process.stdin.write(json.dumps(task).encode())
            process.stdout.read(1)  # it has started: only now its time begins, however busy the machine is
            timer.start()
            found = process.stdout.read(MAX_ANSWER_BYTES + 1)
        finally:
            timer.cancel()
            process.kill()
    if ended:
        return ended[0], ""
    if len(found) > MAX_ANSWER_BYTES:
        return "long", ""
    try:
        how, said = json.loads(found)
    except ValueError:
        return "large", ""  # it died: the system gives no other reason for that
    return how, said


class _SpareProcess:
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
            self._waiting = self._living_process() or _start_process()

    @contextlib.contextmanager
    def take_process(self) -> Iterator[subprocess.Popen[bytes]]:
        """Give a process away for one query; it ends with that. The next one is made when this query is over."""
        with self._lock:
            waiting, self._waiting = self._living_process(), None
        try:
            with waiting or _start_process() as process:
                yield process
        finally:
            if self._wanted:
                with contextlib.suppress(
                    OSError
                ):  # too little memory for one that waits takes no answer away
                    self.prepare()

    def end(self) -> None:
        with self._lock:
            waiting, self._waiting = self._living_process(), None
        if waiting:
            waiting.kill()
            _close_process(waiting)

    def _living_process(self) -> subprocess.Popen[bytes] | None:
        if self._waiting and self._waiting.poll() is not None:
            _close_process(self._waiting)
            return None
        return self._waiting


def _close_process(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes of a process and wait until it is gone."""
    with process:
        pass


def _start_process() -> subprocess.Popen[bytes]:
    # -P: the folder of the program holds modules of ours that are called like some of Python.
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-P", str(_QUERY_PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


_spare_process: Final = _SpareProcess()


def prepare_query_process() -> None:
    """Have a process ready for the next query, and for every one after it.

    That saves a tenth of a second each; a process that waits takes some 40 MB.
    """
    _spare_process.prepare()


def _format_query_error(message: str) -> str:
    """Return an error of DuckDB without the quotation of the query, which the person has in front of them."""
    return "\n".join([line for line in message.splitlines() if line.strip()][:2])
