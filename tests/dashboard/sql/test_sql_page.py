"""Ask your own question: every example runs, mistakes are told where they stand, and nothing else is possible."""

from __future__ import annotations

import io
import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dashboard.sql import answers
from dashboard.sql.examples import QUERY_EXAMPLES
from dashboard.widgets import charts
from pipelines.runs.query import Answer, answer_query
from tests.dashboard.reading import read_verbatim_texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from dashboard.sql.examples import QueryExample
    from pipelines.runs.library import Library


@pytest.fixture
def open_sql_page(open_dashboard_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Open the page at a query, and wait for its answer."""
    return lambda *folder, **address: wait_for_answer(open_dashboard_page("sql.py", *folder, **address))


def wait_for_answer(at: AppTest) -> AppTest:
    """Refresh the page until the answer is there."""
    deadline = time.monotonic() + 30
    while any("stopped after" in str(getattr(one.proto, "text", "")) for one in at.get("progress")):
        assert time.monotonic() < deadline
        time.sleep(0.2)
        at.run()
    return at


every_example = pytest.mark.parametrize("example", QUERY_EXAMPLES, ids=lambda example: example.title)


@every_example
def test_an_example_runs_and_its_chart_fits(library: Library, example: QueryExample) -> None:
    table = answers.build_answer_table(answer_query(library.runs(), example.sql))
    assert len(table) > 0
    if example.kind:
        assert example.y in answers.numeric_columns(table)
        chart = charts.draw_simple_chart(
            example.kind,
            table[example.x].tolist(),
            table[example.y].tolist(),
            example.x,
            example.y,
            answers.group_labels(table, example.x, example.y),
        )
        assert sum(len(trace.x) for trace in chart.build_figure().data) == len(table)
    parquet = io.BytesIO()
    table.to_parquet(parquet, index=False)
    assert len(pd.read_parquet(parquet)) == len(table)


@every_example
def test_an_example_has_no_rows_over_an_empty_library(example: QueryExample) -> None:
    assert answer_query([], example.sql).rows == []


@every_example
def test_an_example_is_answered_on_the_page(
    open_sql_page: Callable[..., AppTest], example: QueryExample
) -> None:
    at = open_sql_page(sql=example.sql, kind=example.kind, x=example.x, y=example.y)
    assert not at.exception
    assert not at.error
    assert "row" in at.markdown[0].value
    assert len(at.get("plotly_chart")) == bool(example.kind)
    assert at.text_area[0].value == example.sql


def test_a_query_is_put_into_the_address_and_the_history(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page()
    at.text_area[0].set_value("SELECT 41 + 1 AS answer")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert at.query_params["sql"] in ("SELECT 41 + 1 AS answer", ["SELECT 41 + 1 AS answer"])
    assert at.dataframe[0].value["answer"].tolist() == [42]
    at.text_area[0].set_value("SELECT 1 AS one")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert read_verbatim_texts(at) == ["SELECT 1 AS one", "SELECT 41 + 1 AS answer"]
    at.button(key="sql-again-1").click().run()
    wait_for_answer(at)
    assert at.dataframe[0].value["answer"].tolist() == [42]
    assert at.text_area[0].value == "SELECT 41 + 1 AS answer"


def test_a_mistake_is_shown_with_its_place(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page(sql="SELECT strategy,\n  scor\nFROM seats")
    assert at.error[0].value.startswith("Line 2, column 3")
    assert "score" in at.error[0].value
    assert at.code[0].value == "  scor\n  ^"


@pytest.mark.parametrize("sql", ["DROP VIEW games", "SELECT 1; SELECT 2", "COPY (SELECT 1) TO '/tmp/x'", ""])
def test_anything_but_a_question_is_refused(open_sql_page: Callable[..., AppTest], sql: str) -> None:
    at = open_sql_page(sql=sql)
    assert not at.exception
    if sql:
        assert "expected one query" in at.error[0].value.replace("\\", "")


def test_only_the_chosen_runs_are_asked(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page(sql="SELECT DISTINCT run FROM games ORDER BY run", runs=["three", "nowhere"])
    assert at.dataframe[0].value["run"].tolist() == ["three"]


def test_the_page_says_that_there_are_more_rows(
    open_sql_page: Callable[..., AppTest],
) -> None:
    at = open_sql_page(sql="SELECT range AS n FROM range(20000)")
    assert at.markdown[0].value.startswith("**The first 10,000 rows")
    assert len(at.dataframe[0].value) == 10_000


def test_a_very_long_query_is_answered_without_an_address(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page()
    at.text_area[0].set_value(f"SELECT 7 AS seven -- {'x' * 7000}")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert "sql" not in at.query_params
    assert at.dataframe[0].value["seven"].tolist() == [7]


def test_an_empty_library_can_be_queried(open_sql_page: Callable[..., AppTest], tmp_path: Path) -> None:
    at = open_sql_page(tmp_path, sql="SELECT count(*) AS n FROM games")
    assert at.dataframe[0].value["n"].tolist() == [0]


def test_a_query_that_takes_long_is_stopped_by_a_button(open_dashboard_page: Callable[..., AppTest]) -> None:
    sql = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range"
    at = open_dashboard_page("sql.py", sql=sql)
    started = time.monotonic()
    at.button(key="sql-stop").click().run()
    wait_for_answer(at)
    assert time.monotonic() - started < 15
    assert [info.value for info in at.info] == ["The query was stopped."]
    assert not at.error


def test_values_of_any_kind_become_a_table() -> None:
    found = Answer(
        ("n", "n", "big", "d", "list", "struct", "nothing"),
        [(1, "a", 2**100, Decimal("1.5"), [1, 2], {"a": 1}, None), (2, None, 1, None, [], None, None)],
        is_cut=False,
    )
    table = answers.build_answer_table(found)
    assert list(table.columns) == ["n", "n (2)", "big", "d", "list", "struct", "nothing"]
    assert table["big"].tolist() == [str(2**100), "1"]
    assert table["d"].iloc[0] == 1.5
    assert answers.numeric_columns(table) == ["n", "d"]
    table.to_parquet(io.BytesIO(), index=False)


def test_names_in_data_are_text_on_charts() -> None:
    figure = charts.draw_simple_chart(
        "bar", ["<b>x</b>", None], [1, 2], "<i>x</i>", "y", ["<u>", "b"]
    ).build_figure()
    assert "<b>" not in str(figure.to_json())
    assert "<i>" not in str(figure.to_json())
    assert "<u>" not in str(figure.to_json())
