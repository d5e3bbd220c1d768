"""The games of a what-if question about many games: whole blocks, so that every seating occurs equally often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.experiments.fork import Change
from pipelines.experiments.many_games import (
    WhatIfPositions,
    foresee_forks,
    iter_forks,
    list_logged_blocks,
    play_every_fork,
    select_logged_games,
)
from pipelines.report.many_games import announce_forks, positions_sentence

if TYPE_CHECKING:
    from pipelines.runs.run import Run


@pytest.mark.parametrize("most", [10, 11, 12, 16, 20, 500])
def test_every_seating_of_a_block_is_selected_equally_often(small_run: Run, most: int) -> None:
    """The run has ten blocks of two games; with every second game, seat 0 would always have the same strategy."""
    chosen = select_logged_games(small_run, "all", most)
    assert len(chosen) == len(set(chosen)) <= most
    games = [small_run.game(game_id) for game_id in chosen]
    assert len({game.block for game in games}) == 10
    rotations = [game.rotation for game in games]
    assert abs(rotations.count(0) - rotations.count(1)) <= 1


def test_few_games_are_spread_over_the_run(small_run: Run) -> None:
    assert len({small_run.game(game).block for game in select_logged_games(small_run, "all", 4)}) == 4
    won = select_logged_games(small_run, "won:1", 100)
    assert all(small_run.list_seats(game)[0].rank == 1 for game in won)


def test_a_fork_knows_the_block_of_its_game(small_run: Run) -> None:
    chosen = select_logged_games(small_run, "all", 20)
    forks = list(iter_forks(small_run, chosen, "round:3", Change({0: "random"}), {}))
    assert [fork.block for fork in forks] == [fork.game_id // 2 for fork in forks]


def test_games_in_which_a_strategy_would_replace_itself_are_left_out_and_do_not_hide_its_effect(
    small_run: Run,
) -> None:
    chosen, skipped = select_logged_games(small_run, "all", 20), dict[int, str]()
    forks = list(iter_forks(small_run, chosen, "round:2", Change({0: "greedy"}), skipped))
    plays_random = [game for game in chosen if small_run.list_seats(game)[0].strategy == "random"]
    assert [fork.game_id for fork in forks] == plays_random
    assert sorted([*plays_random, *skipped]) == sorted(chosen)
    assert set(skipped.values()) == {"greedy plays for player 1 anyway"}
    foreseen = foresee_forks(small_run, "all", "round:2", 20, Change({0: "greedy"}))
    assert (foreseen.games, foreseen.skipped) == (20, skipped)
    positions = WhatIfPositions(tuple(play_every_fork(forks, n=30, seed=1)), skipped)
    assert positions.score
    assert positions.score.low > 0
    assert positions_sentence(positions).startswith("over 10 games, player 1 (random) scores ")


def test_games_that_have_the_changed_rule_are_left_out_and_games_with_other_luck_are_not(
    small_run: Run,
) -> None:
    same, skipped = Change(options={"gap_penalty": 1}), dict[int, str]()
    assert not list(iter_forks(small_run, [0, 1], "round:2", same, skipped))
    assert set(skipped.values()) == {"it has this move and these rules anyway"}
    assert len(list(iter_forks(small_run, [0, 1], "round:2", Change(), {}))) == 2


@pytest.mark.parametrize("where", ["round:2", "round:40", "last-roll", "60", "-1"])
def test_which_games_are_left_out_is_known_before_they_are_played_on(small_run: Run, where: str) -> None:
    chosen, skipped = select_logged_games(small_run, "all", 20), dict[int, str]()
    forks = list(iter_forks(small_run, chosen, where, Change({0: "noisy"}), skipped))
    foreseen = foresee_forks(small_run, "all", where, 20, Change({0: "noisy"}))
    assert foreseen.skipped == skipped
    left = sorted(len(small_run.actions(fork.game_id)) - len(fork.base.actions) for fork in forks)
    assert not left or left[0] <= foreseen.moves_left <= left[-1]
    said = " ".join(announce_forks(foreseen))
    assert ("the change has little time to matter" in said) == (where in {"last-roll", "60", "-1"})
    assert ("Left out of 20 games: " in said) == bool(skipped)


def test_it_is_said_from_how_many_games_those_are_taken_that_are_played_on(small_run: Run) -> None:
    lost = sum(map(len, list_logged_blocks(small_run, "lost:1")))
    few, all_of_them = (
        " ".join(announce_forks(foresee_forks(small_run, "lost:1", "round:2", limit, Change({0: "noisy"}))))
        for limit in (6, lost)
    )
    assert f"6 of {lost:,} such games" in few
    assert "such games" not in all_of_them
