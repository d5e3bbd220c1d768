from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import Rankings, plackett_luce, win_shares
from pipelines.statistics.ratings import PRIOR_GAMES
from tests.examples import scale_examples

STRATEGY_NAMES = ["planner", "greedy", "random", "last"]


def sample_rankings(strengths: list[float], games: int, seed: int, seats: int | None = None) -> Rankings:
    """Return games of the model: the ranks follow log-strength plus Gumbel noise (Yellott 1977). Blocks have four games."""
    rng = np.random.default_rng(seed)
    codes = np.array([rng.permutation(len(strengths))[:seats] for _ in range(games)])
    scores = np.array(strengths)[codes] + rng.gumbel(size=codes.shape)
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    return Rankings(codes, ranks, np.arange(games) // 4)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_known_strengths_are_found(seats: int) -> None:
    true = [1.0, 0.3, -0.3, -1.0]
    found = plackett_luce(STRATEGY_NAMES, sample_rankings(true, 4000, 50, seats), seed=1)
    assert [one.log_strength.estimate for one in found] == pytest.approx(true, abs=0.12)
    assert [one.strategy for one in found] == STRATEGY_NAMES
    for one in found:
        assert one.log_strength.low < one.log_strength.estimate < one.log_strength.high
        assert one.elo.high == pytest.approx(one.log_strength.high * 400 / math.log(10))
        assert not one.is_separated


def test_two_strategies_are_rated_by_their_odds() -> None:
    """700 of 1,000 wins are odds of 7 to 3; each log-strength is half of their logarithm. The prior hardly matters."""
    ranks = np.array([[1, 2]] * 700 + [[2, 1]] * 300)
    games = Rankings(np.tile([0, 1], (1000, 1)), ranks, np.arange(1000))
    found = plackett_luce(["a", "b"], games, seed=1)
    assert found[0].log_strength.estimate == pytest.approx(math.log(7 / 3) / 2, abs=0.001)
    assert found[0].elo.estimate - found[1].elo.estimate == pytest.approx(400 * math.log10(7 / 3), abs=0.5)


def log_likelihood(logs: np.ndarray, games: Rankings) -> float:
    """Return the log-likelihood, computed game by game; ties are averaged over their orders."""
    total = float(np.sum(PRIOR_GAMES / 2 * (-np.log1p(np.exp(-logs)) - np.log1p(np.exp(logs)))))
    for codes, ranks in zip(games.strategies, games.ranks, strict=True):
        orders = [
            order
            for order in permutations(range(len(codes)))
            if all(ranks[one] <= ranks[two] for one, two in pairwise(order))
        ]
        for order in orders:
            left = [math.exp(logs[codes[seat]]) for seat in order]
            total += sum(math.log(left[i] / sum(left[i:])) for i in range(len(left))) / len(orders)
    return total


@scale_examples(0.25)
@given(data=st.data())
def test_no_other_ratings_fit_better(data: st.DataObject) -> None:
    """The reference computes the likelihood game by game, with ties."""
    ranks = data.draw(st.lists(st.tuples(*[st.integers(1, 3)] * 3), min_size=4, max_size=12))
    codes = [data.draw(st.permutations(range(3))) for _ in ranks]
    games = Rankings(np.array(codes), np.array(ranks), np.arange(len(ranks)))
    found = np.array(
        [one.log_strength.estimate for one in plackett_luce(STRATEGY_NAMES[:3], games, seed=1, resamples=10)]
    )
    assert found.sum() == pytest.approx(0, abs=1e-9)
    # The prior and the ratings are both centred near zero, so a small shift between them is allowed.
    shifts = np.linspace(-1, 1, 201)
    best = max(log_likelihood(found + shift, games) for shift in shifts)
    for code in range(3):
        for step in (-0.05, 0.05):
            other = found.copy()
            other[code] += step
            assert max(log_likelihood(other + shift, games) for shift in shifts[50:151:5]) <= best + 1e-3


def test_strategies_that_always_tie_are_equal() -> None:
    games = Rankings(np.tile([0, 1, 2], (40, 1)), np.ones((40, 3), dtype=np.int64), np.arange(40))
    for one in plackett_luce(STRATEGY_NAMES[:3], games, seed=1):
        assert one.log_strength == pytest.approx((0, 0, 0), abs=1e-6)


def test_a_strategy_that_always_wins_has_a_finite_rating_without_an_upper_limit() -> None:
    ranks = np.array([[1, 2, 3], [1, 3, 2]] * 30)
    games = Rankings(np.tile([0, 1, 2], (60, 1)), ranks, np.arange(60) // 2)
    first, second, third = plackett_luce(STRATEGY_NAMES[:3], games, seed=1)
    assert first.is_separated
    assert math.isfinite(first.log_strength.estimate)
    assert first.log_strength.high == math.inf
    # 30 blocks without a loss are compatible with one loss in eight blocks, that is, odds of 7 against two equal ones.
    assert 0.5 < first.log_strength.low < math.log(2 * 7)
    for one in (second, third):
        assert one.log_strength.low == -math.inf
        assert one.log_strength.high < first.log_strength.low


def test_two_groups_are_separated_if_one_always_beats_the_other() -> None:
    """No single strategy always wins, but the games do not limit the lead of the first two over the last two."""
    ranks = np.array([[1, 2, 3, 4], [2, 1, 4, 3]] * 20)
    games = Rankings(np.tile([0, 1, 2, 3], (40, 1)), ranks, np.arange(40) // 2)
    found = plackett_luce(STRATEGY_NAMES, games, seed=1)
    assert [one.log_strength.high == math.inf for one in found] == [True, True, False, False]
    assert [one.log_strength.low == -math.inf for one in found] == [False, False, True, True]


def test_a_game_can_have_the_same_strategy_twice_and_empty_seats() -> None:
    codes = np.array([[0, 0, 1, -1], [0, 1, 1, -1], [1, 0, -1, -1]] * 30)
    ranks = np.array([[1, 2, 3, 0], [2, 1, 3, 0], [2, 1, 0, 0]] * 30)
    first, second = plackett_luce(STRATEGY_NAMES[:2], Rankings(codes, ranks, np.arange(90) // 3), seed=1)
    assert first.log_strength.estimate > 0 > second.log_strength.estimate


def test_strategies_without_common_games_are_refused() -> None:
    codes = np.array([[0, 1], [2, 3]] * 10)
    games = Rankings(codes, np.tile([1, 2], (20, 1)), np.arange(20))
    with pytest.raises(ValueError, match="random, last never played against planner"):
        plackett_luce(STRATEGY_NAMES, games, seed=1)
    with pytest.raises(ValueError, match="at least two"):
        plackett_luce(["one"], games, seed=1)


def measure_rating_coverage(experiments: int) -> float:
    """Return the share of intervals that cover the truth when games of the same block have the same luck."""
    rng = np.random.default_rng(51)
    true = np.array([0.6, 0.0, -0.6])
    covered = 0
    for experiment in range(experiments):
        luck = np.repeat(rng.gumbel(size=(100, 3)), 3, axis=0)
        own = rng.random(300) < 0.5
        scores = true + np.where(own[:, None], rng.gumbel(size=(300, 3)), luck)
        ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
        games = Rankings(np.tile([0, 1, 2], (300, 1)), ranks, np.arange(300) // 3)
        interval = plackett_luce(STRATEGY_NAMES[:3], games, seed=experiment, resamples=200)[0].log_strength
        covered += interval.low <= true[0] <= interval.high
    return covered / experiments


@pytest.mark.parametrize("experiments", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_intervals_of_ratings_cover_the_truth(experiments: int) -> None:
    """The tolerance is three standard errors: 3 % for 500 experiments."""
    assert abs(measure_rating_coverage(experiments) - 0.95) <= (0.03 if experiments == 500 else 0.11)


def test_winners_share_the_win() -> None:
    ranks = np.array([[1, 2, 3], [1, 1, 3], [1, 1, 1]], dtype=np.uint8)
    assert win_shares(ranks).tolist() == [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]]
    assert win_shares((2, 1)).tolist() == [0.0, 1.0]
    assert np.array_equal(win_shares(ranks.reshape(3, 1, 3)), win_shares(ranks)[:, None])
