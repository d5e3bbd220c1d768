"""Queries that a person writes: over the library, read-only, with a limit on everything."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import duckdb

from engine.game import InvalidError
from pipelines.union import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.run import Run

ROWS: Final = 1000
SECONDS: Final = 30.0
MEMORY: Final = "1GB"


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

    `begun` is called with a function that stops the query, from whatever thread.

    Raises InvalidError for anything but one query, for an error in it, and when it takes too long or too much.
    """
    with connect(runs, memory=MEMORY) as connection:
        check(connection, sql)
        timer = threading.Timer(seconds, connection.interrupt)
        timer.start()
        begun(lambda: _interrupt(connection))
        try:
            result = connection.execute(sql)
            columns = tuple(str(column[0]) for column in result.description or ())
            found = result.fetchmany(rows + 1)
        except duckdb.InterruptException:
            raise InvalidError(f"the query was stopped after {seconds:g} seconds") from None
        except duckdb.OutOfMemoryException:
            raise InvalidError(
                f"the query needs more than {MEMORY} of memory; ask for less at once"
            ) from None
        except duckdb.Error as error:
            raise InvalidError(_two_lines(error)) from None
        finally:
            timer.cancel()
    return Answer(columns, found[:rows], len(found) > rows)


def _interrupt(connection: duckdb.DuckDBPyConnection) -> None:
    """Stop what a connection does, if it does anything still."""
    with contextlib.suppress(duckdb.ConnectionException):
        connection.interrupt()


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuse everything but one query: the file system is shut anyway, but a change should be told from a question."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise InvalidError(_two_lines(error)) from None
    asks = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
    if len(statements) != 1 or statements[0].type not in asks:
        raise InvalidError('expected one query such as "SELECT * FROM run"; runs are never changed')


def _two_lines(error: duckdb.Error) -> str:
    """Return the message without the quotation of the query, which the person has in front of them."""
    return "\n".join([line for line in str(error).splitlines() if line.strip()][:2])
