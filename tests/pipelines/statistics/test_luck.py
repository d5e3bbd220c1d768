"""The shares of luck and skill in results whose causes are known."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.statistics.luck import VarianceShares, variance_shares


def share(values: np.ndarray) -> VarianceShares:
    found = variance_shares(np.asarray(values, np.float64))
    assert found is not None
    assert all(0 <= one.low <= one.estimate <= one.high <= 1 for one in found)
    return found


def test_a_coin_toss_is_all_luck_and_no_skill() -> None:
    tosses = np.random.default_rng(1).choice([-1.0, 1.0], size=(100, 1))
    found = share(np.repeat(tosses, 2, axis=1))
    assert found.luck.estimate == pytest.approx(1)
    assert found.skill.estimate == pytest.approx(0)
    assert found.luck.low < 1  # a hundred equal blocks do not prove that the next one is equal


def test_a_game_without_luck_is_all_skill() -> None:
    found = share(np.tile([3.0, -3.0], (100, 1)))
    assert found.luck.estimate == pytest.approx(0)
    assert found.skill.estimate == pytest.approx(1)


def test_a_game_of_luck_that_favours_nobody_twice_is_neither() -> None:
    """Each game has a luck of its own, so neither its block nor its seating explains it."""
    found = share(np.random.default_rng(2).normal(size=(400, 3)))
    assert found.luck.high < 0.15
    assert found.skill.high < 0.05


@pytest.mark.parametrize(("luck", "skill", "rest"), [(1, 0.7, 1), (0.2, 1.5, 1), (1, 3, 0.5)])
@pytest.mark.parametrize("seatings", [2, 4])
def test_the_intervals_hold_the_truth(luck: float, skill: float, rest: float, seatings: int) -> None:
    """They do in about 95 of 100 experiments; fewer than 88 of 100 in 150 would come once in a thousand."""
    rng, hits = np.random.default_rng(seatings), np.zeros(2)
    of_seating = np.linspace(-1, 1, seatings)
    of_seating *= skill / of_seating.std()
    truths = np.array([luck**2, skill**2]) / (luck**2 + skill**2 + rest**2)
    for _ in range(150):
        values = luck * rng.normal(size=(100, 1)) + of_seating + rest * rng.normal(size=(100, seatings))
        hits += [one.low <= truth <= one.high for one, truth in zip(share(values), truths, strict=True)]
    assert (hits >= 132).all(), hits


def test_the_shares_are_those_of_the_mean_squares_of_a_two_way_layout() -> None:
    """Few blocks and three seatings, so that the rest has to be taken off the seatings as often as it is in them."""
    values = np.array([[9.0, 1, 2], [12, 6, 8], [5, -1, -3], [9, 0, 5]])
    blocks, seatings = values.shape
    of_block, of_seating = values.mean(axis=1), values.mean(axis=0)
    gaps = values - of_block[:, None] - of_seating + values.mean()
    rest = (gaps**2).sum() / ((blocks - 1) * (seatings - 1))
    luck = of_block.var(ddof=1) - rest / seatings
    skill = of_seating.var() - rest * (seatings - 1) / (blocks * seatings)
    shares = np.array([luck, skill]) / (luck + skill + rest)
    found = share(values)
    assert (found.luck.estimate, found.skill.estimate) == pytest.approx(tuple(shares.clip(0, 1)))


def test_equal_results_and_too_few_games_have_no_shares() -> None:
    assert variance_shares(np.full((50, 2), 7.0)) is None
    assert variance_shares(np.array([[1.0, 2.0], [3.0, 5.0]])) is None
    assert variance_shares(np.arange(9.0)[:, None]) is None
    one_differs = np.zeros((5, 2))
    one_differs[0] = 1.0, -1.0
    assert share(one_differs)
