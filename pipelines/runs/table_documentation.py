"""The tables that queries can ask, as `schema.sql` documents them: the comments there are the only description."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import duckdb

from pipelines.runs.schema import OFFLINE_SETTINGS, SCHEMA

_TABLES_QUERY: Final = """
SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'main'
UNION ALL SELECT view_name, comment FROM duckdb_views() WHERE NOT internal"""
RUN_COLUMN_COMMENT: Final = (
    "Name of the run's file: every table has it, because a query asks all chosen runs at once."
)


class DocumentedColumn(NamedTuple):
    """A column of a table."""

    name: str
    type: str
    about: str


class DocumentedTable(NamedTuple):
    """A table or view, as queries over several runs see it: with the name of the run in front."""

    name: str
    about: str
    columns: tuple[DocumentedColumn, ...]


@lru_cache(maxsize=1)
def documented_tables() -> tuple[DocumentedTable, ...]:
    """Return all tables and views in the order of the schema."""
    with duckdb.connect(config=OFFLINE_SETTINGS) as connection:
        connection.execute(SCHEMA)
        about = dict(connection.execute(_TABLES_QUERY).fetchall())
        rows = connection.execute(
            "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() "
            "WHERE NOT internal AND schema_name = 'main' ORDER BY table_name, column_index"
        ).fetchall()
    columns: dict[str, list[DocumentedColumn]] = {
        name: [DocumentedColumn("run", "VARCHAR", RUN_COLUMN_COMMENT)] for name in about
    }
    for table, name, type_, comment in rows:
        if name != "run":
            columns[table].append(DocumentedColumn(name, type_, comment or ""))
    order = sorted(about, key=lambda name: SCHEMA.index(f" {name} "))
    return tuple(DocumentedTable(name, about[name] or "", tuple(columns[name])) for name in order)
