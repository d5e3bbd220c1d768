"""A mistake in a query is found where it stands, and the tables are documented by the schema alone."""

from __future__ import annotations

import pytest

from pipelines.runs.attach import connect
from pipelines.runs.query_errors import Place, mistake
from pipelines.runs.schema import schema_columns
from pipelines.runs.table_documentation import documented

MANY = "1, " * 80


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("SELECT * FORM run", (1, 15)),
        ("SELECT scor\nFROM seats", (1, 8)),
        ("SELECT strategy,\n  avg(score),, 2 FROM seats", (2, 14)),
        ("SELECT *\r\nFROM seatz", (2, 6)),
        ("SELECT 'abc FROM run", (1, 8)),
        ("SELECT 1 +", (1, 10)),
        ("SELECT ONES scor FROM seats".replace("ONES ", MANY), (1, 248)),
        ("SELECT ONES scor, ONES 3 FROM seats".replace("ONES ", MANY), (1, 248)),
        ("SELECT score, avg(score) FROM seats", (1, 8)),
    ],
)
def test_a_mistake_has_its_line_and_column(sql: str, place: tuple[int, int]) -> None:
    assert mistake(sql) == place


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "",
        "SELECT 1; SELECT 2",
        "DROP VIEW games",
        "SELECT score::INT FROM seats",
        "EXPLAIN SELECT 1",
    ],
)
def test_what_is_no_mistake_of_writing_has_no_place(sql: str) -> None:
    assert mistake(sql) is None


def test_the_place_is_shown_below_the_line() -> None:
    assert Place(1, 8).pointed("SELECT scor\nFROM seats") == "SELECT scor\n       ^"


def test_every_table_is_documented_as_queries_see_it() -> None:
    found = {table.name: table for table in documented()}
    assert found.keys() == schema_columns().keys()
    with connect([]) as connection:
        for table in found.values():
            asked = connection.execute(f"DESCRIBE {table.name}").fetchall()
            assert [(column.name, column.type) for column in table.columns] == [row[:2] for row in asked]
            assert table.about
            assert all(column.about for column in table.columns)
    assert next(iter(found)) == "run"


def test_the_documentation_is_the_schemas_own() -> None:
    seats = next(table for table in documented() if table.name == "seats")
    assert seats.about == "The result of every seat of every game, ascending by game_id and seat."
