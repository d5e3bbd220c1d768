"""Where a mistake in a query stands: line and column, as DuckDB finds them over empty tables of the same shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import duckdb

from pipelines.runs.attach import connect_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

_ERROR_LINE_PATTERN = re.compile(r"^LINE (\d+): (.*)\n( *)\^", re.MULTILINE)


class QueryPosition(NamedTuple):
    """A place in a query, both counted from 1."""

    line: int
    column: int

    def format_pointer(self, sql: str) -> str:
        r"""Return the line of the query with a mark below the place.

        >>> print(QueryPosition(2, 3).format_pointer("SELECT\n  nothing"))
          nothing
          ^
        """
        line = sql.split("\n")[self.line - 1]
        return f"{line}\n{' ' * (self.column - 1)}^"


def find_mistake(sql: str) -> QueryPosition | None:
    r"""Return where a query is wrong; None if it is not, or if that shows only when it is run.

    >>> find_mistake("SELECT score FROM seats"), find_mistake("SELECT 1 AS one,\n  scor FROM seats")
    (None, Place(line=2, column=3))
    """
    with connect_runs([]) as connection:
        for prefix, error in _iter_errors(connection, sql):
            found = _ERROR_LINE_PATTERN.search(error)
            if found:
                return _find_position(
                    sql, int(found[1]) - prefix, found[2], len(found[3]) - len(f"LINE {found[1]}: ")
                )
    return None


def _iter_errors(connection: duckdb.DuckDBPyConnection, sql: str) -> Iterator[tuple[int, str]]:
    """Yield what DuckDB says, with the number of lines that were put before the query: it is planned, never run."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        yield 0, str(error)
        return
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        return
    try:
        connection.execute(f"EXPLAIN\n{sql}")
    except duckdb.Error as error:
        yield 1, str(error)


def _find_position(sql: str, line: int, shown: str, offset: int) -> QueryPosition | None:
    """Find the place in the whole line: of a long one DuckDB shows only a piece, with dots at its ends."""
    lines = sql.split("\n")
    if not 1 <= line <= len(lines):
        return None
    whole = lines[line - 1].rstrip("\r")
    start = 0
    if shown.rstrip() != whole.rstrip():
        is_cut = shown.startswith("...")
        piece = shown.removeprefix("...").removesuffix("...")
        start = whole.find(piece)
        offset -= 3 * is_cut
        if start < 0:
            return None
    column = start + offset + 1
    return QueryPosition(line, column) if 1 <= column <= len(whole) + 1 else None
