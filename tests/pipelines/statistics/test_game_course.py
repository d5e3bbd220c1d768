"""The course of games that were made by hand: a coin toss, a game decided by its first move, a comeback, ties."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.statistics.game_course import (
    COURSE_STEPS,
    count_lead_changes,
    decided_after,
    measure_drama,
    standings_by_round,
    won_by_leader,
    won_from_behind,
)

SWAPPED = np.array([[[1.0, 0.0], [1.0, 2.0], [3.0, 2.0], [3.0, 4.0]]])
"""The lead goes to and fro, and the second seat wins."""
LAST_WINS = np.array([[0.0, 1.0]])


def test_a_seat_keeps_its_score_until_it_acts_again_and_the_last_row_is_the_result() -> None:
    """Game 0 has three rounds, and seat 1 does not act in the second; game 1 has one round, in which seat 0 acts twice."""
    log = np.array(
        [(0, 0, 0, 5), (0, 0, 1, 6), (0, 1, 0, 9), (0, 2, 0, 9), (0, 2, 1, 7), (1, 0, 0, 2), (1, 0, 0, 3)]
    )
    games, rounds, seats, scores = log.T
    final = np.array([[10.0, 8.0], [3.0, 1.0]])
    found = standings_by_round(games, rounds, seats, scores.astype(np.float64), np.array([0.0, 1.0]), final)
    assert found.tolist() == [[[5, 6], [9, 6], [10, 8]], [[3, 1], [3, 1], [3, 1]]]


def test_only_another_sole_leader_changes_the_lead() -> None:
    assert count_lead_changes(SWAPPED).tolist() == [3]
    tied = np.array([[[1.0, 0.0], [1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [2.0, 3.0]]])
    assert count_lead_changes(tied).tolist() == [1]
    assert count_lead_changes(np.array([[[0.0, 0.0], [1.0, 0.0]]])).tolist() == [0]


def test_drama_is_how_far_the_winner_is_behind_in_the_rounds_in_which_that_is_so() -> None:
    rounds = np.array([4])
    assert measure_drama(SWAPPED, rounds, LAST_WINS).tolist() == [
        1
    ]  # one point behind, twice, and never more apart
    assert measure_drama(SWAPPED, rounds, LAST_WINS[:, ::-1]).tolist() == [1]
    runaway = np.array([[[1.0, 0.0], [2.0, 0.0]]])
    assert measure_drama(runaway, np.array([2]), np.array([[1.0, 0.0]])).tolist() == [0]
    deep = np.array([[[0.0, 100.0], [75.0, 100.0], [101.0, 100.0]]])
    assert measure_drama(deep, np.array([3]), np.array([[1.0, 0.0]])) == pytest.approx([(1 + 0.5) / 2])


def test_nobody_is_behind_where_all_share_the_win() -> None:
    level = np.array([[[1.0, 1.0], [2.0, 2.0]]])
    shared, rounds = np.array([[0.5, 0.5]]), np.array([2])
    assert measure_drama(level, rounds, shared).tolist() == [0]
    assert won_from_behind(level, rounds, shared).tolist() == [0]


def test_a_comeback_is_a_win_of_who_is_behind_after_half_of_the_rounds() -> None:
    assert won_from_behind(SWAPPED, np.array([4]), LAST_WINS).tolist() == [
        0
    ]  # it leads after two of four rounds
    assert won_from_behind(SWAPPED, np.array([4]), LAST_WINS[:, ::-1]).tolist() == [1]
    assert won_from_behind(SWAPPED[:, :3], np.array([3]), np.array([[1.0, 0.0]])).tolist() == [1]


def test_a_game_decided_by_its_first_move_has_no_drama_no_comeback_and_a_winner_at_once() -> None:
    rng = np.random.default_rng(3)
    first = rng.permuted(np.tile([5.0, 0.0, 0.0], (300, 1)), axis=1)
    standings = first[:, None, :] + np.arange(10.0)[None, :, None]
    wins, rounds = (first > 0).astype(np.float64), np.full(300, 10)
    assert not count_lead_changes(standings).any()
    assert not measure_drama(standings, rounds, wins).any()
    assert not won_from_behind(standings, rounds, wins).any()
    known = decided_after(won_by_leader(standings, rounds, wins))
    assert known is not None
    assert set(known) == {1 / COURSE_STEPS}


def test_the_winner_of_a_coin_toss_at_the_end_is_known_at_the_end_only() -> None:
    """Before the last round the lead says nothing."""
    rng = np.random.default_rng(4)
    standings = rng.integers(0, 2, size=(300, 20, 1)) * np.array([1.0, -1.0])
    winner = rng.integers(0, 2, size=300)
    wins = np.stack([winner == 0, winner == 1], axis=1).astype(np.float64)
    standings[:, -1] = wins
    shares = won_by_leader(standings, np.full(300, 20), wins)
    assert abs(shares[:, :-1].mean() - 0.5) < 0.02
    known = decided_after(shares)
    assert known is not None
    assert set(known) == {1.0}
    assert won_from_behind(standings, np.full(300, 20), wins).mean() == pytest.approx(0.25, abs=0.08)


def test_the_interval_of_the_decision_holds_the_truth() -> None:
    """The leader wins for certain after 80 % of the game, and with 85 % before: few blocks cannot tell 85 % from 90 %."""
    rng, hits = np.random.default_rng(5), 0
    for _ in range(40):
        chances = np.where(np.arange(1, COURSE_STEPS + 1) > 15, 1.0, 0.85)
        known = decided_after((rng.random((80, COURSE_STEPS)) < chances).astype(np.float64))
        assert known is not None
        assert known.low <= known.estimate <= known.high
        hits += known.low <= 0.8 <= known.high
    assert hits >= 36
    assert decided_after(np.ones((1, COURSE_STEPS))) is None
