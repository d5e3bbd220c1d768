"""Questions in SQL: their address, their values, and what the answer leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.questions.address import read_fields
from pipelines.questions.source import QuestionSource
from pipelines.questions.sql import SqlQuestion, answer_sql

if TYPE_CHECKING:
    from pipelines.runs.run import Run


def test_what_is_no_setting_is_named() -> None:
    address = {"sql": ["SELECT $n"], "set": ["n", "=3", "n=5"], "type": ["n=poem", "n=number"]}
    query, problems = read_fields(SqlQuestion, address)
    assert (query.texts, query.parameter_kinds) == ({"n": "5"}, {"n": "number"})
    assert len(problems) == 3


@pytest.fixture
def source(small_run: Run) -> QuestionSource:
    from pipelines.runs.library import Library

    return QuestionSource(Library(small_run.path.parent.parent))


def test_values_are_bound_and_what_is_no_parameter_is_left_out_with_a_sentence(
    source: QuestionSource,
) -> None:
    query = SqlQuestion(sql="SELECT $n + count(*) FROM games", settings=("n=3", "m=4"), runs=("made",))
    answer = answer_sql(query, source)
    assert answer.answer.rows == [(23,)]
    assert answer.basis.runs == ("made",)
    assert answer.basis.left_out == ("The query has no parameter $m.",)


def test_a_run_that_does_not_exist_is_no_other_run(source: QuestionSource) -> None:
    with pytest.raises(InvalidError, match="no run 'nope'"):
        answer_sql(SqlQuestion(sql="FROM run", runs=("nope",)), source)
    with pytest.raises(InvalidError, match="no query"):
        answer_sql(SqlQuestion(), source)
