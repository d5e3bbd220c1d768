"""The position of a mistake in a query is found, and the documentation of the tables is that of the schema.

What people who know little SQL are told when their query fails, with the messages of the installed DuckDB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import GameError, InvalidError
from pipelines.runs.attach import connect_runs
from pipelines.runs.query import QueryHint, QueryPosition, answer_query, explain_failure, find_mistake
from pipelines.runs.schema import documented_tables, review_columns, schema_columns

if TYPE_CHECKING:
    from pathlib import Path

MANY_COLUMNS = "1, " * 80


@pytest.mark.parametrize(
    ("sql", "position"),
    [
        ("SELECT * FORM run", (1, 15)),
        ("SELECT scor\nFROM seats", (1, 8)),
        ("SELECT strategy,\n  avg(score),, 2 FROM seats", (2, 14)),
        ("SELECT *\r\nFROM seatz", (2, 6)),
        ("SELECT 'abc FROM run", (1, 8)),
        ("SELECT 1 +", (1, 10)),
        ("SELECT ONES scor FROM seats".replace("ONES ", MANY_COLUMNS), (1, 248)),
        ("SELECT ONES scor, ONES 3 FROM seats".replace("ONES ", MANY_COLUMNS), (1, 248)),
        ("SELECT score, avg(score) FROM seats", (1, 8)),
    ],
)
def test_a_mistake_has_its_line_and_column(sql: str, position: tuple[int, int]) -> None:
    assert find_mistake(sql) == position


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
def test_a_query_without_a_mistake_has_no_position(sql: str) -> None:
    assert find_mistake(sql) is None


def test_a_pointer_marks_the_column_below_the_line() -> None:
    assert QueryPosition(1, 8).format_pointer("SELECT scor\nFROM seats") == "SELECT scor\n       ^"


@pytest.mark.parametrize("length", [50, 51, 52, 75, 76, 120])
def test_a_pointer_into_a_long_line_shows_the_text_around_the_column(length: int) -> None:
    line = "".join(chr(0x4E00 + number) for number in range(length))
    for column in range(1, length + 1):
        quoted, caret = QueryPosition(1, column).format_pointer(line).split("\n")
        assert len(quoted) <= 50
        assert quoted[len(caret) - 1] == line[column - 1]
        assert quoted.strip("…") in line
    quoted, caret = QueryPosition(1, length + 1).format_pointer(line).split("\n")
    assert quoted[-1] == line[-1]
    assert caret == f"{' ' * len(quoted)}^"


def test_every_table_is_documented_with_the_columns_that_queries_see() -> None:
    tables = {table.name: table for table in documented_tables()}
    assert tables.keys() == schema_columns().keys() | review_columns().keys()
    with connect_runs([]) as connection:
        for table in tables.values():
            described = connection.execute(f"DESCRIBE {table.name}").fetchall()
            assert [(column.name, column.type) for column in table.columns] == [row[:2] for row in described]
            assert table.about
            assert all(column.about for column in table.columns)
    assert next(iter(tables)) == "run"


def test_the_documentation_is_that_of_the_schema() -> None:
    seats = next(table for table in documented_tables() if table.name == "seats")
    assert seats.about == "The result of every seat of every game, ascending by game_id and seat."


def explain_query(sql: str) -> QueryHint:
    """Return the hint on a query that DuckDB refuses over empty tables."""
    with pytest.raises(GameError) as failure:
        answer_query([], sql)
    hint = explain_failure(sql, str(failure.value), find_mistake(sql))
    assert hint
    return hint


@pytest.mark.parametrize(
    ("sql", "text", "mended"),
    [
        (
            "SELECT strateg FROM seats",
            "no column strateg. Did you mean strategy?",
            "SELECT strategy FROM seats",
        ),
        (
            "SELECT 1,\n  s.scor FROM seats s",
            "no column scor. Did you mean score?",
            "SELECT 1,\n  s.score FROM seats s",
        ),
        ("SELECT score FROM seat", "no table seat. Did you mean seats?", "SELECT score FROM seats"),
    ],
)
def test_a_misspelt_word_is_named_with_the_right_one(sql: str, text: str, mended: str) -> None:
    hint = explain_query(sql)
    assert text in hint.text
    assert hint.mended_sql == mended
    answer_query([], hint.mended_sql)


def test_a_column_of_another_table_is_named_with_its_tables() -> None:
    assert explain_query("SELECT ruleset, score FROM seats").text.startswith(
        "The table seats has no column ruleset. The tables "
    )
    assert not explain_query("SELECT ruleset FROM seats").mended_sql


def test_a_text_without_single_quotes_is_explained() -> None:
    hint = explain_query("SELECT * FROM seats WHERE strategy = greedy")
    assert "write it in single quotes: 'greedy'" in hint.text


def test_other_failures_have_no_hint() -> None:
    assert explain_failure("SELECT (1", "Parser Error: syntax error at end of input") is None
    assert explain_failure("SELECT 1", "The query was stopped after 30 seconds.") is None


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; os._exit(7)", "the process of the query ended with code 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "more than 1GB of memory"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGABRT)", "more than 1GB of memory"),
    ],
)
def test_the_end_of_the_process_is_told_by_its_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, message: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(code, encoding="utf-8")
    monkeypatch.setattr("pipelines.runs.query._QUERY_PROGRAM", program)
    with pytest.raises(InvalidError, match=message):
        answer_query([], "SELECT 1")
