"""One connection over many runs: each table is the union of the tables of the runs, with a first column `run`.

Beside each column `seat`, which counts from 0, stands a column `player`, which counts from 1 and is null for chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from engine.errors import InvalidError
from pipelines.runs.run import quote_path
from pipelines.runs.schema import OFFLINE_SETTINGS, SCHEMA, schema_columns, table_query

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pipelines.runs.run import Run
    from pipelines.runs.schema import KindSpans


def connect_runs(
    runs: Sequence[Run],
    rulesets: Collection[str] | None = None,
    *,
    threads: int = 2,
    memory: str = "2GB",
) -> duckdb.DuckDBPyConnection:
    """Return a connection that can read these runs and nothing else, with views named like the tables.

    Every view has a first column `run` (the name of the file). With `rulesets` (names or hashes), only runs of one of
    these rulesets are included. Raises InvalidError if a file is not a run file.
    """
    if rulesets is not None:
        runs = [run for run in runs if _holds_ruleset(run, rulesets)]
    connection = duckdb.connect(config={**OFFLINE_SETTINGS, "threads": str(threads), "memory_limit": memory})
    try:
        for statement in attach_statements(runs):
            connection.execute(statement)
    except duckdb.Error as error:
        connection.close()
        raise InvalidError(str(error).splitlines()[0]) from None
    except InvalidError:
        connection.close()
        raise
    return connection


def attach_statements(runs: Sequence[Run]) -> Iterator[str]:
    """Yield the SQL that attaches these runs to a new connection and then forbids access to anything else.

    Raises InvalidError if a file is not a run file.
    """
    sources = [(run.name, f"r{number}", run.kind_spans) for number, run in enumerate(runs)]
    for run, (_, database, _) in zip(runs, sources, strict=True):
        yield f"ATTACH {quote_path(run.path)} AS {database} (TYPE duckdb, READ_ONLY)"
    if not runs:
        yield f"ATTACH ':memory:' AS empty; USE empty; {SCHEMA}; USE memory"
    for table in schema_columns():
        yield _union_view_statement(table, sources or [("", "empty", ())])
    yield "SET enable_external_access = false"
    yield "SET lock_configuration = true"


def _holds_ruleset(run: Run, rulesets: Collection[str]) -> bool:
    return any(ruleset.name in rulesets or ruleset.sha256 in rulesets for ruleset in run.summary.rulesets)


def _union_view_statement(table: str, sources: Sequence[tuple[str, str, KindSpans]]) -> str:
    """Return the statement that defines a view: the rows of one table of all sources (run name, database, kinds)."""
    columns = ", ".join(
        "seat, nullif(seat::INTEGER + 1, 0) AS player" if column == "seat" else f'"{column}"'
        for column in schema_columns()[table]
        if column != "run"
    )
    parts = [
        f"SELECT {_quote_text(name)} AS run, {columns} FROM ({table_query(table, database, spans)})"  # noqa: S608 - our names, a quoted one
        for name, database, spans in sources
    ]
    return f"CREATE VIEW {table} AS {' UNION ALL '.join(parts)}"


def _quote_text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
