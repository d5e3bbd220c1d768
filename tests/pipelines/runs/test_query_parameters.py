"""Queries with parameters: names are found as DuckDB finds them, values are bound and never become text of the query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import InvalidError
from pipelines.runs.query import answer_query, find_mistake
from pipelines.runs.query_parameters import (
    bind_parameters,
    check_parameter_names,
    find_parameters,
    parse_value,
    split_setting,
)
from tests.examples import scale_examples

if TYPE_CHECKING:
    from pipelines.runs.run import Run

HOSTILE = "'; DROP TABLE seats; -- $n <b> \u202e \x00 \U0001f3b2"
PIECES = [
    "'",
    '"',
    "$n",
    "$N",
    "$best",
    "$$",
    "$a$",
    "--",
    "\n",
    "/*",
    "*/",
    " ",
    "1",
    "a$b",
    "E'",
    "\\",
    ",",
    "x",
]


@scale_examples(1.5)
@example(["'", "$n", "'", " ", "$best"])
@example(["1", "/*", "/*", "*/", "$n", "*/"])
@example(["E'", "\\", "'", "$n", "'"])
@example(["$a$", " ", "$n", "$$", "$a$"])
@example(["$a$", "$$", "$n", "--", "$a$"])
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_parameters_are_found_where_duckdb_finds_them(pieces: list[str]) -> None:
    sql = "SELECT 1, " + "".join(pieces)
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error:
        find_parameters(sql)  # any text is read without an error
        return
    if len(statements) == 1:
        assert {name.lower() for name in find_parameters(sql)} == {
            name.lower() for name in statements[0].named_parameters
        }


def test_values_are_bound_and_never_read_as_sql(small_run: Run) -> None:
    sql = "SELECT $t AS t, $N + 1 AS n, count(*) AS rows FROM seats WHERE strategy = $strategy AND score > $n"
    values = bind_parameters(
        sql, {"t": HOSTILE, "n": "-1000", "strategy": "greedy"}, {"t": "text"}, [small_run]
    )
    assert answer_query([small_run], sql, parameters=values).rows == [(HOSTILE, -999, 20)]
    assert answer_query(
        [small_run], "SELECT now() > $d::DATE AS past", parameters={"d": "2020-01-01"}
    ).rows == [(True,)]
    (row,) = answer_query([small_run], "SELECT now(), $n", parameters={"n": 0.5}).rows
    assert row[1] == 0.5


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({}, r"the query needs a value for \$n"),
        ({"n": "1"}, r"the query needs a value for \$strategy"),
        ({"n": "many", "strategy": "greedy"}, r"the value of \$n is not a number: 'many'"),
        ({"n": "1e999", "strategy": "greedy"}, "is not a number"),
        ({"n": "1", "strategy": "gredy"}, "unknown strategy 'gredy'; did you mean greedy"),
        ({"n": "9" * 3000, "strategy": "greedy"}, "the value of [$]n has 3,000 characters; at most 2,000"),
    ],
)
def test_a_value_that_is_missing_or_does_not_fit_is_named(
    small_run: Run, texts: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidError, match=message):
        bind_parameters("SELECT $n, $strategy", texts, {"n": "number"}, [small_run])


def test_a_name_that_is_no_parameter_is_said_beside_those_of_the_query() -> None:
    check_parameter_names("SELECT $n, $strategy", ["N", "strategy"])
    with pytest.raises(InvalidError, match=r"no parameter \$m; its parameters are \$n, \$strategy"):
        check_parameter_names("SELECT $n, $strategy", ["n", "m"])


def test_a_kind_comes_from_the_setting_the_name_or_the_value(small_run: Run) -> None:
    sql = "SELECT $run, $a, $b, $c"
    texts = {"RUN": small_run.name, "a": "07", "b": "x7", "c": "7"}
    assert bind_parameters(sql, texts, {"C": "text"}, [small_run]) == {
        "run": small_run.name,
        "a": 7,
        "b": "x7",
        "c": "7",
    }
    assert parse_value("n", "number", str(2**70)) == 2**70


def test_a_mistake_is_found_in_a_query_with_parameters() -> None:
    assert find_mistake("SELECT score FROM seats WHERE score > $n", {"n": 1}) is None
    assert find_mistake("SELECT $n,\n  scor FROM seats", {"n": 1}) == (2, 3)


def test_a_setting_has_a_name_and_a_value() -> None:
    for text in ("n", "=3", "a b=3", ""):
        with pytest.raises(InvalidError, match="expected NAME=VALUE, such as n=3"):
            split_setting(text)
