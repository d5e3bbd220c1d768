"""Queries that a person writes: SQL over the runs of the library, read-only, with limits on time, memory and size.

A query runs in a process of its own, `pipelines.runs.query_process`.
"""

from __future__ import annotations

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
    from collections.abc import Callable, Sequence

    from pipelines.runs.run import Run

MAX_QUERY_ROWS: Final = 1000
QUERY_TIMEOUT_SECONDS: Final = 30.0
QUERY_MEMORY_LIMIT: Final = "1GB"
"""Memory limit of DuckDB for a query. DuckDB does not count all of its memory, see `MAX_PROCESS_BYTES`."""
MAX_PROCESS_BYTES: Final = 3 << 30
"""Address space of the process that runs the query. The operating system enforces this limit."""
MAX_ANSWER_BYTES: Final = 64 << 20
KILL_GRACE_SECONDS: Final = 1.0
"""DuckDB interrupts a query after its time; if that fails, its process is killed so many seconds later."""

_QUERY_PROGRAM: Final = Path(__file__).with_name("query_process.py")


@dataclass(frozen=True)
class Answer:
    """The rows that a query returned."""

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
    """Answer a query over some runs with at most `rows` rows; each table has a first column `run`.

    `begun` is called with a function that stops the query and may be called from any thread. Raises InvalidError if the
    text is not one query, if the query has an error, and if it exceeds a limit.
    """
    settings = {
        **OFFLINE_SETTINGS,
        "threads": "2",
        "memory_limit": QUERY_MEMORY_LIMIT,
        "temp_directory": "",  # never spill to the disk
    }
    outcome, content = _run_query_process(
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
    match outcome:
        case "rows":
            columns, encoded = content
            return Answer(
                tuple(columns), [tuple(decode_value(row)) for row in encoded[:rows]], len(encoded) > rows
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
            raise InvalidError(_format_query_error(content))


def _run_query_process(
    task: dict[str, Any], seconds: float, begun: Callable[[Callable[[], None]], None]
) -> tuple[str, Any]:
    """Run a query in a new process; kill the process when its time is over. Return how it ended and its answer."""
    with _start_process() as process:
        assert process.stdin  # noqa: S101 - for mypy: both are pipes
        assert process.stdout  # noqa: S101
        reasons: list[str] = []

        def end_process(reason: str) -> None:
            reasons.append(reason)
            process.kill()

        timer = threading.Timer(seconds + KILL_GRACE_SECONDS, end_process, ("late",))
        try:
            begun(lambda: end_process("stopped"))
            with contextlib.suppress(BrokenPipeError), process.stdin:  # the process may be stopped already
                process.stdin.write(json.dumps(task).encode())
            process.stdout.read(1)  # its time begins when it has started, however busy the machine is
            timer.start()
            output = process.stdout.read(MAX_ANSWER_BYTES + 1)
        finally:
            timer.cancel()
            process.kill()
    if reasons:
        return reasons[0], ""
    if len(output) > MAX_ANSWER_BYTES:
        return "long", ""
    try:
        outcome, content = json.loads(output)
    except ValueError:
        return "large", ""  # the process died: the system kills it only for its use of memory
    return outcome, content


def _start_process() -> subprocess.Popen[bytes]:
    # -P: the folder of the program is not searched for imports, because some modules in it have names of Python's own.
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-P", str(_QUERY_PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _format_query_error(message: str) -> str:
    """Return an error of DuckDB without the part that quotes the query."""
    return "\n".join([line for line in message.splitlines() if line.strip()][:2])
