"""What people who know little SQL are told when their query fails, with the messages of the installed DuckDB."""

from __future__ import annotations

import pytest

from engine.errors import GameError
from pipelines.runs.query import QueryHint, answer_query, explain_failure, find_mistake


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
