"""The difference of two groups that share blocks agrees with textbook formulas and covers the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipelines.statistics import (
    correlation,
    group_difference,
    quantile_differences,
    superiority_probability,
    variance_ratio,
)

score_lists = st.lists(st.integers(-20, 60), min_size=2, max_size=40)


def sample_pair(blocks: int = 120, games: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20)
    luck = rng.normal(0, 6, (blocks, games))
    return np.rint(32 + luck + rng.normal(0, 3, luck.shape)), np.rint(
        30 + luck + rng.normal(0, 3, luck.shape)
    )


@given(values=score_lists)
def test_a_strategy_against_itself_is_exactly_zero(values: list[int]) -> None:
    own = np.array(values) / 3
    better = superiority_probability(own, own.copy())
    assert better is not None
    assert better.estimate == 0.5
    assert variance_ratio(own, own) in {0.0, None}
    assert all(one.difference == (0.0, 0.0, 0.0) for one in quantile_differences(own, own.copy(), seed=1))


@given(values=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=30))
def test_exchanging_the_strategies_reverses_the_signs(values: list[tuple[int, int]]) -> None:
    a, b = np.array(values, dtype=np.float64).T
    there, back = superiority_probability(a, b), superiority_probability(b, a)
    assert there is not None
    assert back is not None
    assert there.estimate == pytest.approx(np.mean((a > b) + (a == b) / 2))
    assert there == pytest.approx((1 - back.estimate, 1 - back.high, 1 - back.low))


def test_one_block_has_no_intervals() -> None:
    one, other = np.array([3.0]), np.array([1.0])
    assert superiority_probability(one, other) is None
    assert quantile_differences(one, other, seed=1) == ()


def test_common_luck_appears_in_correlation_and_variance() -> None:
    """With common luck of variance 36 and other variance of 9, the correlation is 0.8 and the variance ratio 0.2."""
    rng = np.random.default_rng(21)
    luck = rng.normal(0, 6, 20_000)
    a, b = luck + rng.normal(0, 3, 20_000), luck + rng.normal(0, 3, 20_000)
    assert correlation(a, b) == pytest.approx(0.8, abs=0.02)
    assert variance_ratio(a, b) == pytest.approx(0.2, abs=0.02)


def test_constant_scores_have_no_correlation() -> None:
    flat, other = np.full(9, 0.1), np.arange(9.0)
    assert correlation(flat, other) is None
    assert correlation(other, other) == 1.0
    assert variance_ratio(flat, flat) is None
    assert variance_ratio(flat, other) == 1.0


@given(values=score_lists, share=st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]))
def test_quantiles_are_those_of_the_sample(values: list[int], share: float) -> None:
    a = np.array(values, dtype=np.float64)
    found = quantile_differences(a, np.zeros(len(a)), [share], seed=1)[0]
    assert found.a == np.quantile(a, share, method="inverted_cdf")
    assert found.difference.estimate == found.a
    assert found.difference.low <= found.difference.high


def test_resampled_quantiles_equal_those_of_the_resampled_blocks() -> None:
    """The reference resamples whole blocks and sorts their games."""
    from pipelines.statistics.differences import _SortedScores

    rng = np.random.default_rng(22)
    games = np.rint(rng.normal(0, 5, (30, 3)))
    times = rng.multinomial(30, np.full(30, 1 / 30), size=20)
    found = _SortedScores.from_games(games).quantiles(times, np.array([0.1, 0.5, 0.9]))
    for row, counts in zip(found, times, strict=True):
        drawn = np.repeat(games, counts, axis=0)
        assert row.tolist() == np.quantile(drawn, [0.1, 0.5, 0.9], method="inverted_cdf").tolist()


def test_a_shift_moves_every_quantile() -> None:
    a, b = sample_pair(400)
    for one in quantile_differences(a + 10, b, seed=1):
        assert one.difference.low > 0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.ones(3), np.ones(4)),
        (np.ones(0), np.ones(0)),
        (np.ones((2, 2, 2)), np.ones((2, 2, 2))),
        (np.array([1.0, math.nan]), np.ones(2)),
    ],
)
def test_invalid_pairs_are_refused(a: np.ndarray, b: np.ndarray) -> None:
    with pytest.raises(ValueError, match="one"):
        quantile_differences(a, b, seed=1)
    with pytest.raises(ValueError, match="one"):
        superiority_probability(a, b)


def test_one_result_of_each_group_in_a_block_gives_the_paired_t_interval() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(size=30)
    a, b = luck + rng.normal(size=30), luck + rng.normal(size=30) + 1
    found = group_difference(np.concatenate([a, b]), np.repeat([True, False], 30), np.tile(np.arange(30), 2))
    right = stats.ttest_rel(a, b)
    assert found
    assert found.p_value == pytest.approx(right.pvalue)
    assert found.difference[1:] == pytest.approx(tuple(right.confidence_interval()))


def test_groups_without_common_blocks_have_at_least_the_error_of_welch() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=200), rng.normal(3, 2, size=100)
    found = group_difference(np.concatenate([a, b]), np.arange(300) < 200, np.arange(300))
    right = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert found
    assert found.difference.half_width == pytest.approx((right.high - right.low) / 2, rel=0.02)


def test_copies_of_a_block_do_not_narrow_the_interval() -> None:
    """Results that repeat the luck of their block add no information."""
    rng = np.random.default_rng(3)
    values, group = rng.normal(size=60), np.arange(60) % 3 == 0
    once = group_difference(values, group, np.arange(60))
    often = group_difference(np.repeat(values, 5), np.repeat(group, 5), np.repeat(np.arange(60), 5))
    assert once
    assert often
    assert tuple(often.difference) == pytest.approx(tuple(once.difference))
    assert often.blocks == once.blocks == 20


def test_a_selection_by_a_noisy_value_is_covered() -> None:
    """Two results a block with common luck; the group is chosen by another value, which is tied to the first one."""
    hits, truth = 0, 0.8
    for seed in range(400):
        rng = np.random.default_rng(seed)
        blocks = np.repeat(np.arange(60), 2)
        luck = rng.normal(size=60)[blocks]
        group = luck + rng.normal(size=120) > 0.5
        values = truth * group + rng.normal(size=60)[blocks] + rng.normal(size=120)
        found = group_difference(values, group, blocks)
        assert found
        hits += found.difference.low <= truth <= found.difference.high
    assert 0.925 <= hits / 400 <= 0.985


@pytest.mark.parametrize("in_group", [5, 55])
def test_too_few_blocks_give_no_interval(in_group: int) -> None:
    assert group_difference(np.arange(60.0), np.arange(60) < in_group, np.arange(60)) is None


def test_values_that_do_not_vary_give_no_interval() -> None:
    assert group_difference(np.full(60, 7.0), np.arange(60) % 2 == 0, np.arange(60)) is None
