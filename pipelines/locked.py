"""The process in which a query of somebody's runs: it can read some runs, use so much memory and time, and nothing else.

A limit that DuckDB sets itself is not enough: one expression can take gigabytes and half a minute before it asks whether it
may. So the query has a process of its own, which the system stops at its memory and who asked at its time. Started by
`pipelines.query` as a program, it loads nothing but DuckDB: that takes a tenth of a second.
"""

from __future__ import annotations

import pickle
import resource
import sys
import threading
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import duckdb

if TYPE_CHECKING:
    from collections.abc import Mapping

Told: TypeAlias = tuple[str, Any]
"""How it ended and what there is to say: ("rows", (columns, rows)), or what went wrong and its message."""

REFUSED: Final = 'expected one query such as "SELECT * FROM run"; runs are never changed'
"""Runs are read-only and the file system is shut anyway, but a change should be told from a question."""
_QUESTIONS: Final = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)


def told(task: Mapping[str, Any]) -> Told:
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
        statements = connection.extract_statements(task["sql"])
        if len(statements) != 1 or statements[0].type not in _QUESTIONS:
            return "wrong", REFUSED
        result = connection.execute(task["sql"])
        columns = tuple(str(column[0]) for column in result.description or ())
        return "rows", (columns, result.fetchmany(task["rows"]))
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
    task = pickle.load(sys.stdin.buffer)  # noqa: S301 - from who started this process
    resource.setrlimit(resource.RLIMIT_AS, (task["bytes"], task["bytes"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.buffer.write(b"!")  # its time begins
    sys.stdout.buffer.flush()
    try:
        answer = pickle.dumps(told(task))
    except MemoryError:
        answer = pickle.dumps(("large", ""))
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
