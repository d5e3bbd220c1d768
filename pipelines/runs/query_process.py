"""The process in which a query of a person runs, with limits on memory and time that the operating system enforces.

DuckDB's own limits are not enough: a single expression can use gigabytes and half a minute before DuckDB checks them.
`pipelines.runs.query` starts this file as a program; it imports nothing of Reroll, because DuckDB alone loads quickly.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, TypeAlias

import duckdb

QueryOutcome: TypeAlias = tuple[str, Any]
"""("rows", (columns, rows)), or the kind of failure ("wrong", "late", "large", "damaged") and its message."""

NOT_A_QUERY_MESSAGE: Final = 'expected one query such as "SELECT * FROM run"; runs are never changed'
"""Runs are attached read-only and files are out of reach in any case; this message is clearer than DuckDB's."""
_QUERY_TYPES: Final = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
INTERRUPT_INTERVAL_SECONDS: Final = 0.05

_DAMAGE_ERRORS: Final = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
)
"""Errors of DuckDB that a damaged file causes, and no query over intact files. A wrong checksum is a plain `duckdb.Error`."""

_ZONE_PATTERN: Final = re.compile(r"WITH TIME ZONE|TIMESTAMPTZ")
"""The types of DuckDB that hold a time with a zone, alone or inside another type."""

_QUERY_START_PATTERN: Final = re.compile(
    r"(?:\s|\(|--[^\n]*\n|/\*(?>.*?\*/))*+(?:PIVOT|FROM|SELECT|WITH)\b", re.IGNORECASE | re.DOTALL
)
"""The start of a query, after comments and brackets. DuckDB reports a PIVOT as several statements (it first looks up the
columns), whether it is part of a query or of a change."""


def is_single_query(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Return whether the text is exactly one query; raise duckdb.Error if it is not SQL."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        return False
    if statements[0].type == duckdb.StatementType.MULTI:
        return _QUERY_START_PATTERN.match(sql) is not None
    return statements[0].type in _QUERY_TYPES


# The answer travels as JSON, not as Arrow: Arrow does not give back every value (HUGEINT, so every sum of integers, becomes
# a Decimal, INTERVAL, BIT and MAP change, infinite times fail), and pyarrow adds 0.15 s (of 0.3) and 0.7 GB of address space.
def encode_value(value: object) -> Any:  # noqa: ANN401, PLR0911 - what JSON can express, type by type
    """Return a value of a row for JSON. A type that JSON lacks becomes an object with the name of the type as its key."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [encode_value(item) for item in value]
        case dict():
            return {"dict": [[encode_value(key), encode_value(item)] for key, item in value.items()]}
        case Decimal():
            return {"decimal": str(value)}
        case datetime():
            return {"datetime": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case time():
            return {"time": value.isoformat()}
        case timedelta():
            return {"interval": [value.days, value.seconds, value.microseconds]}
        case bytes():
            return {"bytes": value.hex()}
        case _:
            return str(value)


def decode_value(value: Any) -> Any:  # noqa: ANN401 - as above
    """Return the value that `encode_value` was given; tuples become lists, other types text."""
    if isinstance(value, list):
        return [decode_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return _DECODERS[kind](content)


_DECODERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "dict": lambda pairs: {decode_value(key): decode_value(item) for key, item in pairs},
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "interval": lambda parts: timedelta(*parts),
    "bytes": bytes.fromhex,
}


def run_query(task: Mapping[str, Any]) -> QueryOutcome:
    """Run a query and return its outcome.

    The task has the `settings` of the connection, the `statements` that prepare it, the `sql`, its `parameters` by name, and
    the limits `rows` and `seconds`.
    """
    connection = duckdb.connect(config=task["settings"])
    is_over = threading.Event()
    limit = (connection, task["seconds"], is_over)
    threading.Thread(target=_interrupt_late_query, args=limit, daemon=True).start()
    try:
        for statement in task["statements"]:
            connection.execute(statement)
        if not is_single_query(connection, task["sql"]):
            return "wrong", NOT_A_QUERY_MESSAGE
        columns, rows = _fetch_rows(connection, task["sql"], task["parameters"], task["rows"])
        return "rows", (columns, [encode_value(row) for row in rows])
    except duckdb.InterruptException:
        return "late", ""
    except (duckdb.OutOfMemoryException, MemoryError):
        return "large", ""
    except duckdb.Error as error:
        is_damage = type(error) is duckdb.Error or isinstance(error, _DAMAGE_ERRORS)
        return "damaged" if is_damage else "wrong", str(error)
    finally:
        is_over.set()


def _interrupt_late_query(
    connection: duckdb.DuckDBPyConnection, seconds: float, is_over: threading.Event
) -> None:
    """Interrupt a connection after its time, again and again: DuckDB forgets an interrupt between two statements."""
    is_over.wait(seconds)
    while not is_over.wait(INTERRUPT_INTERVAL_SECONDS):
        connection.interrupt()


def _fetch_rows(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: dict[str, Any], max_rows: int
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and at most `max_rows` rows of a query. Values with a time zone become text.

    DuckDB needs the package pytz to give Python a time with a zone, and runs contain none.
    """
    result = connection.execute(sql, parameters) if parameters else connection.execute(sql)
    description = result.description or []
    columns = [str(column[0]) for column in description]
    has_zone = [_ZONE_PATTERN.search(str(column[1])) is not None for column in description]
    if not any(has_zone):
        return columns, result.fetchmany(max_rows)
    connection.abort()
    values = [
        f"CAST(#{number} AS VARCHAR)" if zone else f"#{number}"
        for number, zone in enumerate(has_zone, start=1)
    ]
    relation = connection.sql(sql, params=parameters) if parameters else connection.sql(sql)
    return columns, relation.project(", ".join(values)).limit(max_rows).fetchall()


def main() -> None:
    """Read a task as JSON from the standard input and write its outcome to the standard output."""
    task = json.load(sys.stdin.buffer)
    resource.setrlimit(resource.RLIMIT_AS, (task["bytes"], task["bytes"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.buffer.write(b"!")  # tells the parent that the time of the query begins
    sys.stdout.buffer.flush()
    try:
        answer = json.dumps(run_query(task))
    except MemoryError:
        answer = json.dumps(("large", ""))
    sys.stdout.buffer.write(answer.encode())
    sys.stdout.buffer.flush()
    os._exit(0)  # DuckDB 2.0.1 closes a connection only when a query without an end has ended


if __name__ == "__main__":
    main()
