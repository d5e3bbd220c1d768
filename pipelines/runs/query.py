"""Queries that a person writes: SQL over the runs of the library, read-only, with limits on time, memory and size.

A query runs in a process of its own, `pipelines.runs.query_process`.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.errors import InvalidError
from pipelines.interrupts import end_with_process
from pipelines.runs.attach import attach_statements
from pipelines.runs.pack import drop_damaged_packs
from pipelines.runs.packing import find_sources
from pipelines.runs.query_process import decode_value
from pipelines.runs.schema import OFFLINE_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipelines.runs.query_parameters import ParameterValue
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
NO_PARAMETERS: Final[Mapping[str, ParameterValue]] = MappingProxyType({})

_CRASH_CODES: Final = (-signal.SIGSEGV, -signal.SIGBUS)
_QUERY_PROGRAM: Final = Path(__file__).with_name("query_process.py")


@dataclass(frozen=True)
class Answer:
    """The rows that a query returned."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    is_cut: bool
    """Whether there are more rows than the limit."""
    left_out: tuple[str, ...] = ()
    """One message for each damaged run, whose rows are missing in the answer."""


class _QueryTask(NamedTuple):
    """A query with its limits."""

    sql: str
    rows: int
    seconds: float
    on_start: Callable[[Callable[[], None]], None]
    parameters: Mapping[str, ParameterValue]


def answer_query(  # noqa: PLR0913 - a query, its values and its limits
    runs: Sequence[Run],
    sql: str,
    *,
    parameters: Mapping[str, ParameterValue] = NO_PARAMETERS,
    rows: int = MAX_QUERY_ROWS,
    seconds: float = QUERY_TIMEOUT_SECONDS,
    on_start: Callable[[Callable[[], None]], None] = lambda _: None,
) -> Answer:
    """Answer a query over some runs with at most `rows` rows; each table has a first column `run`.

    `parameters` are the values of all parameters of the query, by name (`pipelines.runs.query_parameters`).
    If some of the runs are damaged, the answer is that of the others, and `Answer.left_out` names the damaged ones.
    `on_start` is called with a function that stops the query and may be called from any thread. Raises InvalidError if the
    text is not one query, if the query has an error, if it exceeds a limit, and if all runs are damaged.
    """
    task = _QueryTask(sql, rows, seconds, on_start, parameters)
    intact, left_out = _separate_unreadable_runs(runs)
    outcome, content = _ask_runs(intact, task)
    is_at_fault = outcome == "damaged" and _ask_runs([], task)[0] == "damaged"  # the query, not a file
    if outcome == "damaged" and intact and not is_at_fault:
        damaged = _find_damaged_runs(intact, content, task)
        left_out += [f"{run.path}: the file is damaged: {message}" for run, message in damaged.items()]
        intact = [run for run in intact if run not in damaged]
        outcome, content = _ask_runs(intact, task)
    if runs and not intact:
        raise InvalidError(left_out[0])
    if outcome != "rows":
        raise _query_error(outcome, content, seconds)
    columns, encoded = content
    answered = [tuple(decode_value(row)) for row in encoded[:rows]]
    return Answer(tuple(columns), answered, len(encoded) > rows, tuple(left_out))


def _separate_unreadable_runs(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """Return the runs that can be attached, and the error messages of the others."""
    readable: list[Run] = []
    messages: list[str] = []
    for run in runs:
        try:
            _ = run.kind_spans
            readable.append(run)
        except InvalidError as error:
            messages.append(str(error))
    return readable, messages


def _find_damaged_runs(runs: Sequence[Run], message: str, task: _QueryTask) -> dict[Run, str]:
    """Return which of the runs make the query fail, with DuckDB's message; `message` is that of all runs together.

    DuckDB does not say which file is damaged. The query is asked of one half of the runs and of the other, and so on.
    """
    if len(runs) == 1:
        return {runs[0]: message.splitlines()[0].removesuffix(".")}
    damaged: dict[Run, str] = {}
    for half in (runs[: len(runs) // 2], runs[len(runs) // 2 :]):
        outcome, content = _ask_runs(half, task)
        if outcome == "damaged":
            damaged |= _find_damaged_runs(half, content, task)
        elif outcome in {"stopped", "late"}:
            raise _query_error(outcome, content, task.seconds)
    return damaged


def _ask_runs(runs: Sequence[Run], task: _QueryTask) -> tuple[str, Any]:
    """Run a query over some runs; return how it ended and its answer."""
    sources = find_sources(runs)
    settings = {
        **OFFLINE_SETTINGS,
        "threads": "2",
        "memory_limit": QUERY_MEMORY_LIMIT,
        "temp_directory": "",  # never spill to the disk
    }
    outcome, content = _run_query_process(
        {
            "settings": settings,
            "statements": list(attach_statements(sources)),
            "sql": task.sql,
            "parameters": dict(task.parameters),
            "rows": task.rows + 1,
            "seconds": task.seconds,
            "bytes": MAX_PROCESS_BYTES,
        },
        task.seconds,
        task.on_start,
    )
    if outcome == "damaged" and drop_damaged_packs(sources.packs):
        return _ask_runs(runs, task)
    return outcome, content


def _query_error(outcome: str, content: str, seconds: float) -> InvalidError:
    """Return the error for a query that did not end with rows."""
    messages = {
        "stopped": "the query was stopped",
        "late": f"the query was stopped after {seconds:g} seconds",
        "large": f"the query needs more than {QUERY_MEMORY_LIMIT} of memory; ask for less at once",
        "long": f"the answer is larger than {MAX_ANSWER_BYTES >> 20} MB; ask for fewer rows or shorter texts",
    }
    return InvalidError(messages.get(outcome) or _format_query_error(content))


def _run_query_process(
    task: dict[str, Any], seconds: float, on_start: Callable[[Callable[[], None]], None]
) -> tuple[str, Any]:
    """Run a query in a new process; kill the process when its time is over. Return how it ended and its answer."""
    with _start_process() as process, end_with_process(process):
        assert process.stdin  # noqa: S101 - for mypy: both are pipes
        assert process.stdout  # noqa: S101
        reasons: list[str] = []

        def end_process(reason: str) -> None:
            reasons.append(reason)
            process.kill()

        timer = threading.Timer(seconds + KILL_GRACE_SECONDS, end_process, ("late",))
        try:
            on_start(lambda: end_process("stopped"))
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
    if process.returncode in _CRASH_CODES:
        return "damaged", "reading it crashed the query"
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
