"""The difference of two groups that share blocks agrees with textbook formulas and covers the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pipelines.statistics import group_difference
from pipelines.statistics.differences import mean_of_results


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


def test_the_mean_of_equal_blocks_has_the_t_interval_of_their_means() -> None:
    values = np.array([1.0, 3.0, 2.0, 8.0, 4.0, 6.0])
    found = mean_of_results(values, np.repeat([4, 7, 9], 2))
    assert found
    means = values.reshape(3, 2).mean(axis=1)
    right = stats.ttest_1samp(means, 0).confidence_interval()
    assert tuple(found) == pytest.approx((means.mean(), right.low, right.high))


@pytest.mark.parametrize("in_group", [5, 55])
def test_too_few_blocks_give_no_interval(in_group: int) -> None:
    assert group_difference(np.arange(60.0), np.arange(60) < in_group, np.arange(60)) is None


def test_values_that_do_not_vary_give_no_interval() -> None:
    assert group_difference(np.full(60, 7.0), np.arange(60) % 2 == 0, np.arange(60)) is None
