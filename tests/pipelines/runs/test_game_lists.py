"""The list of games of a run has the order and the filters that plain Python gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.runs import game_lists
from pipelines.runs.game_lists import GAME_ORDERS, games_of_run

if TYPE_CHECKING:
    from pipelines.runs.library import Library

SORT_KEYS = {
    "in order": lambda game: game["game"],
    "highest score": lambda game: -max(game["scores"]),
    "lowest score": lambda game: min(game["scores"]),
    "closest finish": lambda game: game["margin"],
    "widest margin": lambda game: -game["margin"],
    "longest": lambda game: -game["plies"],
    "shortest": lambda game: game["plies"],
}


def winning_margin(scores: list[int], ranks: list[int]) -> int:
    """Return the difference in points between the first two places."""
    first, second = sorted(zip(ranks, range(len(ranks)), scores, strict=True))[:2]
    return abs(first[2] - second[2])


@pytest.mark.parametrize("order", GAME_ORDERS)
def test_games_are_listed_as_python_would_sort_them(small_library: Library, order: str) -> None:
    with small_library.run("three").connect() as connection:
        rows = connection.execute(
            """SELECT game_id, list(score ORDER BY seat), list(rank ORDER BY seat), list(strategy ORDER BY seat), any_value(plies)
               FROM seats JOIN games USING (game_id) GROUP BY game_id ORDER BY game_id"""
        ).fetchall()
        every = [
            {"game": game, "scores": points, "plies": plies, "margin": winning_margin(points, ranks)}
            | {"winners": [name for rank, name in zip(ranks, strategies, strict=True) if rank == 1]}
            for game, points, ranks, strategies, plies in rows
        ]
        every.sort(key=lambda game: (SORT_KEYS[order](game), game["game"]))
        for winner, scores in (
            ("", None),
            ("greedy", None),
            ("random", None),
            ("", (0, 20)),
            ("greedy", (-30, 0)),
        ):
            fitting = [
                game
                for game in every
                if (not winner or winner in game["winners"])
                and (scores is None or any(scores[0] <= one <= scores[1] for one in game["scores"]))
            ]
            for most in (1, 5, 200):
                listed, wanted = games_of_run(connection, order, winner, scores, most), fitting[:most]
                assert listed["game_id"].tolist() == [game["game"] for game in wanted]
                assert listed["margin"].tolist() == [game["margin"] for game in wanted]
                assert listed["result"].tolist() == [" : ".join(map(str, game["scores"])) for game in wanted]


def test_a_finish_is_compared_with_all_games_under_its_rules(
    small_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_library.run("three")
    with run.connect() as connection:
        rows = connection.execute(
            "SELECT list(score ORDER BY seat), list(rank ORDER BY seat) FROM seats GROUP BY game_id ORDER BY game_id"
        ).fetchall()
        margins = [winning_margin(*row) for row in rows]
        monkeypatch.setattr(game_lists, "MIN_GAMES_FOR_CLOSENESS", len(margins))
        for game in (0, 5):
            found = game_lists.finish_closeness(connection, game)
            wider = sum(margin > margins[game] for margin in margins)
            equal = sum(margin == margins[game] for margin in margins)
            assert found
            assert found.share == pytest.approx((wider + equal / 2) / len(margins))
            assert found.n == len(margins)
        monkeypatch.setattr(game_lists, "MIN_GAMES_FOR_CLOSENESS", len(margins) + 1)
        assert game_lists.finish_closeness(connection, 0) is None
