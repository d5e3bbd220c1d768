"""The shares of luck and skill in results whose causes are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from pipelines.statistics.luck import VarianceShares, part_shares, variance_shares


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
    assert found.skill.low == 0
    assert found.skill.high < 0.05


@pytest.mark.parametrize(
    ("luck", "skill", "rest"), [(1, 0.7, 1), (0.2, 1.5, 1), (1, 3, 0.5), (1, 0, 1), (1, 0.1, 1), (0, 3, 0.1)]
)
@pytest.mark.parametrize("seatings", [2, 4])
def test_the_intervals_hold_the_truth(luck: float, skill: float, rest: float, seatings: int) -> None:
    """They do in about 95 of 100 experiments; fewer than 88 of 100 in 150 would come once in a thousand."""
    rng, hits = np.random.default_rng(seatings), np.zeros(3)
    of_seating = np.where(np.arange(seatings) == 0, 1.0, -1 / (seatings - 1))
    of_seating *= skill / of_seating.std()
    total = luck**2 + skill**2 + rest**2
    truths = luck**2 / total, skill**2 / total, 2 * skill**2 / total - 1
    for _ in range(150):
        values = luck * rng.normal(size=(100, 1)) + of_seating + rest * rng.normal(size=(100, seatings))
        found = share(values)
        intervals = (found.luck, found.skill, found.skill_luck_index)
        hits += [one.low <= truth <= one.high for one, truth in zip(intervals, truths, strict=True)]
    assert (hits >= 132).all(), hits


def test_the_index_is_minus_one_for_a_toss_and_one_without_luck_and_zero_for_equal_parts() -> None:
    rng = np.random.default_rng(3)
    toss = rng.choice([-1.0, 1.0], size=(400, 1))
    of_skill = np.tile([1.0, -1.0], (400, 1))
    for values, truth in ((np.repeat(toss, 2, axis=1), -1), (of_skill, 1)):
        index = share(values).skill_luck_index
        assert index.estimate == pytest.approx(truth)
        assert index.high - index.low < 0.02
    mixed = share(of_skill + rng.choice([-1.0, 1.0], size=(400, 2))).skill_luck_index
    assert mixed.low < 0 < mixed.high
    assert mixed.high - mixed.low < 0.3


def test_the_index_of_tosses_with_a_luck_of_their_own_holds_minus_one() -> None:
    """Its interval must not lie above -1 although a square is never negative."""
    rng = np.random.default_rng(4)
    lows = [share(rng.choice([-1.0, 1.0], size=(60, 2))).skill_luck_index.low for _ in range(200)]
    assert np.mean(np.array(lows) == -1) > 0.9


def simulate_parts(rng: np.random.Generator, spreads: list[float], blocks: int, games: int) -> np.ndarray:
    """Return results of games whose parts add normal luck of these spreads, as `part_shares` takes them."""
    parts = len(spreads)
    common = np.cumsum(rng.normal(size=(blocks, parts - 1)) * spreads[:-1], axis=1)
    left = np.sqrt([sum(spread**2 for spread in spreads[part + 1 :]) for part in range(parts - 1)])
    return common[:, :, None] + left[:, None] * rng.normal(size=(blocks, parts - 1, games))


@pytest.mark.parametrize("spreads", [[1.0, 1.0, 1.0, 1.0], [3.0, 1.0, 0.5, 0.0], [0.0, 0.0, 1.0, 2.0]])
def test_the_luck_of_parts_has_the_shares_that_it_was_given(spreads: list[float]) -> None:
    """In about 95 of 100 experiments, as for the shares above."""
    rng, hits = np.random.default_rng(5), np.zeros(4)
    truths = np.square(spreads) / np.square(spreads).sum()
    for _ in range(150):
        shares = part_shares(simulate_parts(rng, spreads, 100, 4))
        assert shares is not None
        if min(one.estimate for one in shares) > 0:  # a share below 0 is shown as 0
            assert sum(one.estimate for one in shares) == pytest.approx(1)
        hits += [
            one.low - 1e-9 <= truth <= one.high + 1e-9 for one, truth in zip(shares, truths, strict=True)
        ]
    assert (hits >= 132).all(), hits


def test_a_game_decided_by_its_first_part_has_all_its_luck_there() -> None:
    toss = np.random.default_rng(6).choice([-1.0, 1.0], size=(100, 1, 1))
    shares = part_shares(np.broadcast_to(toss, (100, 3, 4)))
    assert shares is not None
    assert [one.estimate for one in shares] == pytest.approx([1, 0, 0, 0])
    assert part_shares(np.ones((100, 3, 4))) is None


def test_the_share_of_luck_is_that_of_the_mean_squares_of_a_two_way_layout() -> None:
    """Few blocks and three seatings, so that the rest has to be taken off the seatings as often as it is in them."""
    values = np.array([[9.0, 1, 2], [12, 6, 8], [5, -1, -3], [9, 0, 5]])
    blocks, seatings = values.shape
    of_block, of_seating = values.mean(axis=1), values.mean(axis=0)
    gaps = values - of_block[:, None] - of_seating + values.mean()
    rest = (gaps**2).sum() / ((blocks - 1) * (seatings - 1))
    luck = of_block.var(ddof=1) - rest / seatings
    skill = of_seating.var() - rest * (seatings - 1) / (blocks * seatings)
    assert share(values).luck.estimate == pytest.approx(luck / (luck + skill + rest))


def test_the_share_of_skill_is_that_of_the_first_seating_less_its_noise() -> None:
    """Few blocks and three seatings; two seatings differ by chance only. Sums are taken game by game, block by block."""
    values = np.array([[9.0, 1, 2], [12, 6, 8], [7, -1, -3], [9, 0, 5], [11, 3, 1], [8, 2, 4]])
    blocks = len(values)

    def find_angle(values: np.ndarray) -> float:
        first, later = values[:, 0], values[:, 1:].ravel()
        means = np.concatenate([np.full_like(first, first.mean()), np.full_like(later, later.mean())])
        rest = ((np.concatenate([first, later]) - means) ** 2).mean() * len(values) / (len(values) - 1)
        return float(np.arctan(np.sqrt(means.var() / rest)))

    angle = find_angle(values)
    without = np.array([find_angle(np.delete(values, block, axis=0)) for block in range(blocks)])
    error = np.sqrt(((without - without.mean()) ** 2).sum() * (blocks - 1) / blocks)
    noise = (error * student.ppf(0.975, blocks - 1) / 1.96) ** 2 * np.cos(2 * angle)
    found = share(values).skill
    assert found.low < np.sin(angle) ** 2 - noise < found.high
    assert found.estimate == pytest.approx(np.sin(angle) ** 2 - noise)


def test_equal_results_and_too_few_games_have_no_shares() -> None:
    assert variance_shares(np.full((50, 2), 7.0)) is None
    assert variance_shares(np.array([[1.0, 2.0], [3.0, 5.0]])) is None
    assert variance_shares(np.arange(9.0)[:, None]) is None
    one_differs = np.zeros((5, 2))
    one_differs[0] = 1.0, -1.0
    assert share(one_differs)
