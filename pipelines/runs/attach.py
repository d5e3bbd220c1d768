"""One connection over many runs: every table as the union of the runs', with the run's name in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from engine.errors import InvalidError
from pipelines.runs.run import quote_path
from pipelines.runs.schema import OFFLINE_SETTINGS, SCHEMA, schema_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pipelines.runs.run import Run


def connect_runs(
    runs: Sequence[Run],
    rulesets: Collection[str] | None = None,
    *,
    threads: int = 2,
    memory: str = "2GB",
) -> duckdb.DuckDBPyConnection:
    """Return a connection that can read these runs and nothing else, with views named like the tables.

    Every view has a first column `run` (the name of the file). With `rulesets` (names or hashes) only runs that
    hold one of them take part. Raises InvalidError for a file that is no run.
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
    """Yield the SQL that gives a new connection these runs, and takes everything else from it.

    Raises InvalidError for a file that is no run.
    """
    for number, run in enumerate(runs):
        _ = run.summary  # a file that is no run is refused here, in one line
        yield f"ATTACH {quote_path(run.path)} AS r{number} (TYPE duckdb, READ_ONLY)"
    if not runs:
        yield f"ATTACH ':memory:' AS nothing; USE nothing; {SCHEMA}; USE memory"
    for table, columns in schema_columns().items():
        yield _union_view_sql(table, list(columns), runs)
    yield "SET enable_external_access = false"
    yield "SET lock_configuration = true"


def _holds_ruleset(run: Run, rulesets: Collection[str]) -> bool:
    return any(ruleset.name in rulesets or ruleset.sha256 in rulesets for ruleset in run.summary.rulesets)


def _union_view_sql(table: str, columns: Sequence[str], runs: Sequence[Run]) -> str:
    """Return the statement that makes the union of one table; without runs it is empty, with the right columns."""
    listed = ", ".join(f'"{column}"' for column in columns if column != "run")
    sources = [(_quote_text(run.name), f"r{number}") for number, run in enumerate(runs)] or [
        ("''", "nothing")
    ]
    parts = [
        f"SELECT {name} AS run, {listed} FROM {source}.{table}"  # noqa: S608 - names of the schema, and one quoted
        for name, source in sources
    ]
    return f"CREATE VIEW {table} AS {' UNION ALL '.join(parts)}"


def _quote_text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
