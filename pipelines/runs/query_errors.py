"""The position of a mistake in a query, as DuckDB reports it over empty tables with the columns of the runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from pipelines.runs.attach import connect_runs
from pipelines.runs.query import NO_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.runs.query_parameters import ParameterValue

MAX_QUOTED_CHARACTERS: Final = 50
"""So much of a line is seen beside the query without scrolling."""
_ERROR_LINE_PATTERN = re.compile(r"^LINE (\d+): (.*)\n( *)\^", re.MULTILINE)


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
    r"""Return the position of a mistake; None if there is none, or if it shows only when the query runs.

    `parameters` are the values of all parameters of the query, by name.

    >>> find_mistake("SELECT score FROM seats"), find_mistake("SELECT 1 AS one,\n  scor FROM seats")
    (None, QueryPosition(line=2, column=3))
    """
    with connect_runs([]) as connection:
        for prefix, error in _iter_errors(connection, sql, parameters):
            match = _ERROR_LINE_PATTERN.search(error)
            if match:
                return _find_position(
                    sql, int(match[1]) - prefix, match[2], len(match[3]) - len(f"LINE {match[1]}: ")
                )
    return None


def _iter_errors(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, ParameterValue]
) -> Iterator[tuple[int, str]]:
    """Yield each error of DuckDB, after the number of lines put before the query. The query is planned, never run."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        yield 0, str(error)
        return
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        return
    try:
        connection.execute(f"EXPLAIN\n{sql}", dict(parameters) or None)
    except duckdb.Error as error:
        yield 1, str(error)


def _find_position(sql: str, line: int, shown: str, offset: int) -> QueryPosition | None:
    """Return the position in the whole line. DuckDB quotes only a piece of a long line, with dots at its ends."""
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
