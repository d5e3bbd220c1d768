"""The tables of a run file: complete, documented in the file, and readable by older clients.

Reroll reads the base tables of a run file, never its views, whatever text DuckDB stores for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from engine.errors import InvalidError
from pipelines.runs.library import connect_runs
from pipelines.runs.schema import OFFLINE_SETTINGS, SCHEMA, schema_columns
from pipelines.simulate.verify import verify_run

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


EQUIVALENT_VIEWS = {
    "other white space": """CREATE OR REPLACE VIEW
        plies AS SELECT   game_id, ply, round,
        seat, 'x' AS kind, "action", "options", score FROM ply_rows""",
    "equivalent SQL": "CREATE OR REPLACE VIEW plies AS SELECT DISTINCT r.game_id, r.ply, r.round, r.seat, a.kind, r.action, "
    "r.options, r.score FROM main.ply_rows AS r LEFT JOIN actions AS a USING (action) WHERE true",
    "another log": "CREATE OR REPLACE VIEW log AS SELECT * FROM (SELECT 1 AS game_id) WHERE 1 = 2",
    "no views": "DROP VIEW plies; DROP VIEW log",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EQUIVALENT_VIEWS)
def test_a_file_with_other_texts_of_its_views_is_read(
    small_run: Run, change_run: Callable[[str], Run], name: str
) -> None:
    run = change_run(EQUIVALENT_VIEWS[name])
    for view in ("plies", "log"):
        query = f"FROM {view} ORDER BY game_id, ply"
        assert run.arrow(query) == small_run.arrow(query)
    with connect_runs([run]) as connection:
        kinds = connection.execute("SELECT DISTINCT kind FROM plies ORDER BY kind").fetchall()
    with small_run.connect() as connection:
        assert connection.execute("SELECT DISTINCT kind FROM actions ORDER BY kind").fetchall() == kinds
    verify_run(run, workers=1)


def test_the_stored_views_say_the_same_to_other_clients(small_run: Run) -> None:
    with small_run.connect() as connection:
        for view in ("plies", "log"):
            stored = connection.execute(f"FROM file.main.{view} ORDER BY game_id, ply").fetchall()
            assert stored == connection.execute(f"FROM {view} ORDER BY game_id, ply").fetchall()


def test_a_file_with_more_views_is_refused(change_run: Callable[[str], Run]) -> None:
    run = change_run("CREATE VIEW more AS SELECT 1")
    with pytest.raises(InvalidError, match="not a run file: its view 'more' does not belong to a run"):
        _ = run.summary


def test_a_view_of_a_run_in_another_schema_is_refused(change_run: Callable[[str], Run]) -> None:
    run = change_run("CREATE SCHEMA other; CREATE VIEW other.plies AS SELECT 1")
    with pytest.raises(InvalidError, match="not a run file: its view 'plies' does not belong to a run"):
        _ = run.summary


def test_a_file_with_a_generated_column_is_refused(change_run: Callable[[str], Run]) -> None:
    run = change_run(
        "DROP VIEW log; ALTER TABLE games RENAME TO g; CREATE TABLE games (game_id UINTEGER, ruleset VARCHAR, "
        "block UINTEGER, rotation UTINYINT, rounds USMALLINT, plies UINTEGER AS (game_id), logged BOOLEAN)"
    )
    with pytest.raises(InvalidError, match=r"not a run file: no stored column games\.plies of type UINTEGER"):
        _ = run.summary


def test_functions_of_a_file_are_never_called(change_run: Callable[[str], Run]) -> None:
    run = change_run("CREATE MACRO count(x) AS 'stolen'; CREATE MACRO max(x) AS 'stolen'")
    with run.connect() as connection:
        assert connection.execute("SELECT max(game_id), count(game_id) FROM games").fetchall() == [(19, 20)]


def test_a_file_whose_kinds_alternate_without_end_is_refused(change_run: Callable[[str], Run]) -> None:
    run = change_run("UPDATE actions SET kind = action::VARCHAR")
    with pytest.raises(InvalidError, match="the kinds in its table actions are not those of a game"):
        run.connect()


@pytest.mark.parametrize(
    "column",
    [
        "run.title",
        "run.command",
        "rulesets.ruleset",
        "rulesets.game",
        "rulesets.players",
        "strategies.strategy",
    ],
)
def test_a_file_in_which_a_value_is_missing_is_refused(change_run: Callable[[str], Run], column: str) -> None:
    """Pages sort, cut and escape these values."""
    table, _, name = column.partition(".")
    sql = (
        "DROP VIEW log; DROP VIEW plies; CREATE TABLE copy AS FROM {0}; DROP TABLE {0}; ALTER TABLE copy RENAME TO {0}; "
        "UPDATE {0} SET {1} = NULL"
    )
    run = change_run(sql.format(table, name))
    with pytest.raises(InvalidError, match="is missing"):
        _ = run.summary


@pytest.mark.parametrize(
    ("table", "times", "message"),
    [
        ("games", 2, "table games has 40 rows, for 20 games"),
        ("seats", 10, "table seats has 400 rows, for 20 games"),
    ],
)
def test_more_rows_than_the_games_have_are_refused(
    change_run: Callable[[str], Run],
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    times: int,
    message: str,
) -> None:
    monkeypatch.setattr("pipelines.runs.schema.UNSUSPICIOUS_ROWS", 20)
    more = f"INSERT INTO {table} SELECT rows.* FROM {table} AS rows, range({times - 1})"  # noqa: S608 - names of this test
    with pytest.raises(InvalidError, match=message):
        change_run(more).check()
