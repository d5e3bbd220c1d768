"""The process in which a query of somebody's runs: it can read some runs, use so much memory and time, and nothing else.

A limit that DuckDB sets itself is not enough: one expression can take gigabytes and half a minute before it asks whether it
may. So the query has a process of its own, which the system stops at its memory and who asked at its time. Started by
`pipelines.runs.query` as a program, it loads nothing but DuckDB: that takes a tenth of a second.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import threading
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import duckdb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

QueryOutcome: TypeAlias = tuple[str, Any]
"""How it ended and what there is to say: ("rows", (columns, rows)), or what went wrong and its message."""

NOT_A_QUERY_MESSAGE: Final = 'expected one query such as "SELECT * FROM run"; runs are never changed'
"""Runs are read-only and the file system is shut anyway, but a change should be told from a question."""
_QUERY_TYPES: Final = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)


_QUERY_START_PATTERN: Final = re.compile(
    r"(?:\s|\(|--[^\n]*\n|/\*(?>.*?\*/))*+(?:PIVOT|FROM|SELECT|WITH)\b", re.IGNORECASE | re.DOTALL
)
"""How a question begins that DuckDB answers in several steps: a PIVOT first looks which columns it will have. A change may
have a PIVOT in it too."""


def is_single_query(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Say whether it is one query; raises duckdb.Error for what is no SQL."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        return False
    if statements[0].type == duckdb.StatementType.MULTI:
        return _QUERY_START_PATTERN.match(sql) is not None
    return statements[0].type in _QUERY_TYPES


def encode_value(value: object) -> Any:  # noqa: ANN401, PLR0911 - what JSON can say, kind by kind
    """Return a value of a row as JSON can say it: what it has no word for becomes an object with its type."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [encode_value(one) for one in value]
        case dict():
            return {"dict": [[encode_value(key), encode_value(one)] for key, one in value.items()]}
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


def decode_value(value: Any) -> Any:  # noqa: ANN401 - see above
    """Return what `encode_value` was given; rows and other tuples as lists."""
    if isinstance(value, list):
        return [decode_value(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((kind, said),) = value.items()
    return _DECODERS[kind](said)


_DECODERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "dict": lambda pairs: {decode_value(key): decode_value(one) for key, one in pairs},
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "interval": lambda parts: timedelta(*parts),
    "bytes": bytes.fromhex,
}


def run_query(task: Mapping[str, Any]) -> QueryOutcome:
    """Run a query and say how it ended.

    The task has `settings` and `statements` that make the connection, `sql`, `rows` at most, and `seconds`.
    """
    connection = duckdb.connect(config=task["settings"])
    try:
        for statement in task["statements"]:
            connection.execute(statement)
    except duckdb.Error as error:
        return "unreadable", str(error)
    timer = threading.Timer(task["seconds"], connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        if not is_single_query(connection, task["sql"]):
            return "wrong", NOT_A_QUERY_MESSAGE
        result = connection.execute(task["sql"])
        columns = tuple(str(column[0]) for column in result.description or ())
        return "rows", (columns, [encode_value(row) for row in result.fetchmany(task["rows"])])
    except duckdb.InterruptException:
        return "late", ""
    except (duckdb.OutOfMemoryException, MemoryError):
        return "large", ""
    except duckdb.Error as error:
        return "wrong", str(error)
    finally:
        timer.cancel()


def main() -> None:
    """Read a task, answer it. Whoever started this reads no more than a certain size of it."""
    task = json.load(sys.stdin.buffer)
    resource.setrlimit(resource.RLIMIT_AS, (task["bytes"], task["bytes"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.buffer.write(b"!")  # its time begins
    sys.stdout.buffer.flush()
    try:
        answer = json.dumps(run_query(task))
    except MemoryError:
        answer = json.dumps(("large", ""))
    sys.stdout.buffer.write(answer.encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
