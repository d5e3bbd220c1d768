"""The games of a what-if question about many games: whole blocks, so that every seating occurs equally often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.experiments.fork import Change
from pipelines.experiments.many_games import (
    WhatIfPositions,
    iter_forks,
    play_every_fork,
    select_logged_games,
)
from pipelines.report.whatif import positions_sentence

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
    assert all(small_run.seats(game)[0].rank == 1 for game in won)


def test_a_fork_knows_the_block_of_its_game(small_run: Run) -> None:
    chosen = select_logged_games(small_run, "all", 20)
    forks = list(iter_forks(small_run, chosen, "round:3", Change({0: "random"}), {}))
    assert [fork.block for fork in forks] == [fork.game_id // 2 for fork in forks]


def test_games_in_which_a_strategy_would_replace_itself_are_left_out_and_do_not_hide_its_effect(
    small_run: Run,
) -> None:
    chosen, skipped = select_logged_games(small_run, "all", 20), dict[int, str]()
    forks = list(iter_forks(small_run, chosen, "round:2", Change({0: "greedy"}), skipped))
    plays_random = [game for game in chosen if small_run.seats(game)[0].strategy == "random"]
    assert [fork.game_id for fork in forks] == plays_random
    assert sorted([*plays_random, *skipped]) == sorted(chosen)
    assert set(skipped.values()) == {"nothing changes: greedy plays for player 1 anyway"}
    positions = WhatIfPositions(tuple(play_every_fork(forks, n=30, seed=1)), skipped)
    assert positions.score
    assert positions.score.low > 0
    assert positions_sentence(positions).startswith("over 10 positions of 10 blocks, player 1 scores ")


def test_games_that_have_the_changed_rule_are_left_out_and_games_with_other_luck_are_not(
    small_run: Run,
) -> None:
    same, skipped = Change(options={"gap_penalty": 1}), dict[int, str]()
    assert not list(iter_forks(small_run, [0, 1], "round:2", same, skipped))
    assert set(skipped.values()) == {"nothing changes: it has this move and these rules anyway"}
    assert len(list(iter_forks(small_run, [0, 1], "round:2", Change(), {}))) == 2
