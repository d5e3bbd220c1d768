"""How close a finish was beside all games under its rules is what plain Python counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from pipelines.runs import game_queries

if TYPE_CHECKING:
    from pipelines.runs.library import Library


def winning_margin(scores: list[int], ranks: list[int]) -> int:
    """Return the difference in points between the first two places."""
    first, second = sorted(zip(ranks, range(len(ranks)), scores, strict=True))[:2]
    return abs(first[2] - second[2])


def test_a_finish_is_compared_with_all_games_under_its_rules(
    small_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_library.run("three")
    with run.connect() as connection:
        rows = connection.execute(
            "SELECT list(score ORDER BY seat), list(rank ORDER BY seat) FROM seats GROUP BY game_id ORDER BY game_id"
        ).fetchall()
        margins = [winning_margin(*row) for row in rows]
        monkeypatch.setattr(game_queries, "MIN_GAMES_FOR_CLOSENESS", len(margins))
        for game in (0, 5):
            found = game_queries.finish_closeness(connection, game)
            wider = sum(margin > margins[game] for margin in margins)
            equal = sum(margin == margins[game] for margin in margins)
            assert found
            assert found.share == pytest.approx((wider + equal / 2) / len(margins))
            assert found.n == len(margins)
        monkeypatch.setattr(game_queries, "MIN_GAMES_FOR_CLOSENESS", len(margins) + 1)
        assert game_queries.finish_closeness(connection, 0) is None


def test_the_margin_is_that_of_the_first_two_places_also_if_they_share_the_win_or_the_lowest_wins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(game_queries, "MIN_GAMES_FOR_CLOSENESS", 3)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE games AS SELECT range AS game_id, 'any' AS ruleset FROM range(3)")
        connection.execute(
            "CREATE TABLE seats AS FROM (VALUES (0, 10, 1), (0, 10, 1), (0, 4, 3), (1, 3, 1), (1, 5, 2), (1, 9, 3), "
            "(2, 20, 1), (2, 12, 2), (2, 5, 3)) AS seats(game_id, score, rank)"
        )
        found = [game_queries.finish_closeness(connection, game) for game in range(3)]
    assert [one and one.share for one in found] == pytest.approx(
        [5 / 6, 3 / 6, 1 / 6]
    )  # margins of 0, 2 and 8
