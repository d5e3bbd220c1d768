"""The tables of a run file: complete, documented in the file, and readable by older clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from engine.errors import InvalidError
from pipelines.runs.schema import OFFLINE_SETTINGS, SCHEMA, schema_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.runs.run import Run


def test_every_table_and_column_of_a_run_file_has_a_comment(small_run: Run) -> None:
    with small_run.connect() as connection:
        tables = connection.execute(
            "SELECT table_name, comment FROM duckdb_tables() WHERE database_name = 'file' "
            "UNION ALL SELECT view_name, comment FROM duckdb_views() WHERE database_name = 'file' AND NOT internal"
        ).fetchall()
        columns = connection.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() "
            "WHERE database_name = 'file' AND schema_name = 'main' AND NOT internal"
        ).fetchall()
    assert {name for name, _ in tables} == schema_columns().keys()
    assert [name for name, comment in tables if not comment] == []
    assert len(columns) == sum(len(columns) for columns in schema_columns().values())
    assert [(table, name) for table, name, comment in columns if not comment] == []


def test_the_tables_of_the_design_are_there() -> None:
    assert schema_columns().keys() >= {
        "run", "rulesets", "strategies", "games", "seats", "parts", "plies", "actions", "log",
        "score_histogram", "part_totals", "part_histogram", "game_lengths", "score_by_round", "squares",
    }  # fmt: skip


def test_a_run_file_can_be_read_by_older_clients(small_run: Run) -> None:
    with small_run.connect() as connection:
        tags = connection.execute(
            "SELECT tags FROM duckdb_databases() WHERE database_name = 'file'"
        ).fetchall()[0][0]
    assert tags["storage_version"] == "v1.5.0+"


def test_a_file_that_lacks_a_column_is_refused(change_run: Callable[[str], Run]) -> None:
    run = change_run("ALTER TABLE squares DROP COLUMN piece")
    with pytest.raises(
        InvalidError, match=r"not a run file: no stored column squares\.piece of type VARCHAR$"
    ):
        _ = run.summary


def test_the_schema_runs_on_an_empty_database() -> None:
    with duckdb.connect(config=OFFLINE_SETTINGS) as connection:
        connection.execute(SCHEMA)
        assert connection.execute("SELECT count(*) FROM log").fetchall() == [(0,)]
