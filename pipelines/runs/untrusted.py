"""What a run file may not bring along: queries and functions of its own, and texts without end.

A file may come from anybody. Views and functions in it would run in the middle of our own queries, so there are none but
the two views of the schema, word for word. DuckDB packs a text that repeats itself a thousandfold, so what will be read as a
whole is measured first.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from engine import games
from pipelines.runs.schema import schema_definition

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from pipelines.runs.run import RulesetSummary, RunSummary

MAX_SEATS: Final = 8
MAX_DIMENSION_ROWS: Final = 256
"""Rulesets and strategies of a run."""

MAX_TEXT_BYTES: Final[Mapping[str, Mapping[str, int]]] = {
    "run": {"title": 1_000, "kind": 100, "command": 100_000, "design": 1 << 24, "versions": 10_000},
    "rulesets": {"title": 1_000, "provenance": 100_000, "spec": 1 << 20},
    "strategies": {"strategy": 10_000, "title": 10_000, "params": 100_000},
}
"""Bytes at most."""

_NAME_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_HASH_PATTERN: Final = re.compile(r"[0-9a-f]{64}")

_PLIES_VIEW_PATTERN: Final = re.compile(
    r"CREATE VIEW plies AS SELECT game_id, ply, round, seat, "
    r"(CASE( +WHEN \(\(\"?action\"? <= -?\d+\)\) THEN \('[\w -]*'\))+ +ELSE '[\w -]*' END|'[\w -]*') AS kind, "
    r"\"?action\"?, \"?options\"?, score FROM ply_rows;"
)
"""The view tells the kind of a ply from its action, and every game has its own numbers: see `pipelines.runs.plies_view`."""


def find_foreign_function(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Say which function an attached file brings, or None. In the file itself it would stand before DuckDB's own."""
    functions = connection.execute(
        "SELECT function_name FROM duckdb_functions() WHERE database_name = $1 LIMIT 1", [database]
    ).fetchall()
    return f"it brings a function of its own, {functions[0][0][:60]!r}" if functions else None


def find_computed_table(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Say which table of an attached file is computed when it is read, or None."""
    tables = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND sql ILIKE '%GENERATED%' LIMIT 1",
        [database],
    ).fetchall()
    return f"its table {tables[0][0][:60]!r} computes columns" if tables else None


def find_foreign_view(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Say which view of an attached file is none of this version of the schema, or None. None of them runs meanwhile."""
    views = connection.execute(
        "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = $1 AND NOT internal LIMIT 100",
        [database],
    ).fetchall()
    for schema, view, sql in views:
        known = schema == "main" and (
            (view == "log" and sql == schema_definition().log)
            or (view == "plies" and _PLIES_VIEW_PATTERN.fullmatch(sql))
        )
        if not known:
            return f"its view {view[:60]!r} is none of a run"
    return None


def matches_schema(connection: duckdb.DuckDBPyConnection, database: str) -> bool:
    """Say whether an attached file has just the tables and views of this version of the schema, word for word."""
    made = connection.execute(
        "SELECT schema_name, table_name, sql FROM duckdb_tables() WHERE database_name = $1 UNION ALL "
        "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = $1 AND NOT internal LIMIT 100",
        [database],
    ).fetchall()
    statements = {name: sql for schema, name, sql in made if schema == "main"}
    plies = statements.pop("plies", "")
    expected = {**schema_definition().tables, "log": schema_definition().log}
    return (
        len(made) == len(expected) + 1
        and statements == expected
        and _PLIES_VIEW_PATTERN.fullmatch(plies) is not None
    )


def find_oversized_table(connection: duckdb.DuckDBPyConnection, database: str) -> str | None:
    """Say which of the small tables of a run is none, or None. To be asked after `find_computed_table`."""
    measures = (
        f"(SELECT [count(*), {', '.join(f'max(strlen({column}))' for column in longest)}] FROM {database}.{table})"
        for table, longest in MAX_TEXT_BYTES.items()
    )
    measured = connection.execute(f"SELECT {', '.join(measures)}").fetchall()[0]
    for (table, longest), (rows, *sizes) in zip(MAX_TEXT_BYTES.items(), measured, strict=True):
        if rows > MAX_DIMENSION_ROWS or (table == "run" and rows != 1):
            return f"table {table} has {rows} rows"
        for (column, most), size in zip(longest.items(), sizes, strict=True):
            if size is not None and size > most:
                return f"{table}.{column} has {size} bytes, more than {most}"
    return None


def find_invalid_value(summary: RunSummary) -> str | None:
    """Say which value of a summary cannot be, or None: lists, links and sums rest on them."""
    for rules in summary.rulesets:
        if wrong := _ruleset_fault(rules):
            return wrong
    if not summary.rulesets or not summary.strategies or not summary.games:
        return "it has no ruleset, no strategy or no game"
    created_at: object = summary.created_at  # a file may hold what is none
    if not isinstance(created_at, datetime):
        return "run.created_at is no time of this age"
    return None if 0 <= summary.seconds < 1e10 else f"run.seconds is {summary.seconds}"


def _ruleset_fault(rules: RulesetSummary) -> str | None:
    if rules.game not in games.game_names():
        return f"ruleset {rules.name[:60]!r} is of the game {rules.game[:60]!r}, which is not known here"
    if not _NAME_PATTERN.fullmatch(rules.name) or not _HASH_PATTERN.fullmatch(rules.sha256):
        return f"{rules.name[:60]!r} with hash {rules.sha256[:70]!r} is no ruleset"
    return None if 1 <= rules.players <= MAX_SEATS else f"ruleset {rules.name} has {rules.players} players"
