"""Queries that a person writes: SQL over the runs of the library, read-only, with limits on time, memory and size.

An error names the place of the mistake and the table or column that was meant.

A query runs in a process of its own, `pipelines.runs.query_process`.

The table or column that was meant in a query that failed, for people who do not know the names by heart.
DuckDB says what it did not find; the schema says which names there are, and in which tables.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import duckdb

from engine.errors import InvalidError
from pipelines.interrupts import end_with_process
from pipelines.runs.attach import NO_REVIEWS, attach_statements, find_reviews
from pipelines.runs.pack import drop_damaged_packs, find_sources
from pipelines.runs.query_parameters import ParameterValue, list_words
from pipelines.runs.query_process import decode_value
from pipelines.runs.run import InaccessibleError, Run, explain_open_error
from pipelines.runs.schema import OFFLINE_SETTINGS, documented_tables, review_columns

MAX_QUERY_ROWS: Final = 1000
QUERY_TIMEOUT_SECONDS: Final = 30.0
QUERY_MEMORY_LIMIT: Final = "1GB"
"""Memory limit of DuckDB for a query. DuckDB does not count all of its memory, see `MAX_PROCESS_BYTES`."""
MAX_PROCESS_BYTES: Final = 3 << 30
"""Address space of the process that runs the query. The operating system enforces this limit."""
MAX_ANSWER_BYTES: Final = 64 << 20
KILL_GRACE_SECONDS: Final = 1.0
"""DuckDB interrupts a query after its time; if that fails, its process is killed this number of seconds later."""
NO_PARAMETERS: Final[Mapping[str, ParameterValue]] = MappingProxyType({})

_MEMORY_CODES: Final = (-signal.SIGKILL, -signal.SIGABRT)
"""The system kills a process for its use of memory; C++ aborts one that gets none."""
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
        left_out += [_describe_unreadable(run, message) for run, message in damaged.items()]
        intact = [run for run in intact if run not in damaged]
        outcome, content = _ask_runs(intact, task)
    if runs and not intact:
        raise InvalidError(left_out[0])
    if outcome != "rows":
        raise _query_error(outcome, content, seconds)
    columns, encoded = content
    answered = [tuple(decode_value(row)) for row in encoded[:rows]]
    return Answer(tuple(columns), answered, len(encoded) > rows, tuple(left_out))


def _describe_unreadable(run: Run, message: str) -> str:
    error = explain_open_error(run.path, message)
    return (
        str(error) if isinstance(error, InaccessibleError) else f"{run.path}: the file is damaged: {message}"
    )


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
    reviews = find_reviews(runs) if asks_for_reviews(task.sql) else NO_REVIEWS
    settings = {
        **OFFLINE_SETTINGS,
        "threads": "2",
        "memory_limit": QUERY_MEMORY_LIMIT,
        "temp_directory": "",  # never spill to the disk
    }
    limited_task: dict[str, Any] = {
        "settings": settings,
        "statements": list(attach_statements(sources, reviews)),
        "sql": task.sql,
        "parameters": dict(task.parameters),
        "rows": task.rows + 1,
        "seconds": task.seconds,
        "bytes": MAX_PROCESS_BYTES,
    }
    outcome, content = _run_query_process(limited_task, task.seconds, task.on_start)
    if outcome == "damaged" and drop_damaged_packs(sources.packs):
        return _ask_runs(runs, task)
    return outcome, content


def asks_for_reviews(sql: str) -> bool:
    """Return whether a query may read a table of reviews."""
    return not review_columns().keys().isdisjoint(word.lower() for word in list_words(sql))


def _query_error(outcome: str, content: str, seconds: float) -> InvalidError:
    """Return the error for a query that did not end with rows."""
    messages = {
        "stopped": "the query was stopped",
        "late": f"the query was stopped after {seconds:g} seconds",
        "large": f"the query needs more than {QUERY_MEMORY_LIMIT} of memory; ask for less at once",
        "dead": f"the process of the query ended with code {content}; ask again",
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
            if len(output) <= MAX_ANSWER_BYTES:  # so it has ended, or is about to: wait for its own exit code
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(KILL_GRACE_SECONDS)
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
    except ValueError:  # the process died
        return ("large", "") if process.returncode in _MEMORY_CODES else ("dead", str(process.returncode))
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


MAX_QUOTED_CHARACTERS: Final = 50
"""So much of a line is seen beside the query without scrolling."""


class QueryPosition(NamedTuple):
    """A position in a query; line and column count from 1."""

    line: int
    column: int

    def format_pointer(self, sql: str) -> str:
        r"""Return the line of the query and, below it, a `^` at the column.

        Of a line with more than `MAX_QUOTED_CHARACTERS`, only the text around the column is quoted, with dots at its ends.

        >>> print(QueryPosition(2, 3).format_pointer("SELECT\n  nothing"))
          nothing
          ^
        """
        line, before = sql.split("\n")[self.line - 1].rstrip("\r"), self.column - 1
        if len(line) > MAX_QUOTED_CHARACTERS:
            width = MAX_QUOTED_CHARACTERS - 2  # without the dots
            start = max(0, min(before - width // 2, len(line) - width))
            head, tail = "…" if start else "", "…" if start + width < len(line) else ""
            line, before = f"{head}{line[start : start + width]}{tail}", before - start + len(head)
        return f"{line}\n{' ' * before}^"


def find_mistake(sql: str, parameters: Mapping[str, ParameterValue] = NO_PARAMETERS) -> QueryPosition | None:
    r"""Return the position of a mistake, or None, also for a mistake that shows only when the query runs.

    `parameters` are the values of all parameters of the query, by name.

    >>> find_mistake("SELECT score FROM seats"), find_mistake("SELECT 1 AS one,\n  scor FROM seats")
    (None, QueryPosition(line=2, column=3))
    """
    with duckdb.connect(config={**OFFLINE_SETTINGS, "errors_as_json": "true"}) as connection:
        for statement in attach_statements(find_sources([])):
            connection.execute(statement)
        place = _find_refused_byte(connection, sql, parameters)
    if place is None or not 0 <= place <= len(sql.encode()):
        return None
    before = sql.encode()[:place].decode(errors="ignore")
    return QueryPosition(before.count("\n") + 1, len(before) - before.rfind("\n"))


def _find_refused_byte(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, ParameterValue]
) -> int | None:
    """Return the byte of a query at which DuckDB refuses it, or None. The query is planned, never run."""
    prefix = ""
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            return None
        prefix = "EXPLAIN "
        connection.execute(f"{prefix}{sql}", dict(parameters) or None)
    except duckdb.Error as error:
        _, is_json, detail = str(error).partition(" Error: ")
        place = json.loads(detail).get("position") if is_json else None
        return None if place is None else int(place) - len(prefix)
    return None


SIMILARITY: Final = 0.6
"""How alike two names must be, as `difflib` measures it, for the one to be suggested instead of the other."""


class QueryHint(NamedTuple):
    """What is wrong with a query and what to do."""

    text: str
    replacement: str = ""
    """What may stand instead of the word that is wrong; empty if that is not known."""
    mended_sql: str = ""
    """The query with the replacement, or an empty text."""


def explain_failure(sql: str, message: str, position: QueryPosition | None = None) -> QueryHint | None:
    """Return what to change in a query that DuckDB refused with `message`; None if nothing is known.

    `position` is where the mistake is, if that is known: only there is a word replaced.

    >>> explain_failure("SELECT score FROM seat", "Table with name seat does not exist!").text
    'There is no table seat. Did you mean seats?'
    """
    for pattern, explain in _EXPLANATIONS.items():
        match = pattern.search(message)
        if match:
            return explain(sql, match, position)
    return None


def _explain_unknown_column(sql: str, match: re.Match[str], position: QueryPosition | None) -> QueryHint:
    name = match[1]
    tables = {table.name: [column.name for column in table.columns] for table in documented_tables()}
    words = {word.lower() for word in list_words(sql)}
    used = [table for table in tables if table in words]
    start = f"There is no column {name}."
    if used:
        owners = f"The table {used[0]} has" if len(used) == 1 else f"The tables {', '.join(used)} have"
        start = f"{owners} no column {name}."
    elsewhere = [table for table, columns in tables.items() if name.lower() in columns]
    if elsewhere:
        return QueryHint(f"{start} {_list_tables(elsewhere)} it.")
    near = _find_nearest(name, sorted({column for table in used or tables for column in tables[table]}))
    hint = _suggest_name(sql, start, name, near, position)
    if near or not re.search(rf'=\s*"?{re.escape(name)}\b', sql):
        return hint
    return QueryHint(f"{start} If it is text, write it in single quotes: '{name}'.")


def _list_tables(names: list[str]) -> str:
    """Return which tables have a column, as the start of a sentence that ends with "it"."""
    if len(names) == 1:
        return f"The table {names[0]} has"
    return f"The tables {', '.join(names[:-1])} and {names[-1]} have"


def _explain_unknown_table(sql: str, match: re.Match[str], position: QueryPosition | None) -> QueryHint:
    near = _find_nearest(match[1], [table.name for table in documented_tables()])
    return _suggest_name(sql, f"There is no table {match[1]}.", match[1], near, position)


def _suggest_name(
    sql: str, start: str, name: str, near: str | None, position: QueryPosition | None
) -> QueryHint:
    if near is None:
        return QueryHint(start)
    return QueryHint(f"{start} Did you mean {near}?", near, _replace_word(sql, name, near, position))


def _replace_word(sql: str, name: str, replacement: str, position: QueryPosition | None) -> str:
    """Return the query with another word at the position of the mistake; empty if `name` does not stand there."""
    if position is None:
        return ""
    lines = sql.split("\n")
    line, start = lines[position.line - 1], position.column - 1
    match = re.compile(rf"(?:\w+\.)?{re.escape(name)}\b", re.IGNORECASE).match(line, start)
    if match is None:
        return ""
    end = match.end()
    lines[position.line - 1] = line[: end - len(name)] + replacement + line[end:]
    return "\n".join(lines)


def _find_nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most alike; None if none is alike."""
    by_letters = {name.lower(): name for name in names}
    nearest = get_close_matches(name.lower(), by_letters, 1, SIMILARITY)
    return by_letters[nearest[0]] if nearest else None


_EXPLANATIONS: Final[
    Mapping[re.Pattern[str], Callable[[str, re.Match[str], QueryPosition | None], QueryHint]]
] = {
    re.compile(r'Referenced column "([^"]+)" not found'): _explain_unknown_column,
    re.compile(r'does not have a column named "([^"]+)"'): _explain_unknown_column,
    re.compile(r"Table with name (\w+) does not exist"): _explain_unknown_table,
}
