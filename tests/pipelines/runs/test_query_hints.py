"""What people who know little SQL are told when their query fails, with the messages of the installed DuckDB."""

from __future__ import annotations

import pytest

from engine.errors import GameError
from pipelines.runs.query import answer_query
from pipelines.runs.query_errors import find_mistake
from pipelines.runs.query_hints import QueryHint, explain_failure


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
        (
            "SELECT avrage(score) FROM seats",
            "no function avrage. Did you mean avg?",
            "SELECT avg(score) FROM seats",
        ),
        (
            "SELECT score\nFROM seats\nWERE score > 3",
            "Did you mean WHERE instead of WERE?",
            "SELECT score\nFROM seats\nWHERE score > 3",
        ),
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


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT * FROM seats WHERE strategy = greedy", "write it in single quotes: 'greedy'"),
        ("SELECT strategy, avg(score) FROM seats", "End the query with GROUP BY ALL"),
        (
            "SELECT game_id FROM seats JOIN games ON seats.game_id = games.game_id",
            "write seats.game_id or games.game_id",
        ),
        ("SELECT score FROM seats JOIN games", "cannot be read"),
        ("SELECT (1", "missing"),
    ],
)
def test_a_common_mistake_is_explained_in_plain_words(sql: str, text: str) -> None:
    assert text in explain_query(sql).text


def test_a_word_in_a_text_or_a_comment_is_no_mistake() -> None:
    assert "WERE" not in explain_query("SELECT 'WERE' -- WERE\nFROM seats score score score").text


def test_other_failures_have_no_hint() -> None:
    assert explain_failure("SELECT 1", "The query was stopped after 30 seconds.") is None
