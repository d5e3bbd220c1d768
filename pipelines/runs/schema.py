"""The tables of a run file: what `schema.sql` defines, and what a file has of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

SCHEMA: Final = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
SCHEMA_VERSION: Final = 2
"""Raised when a file with the older tables can no longer be read as one with the newer."""

OFFLINE_SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings of every connection: nothing is fetched from anywhere."""

_COLUMNS_QUERY: Final = """
    SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE database_name = $1 AND schema_name = 'main'
      AND (table_name IN ('log', 'plies') OR table_name IN (
        SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = 'main'))
    ORDER BY table_name, column_index"""


class SchemaDefinition(NamedTuple):
    """What the schema defines, as DuckDB says it back."""

    columns: dict[str, dict[str, str]]
    """The types of the columns, in order, of every table and view."""
    tables: dict[str, str]
    """The statement that makes each table."""
    log: str
    """The one that makes the view `log`."""


@lru_cache(maxsize=1)
def schema_definition() -> SchemaDefinition:
    """Return what the schema defines."""
    with duckdb.connect(config=OFFLINE_SETTINGS) as connection:
        # Comments take longest, and nothing of this differs without them.
        connection.execute(
            "\n".join(line for line in SCHEMA.splitlines() if not line.startswith("COMMENT ON "))
        )
        tables = dict(connection.execute("SELECT table_name, sql FROM duckdb_tables()").fetchall())
        ((log,),) = connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'log'").fetchall()
        return SchemaDefinition(query_columns(connection, "memory"), tables, log)


def schema_columns() -> dict[str, dict[str, str]]:
    """Return the types of the columns, in order, of every table of the schema and of its views."""
    return schema_definition().columns


def comment_statements(table: str) -> str:
    """Return the statements of the schema that say what a table or view holds."""
    mine = (
        f"COMMENT ON {kind} {table}{end}" for kind, end in (("VIEW", " "), ("TABLE", " "), ("COLUMN", "."))
    )
    starts = tuple(mine)
    return "\n".join(line for line in SCHEMA.splitlines() if line.startswith(starts))


def query_columns(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, dict[str, str]]:
    """Return the types of the columns of an attached file, as `SchemaDefinition` has them."""
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in connection.execute(_COLUMNS_QUERY, [database]).fetchall():
        found.setdefault(table, {})[column] = kind
    return found


def find_schema_gap(found: dict[str, dict[str, str]]) -> str | None:
    """Say what a file with these columns lacks of the schema, or None."""
    for table, columns in schema_columns().items():
        if table not in found:
            return f"no table {table}"
        for column, kind in columns.items():
            if found[table].get(column) != kind:
                return f"no column {table}.{column} of type {kind}"
    return None
