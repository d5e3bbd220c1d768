from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import (
    average_intervals,
    bca_interval,
    dkw_half_width,
    mean_interval,
    share_interval,
    t_interval,
    wilson,
)
from pipelines.statistics.intervals import ClusterSums, cluster_mean, cluster_share

block_values = st.lists(st.integers(-30, 30), min_size=2, max_size=60).map(lambda one: np.array(one) / 3)


def test_one_value_has_no_interval() -> None:
    assert mean_interval(3.0, math.nan, 1) is None


def test_the_mean_interval_is_the_t_interval() -> None:
    """t(0.975, 9) = 2.262157 (any printed table)."""
    found = mean_interval(10.0, 2.0, 10)
    assert found is not None
    assert found.half_width == pytest.approx(2.262157 * 2 / 10**0.5, rel=1e-6)


def test_wilson_agrees_with_published_values() -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert [round(x, 4) for x in wilson(81, 263)[1:]] == [0.2553, 0.3662]
    assert [round(x, 4) for x in wilson(0, 20)[1:]] == [0.0, 0.1611]


def test_intervals_cover_the_truth_at_their_level() -> None:
    """In 400 experiments with 12 normal values and with 60 coins, coverage is 95 % within four standard errors (1.1 %)."""
    rng = np.random.default_rng(1)
    tables = rng.normal(5, 3, (400, 12))
    covered = sum(
        found is not None and found.low <= 5 <= found.high
        for found in (mean_interval(float(t.mean()), float(t.std(ddof=1)), 12) for t in tables)
    )
    assert abs(covered / 400 - 0.95) < 0.044
    coins = rng.binomial(60, 0.3, 400)
    assert abs(sum(w.low <= 0.3 <= w.high for w in (wilson(int(c), 60) for c in coins)) / 400 - 0.95) < 0.044


def test_the_mean_of_two_estimates_covers_the_truth_at_its_level() -> None:
    """Of normal values and of shares near an end; 95 % within four standard errors (1.1 %)."""
    rng = np.random.default_rng(2)
    normal = rng.normal(5, 3, (400, 2, 30))
    shares = (rng.random((400, 2, 60)) < 0.1).astype(float)
    for values, interval, truth in ((normal, t_interval, 5.0), (shares, share_interval, 0.1)):
        covered = 0
        for halves in values:
            first, second = map(interval, halves)
            assert first
            assert second
            pooled = average_intervals(first, second)
            assert pooled.estimate == pytest.approx(halves.mean())
            covered += pooled.low <= truth <= pooled.high
        assert abs(covered / 400 - 0.95) < 0.044


def test_the_dkw_band_covers_the_whole_distribution_function() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(3000):
        sample = np.sort(rng.random(50))
        above = np.max(np.arange(1, 51) / 50 - sample)
        below = np.max(sample - np.arange(50) / 50)
        held += bool(max(above, below) <= dkw_half_width(50))
    assert held / 3000 > 0.95 - 4 * 0.004


@given(values=block_values)
def test_the_paired_interval_follows_from_mean_and_standard_deviation(values: np.ndarray) -> None:
    found = t_interval(values)
    wanted = mean_interval(float(values.mean()), float(values.std(ddof=1)), len(values))
    assert found is not None
    assert wanted is not None
    assert found == pytest.approx(wanted, abs=1e-9)


def test_bca_agrees_with_scipy() -> None:
    """SciPy uses a jackknife; the ends agree within the noise of 20,000 resamples."""
    from scipy.stats import bootstrap

    values = np.random.default_rng(3).exponential(2, 60)
    found = bca_interval(values, seed=1, resamples=20_000)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=20_000, rng=np.random.default_rng(2)
    ).confidence_interval
    assert found is not None
    assert found[1:] == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_bca_depends_on_the_seed_and_is_longer_towards_the_long_tail() -> None:
    values = np.random.default_rng(4).exponential(2, 80)
    found = bca_interval(values, seed=5)
    assert found is not None
    assert found == bca_interval(values, seed=5) != bca_interval(values, seed=6)
    assert found.high - found.estimate > found.estimate - found.low


def test_equal_blocks_have_intervals_of_width_zero_despite_rounding() -> None:
    values = np.full(7, 0.1)
    for found in (t_interval(values), bca_interval(values, seed=1)):
        assert found is not None
        assert found.low == found.estimate == found.high


def test_fewer_than_two_blocks_have_no_interval() -> None:
    for short in (np.array([]), np.array([2.0])):
        assert t_interval(short) is None
        assert bca_interval(short, seed=1) is None
        assert share_interval(short / 2) is None


@pytest.mark.parametrize("values", [np.array([1.0, math.nan]), np.array([1.0, math.inf]), np.ones((2, 2))])
def test_invalid_block_values_are_refused(values: np.ndarray) -> None:
    for estimate in (t_interval, share_interval, lambda one: bca_interval(one, seed=1)):
        with pytest.raises(ValueError, match="one finite number for each block"):
            estimate(values)


def test_a_share_beyond_one_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        share_interval(np.array([0.5, 1.5]))


@given(shares=st.lists(st.integers(0, 6), min_size=2, max_size=80).map(lambda one: np.array(one) / 6))
def test_an_interval_of_a_share_contains_it_and_has_a_positive_width(shares: np.ndarray) -> None:
    found = share_interval(shares)
    assert found is not None
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high


def test_blocks_of_one_game_give_wilsons_interval() -> None:
    """Blocks of one game without ties are coin tosses. The estimated variance makes the interval up to 1 % wider."""
    found = share_interval(np.repeat([0.0, 1.0], [300, 700]))
    assert found is not None
    assert tuple(found) == pytest.approx(tuple(wilson(700, 1000)), abs=0.0005)


def test_few_blocks_count_as_fewer_tosses_because_their_variance_is_uncertain() -> None:
    """Korn and Graubard (1998): 36 tosses by the variance of ten blocks, times (z / t)²; t(0.975, 9) = 2.262157."""
    found, tosses = share_interval(np.tile([0.25, 0.75], 5)), 36 * (1.959964 / 2.262157) ** 2
    assert found is not None
    assert tuple(found) == pytest.approx(tuple(wilson(tosses / 2, tosses)), abs=1e-6)


def test_nearly_equal_shares_prove_no_more_than_one_block_that_differs_by_half_the_range() -> None:
    nearly, once = (share_interval(np.append(np.full(39, 0.5), last)) for last in (0.51, 1.0))
    assert nearly is not None
    assert once is not None
    assert nearly.half_width == pytest.approx(once.half_width, rel=0.01)


def test_the_mean_of_unequal_blocks_covers_the_truth() -> None:
    """In blocks of 0 to 3 results that share half of their variance."""
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(1000):
        sizes = rng.integers(0, 4, 60)
        shared, own = rng.normal(size=60), rng.normal(size=(60, 3))
        totals = np.array(
            [size * luck + row[:size].sum() for size, luck, row in zip(sizes, shared, own, strict=True)]
        )
        kept = sizes > 0
        n, x = sizes[kept].astype(float), totals[kept]
        mean = cluster_mean(
            ClusterSums(len(n), n.sum(), (n * n).sum(), x.sum(), (x * x).sum(), (n * x).sum())
        )
        assert mean is not None
        hits += mean.low <= 0 <= mean.high
    assert 930 <= hits <= 970


def test_the_share_of_equal_blocks_is_that_of_their_values() -> None:
    shares = np.array([0.0, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0, 0.0, 1.0, 1.0])
    sums = ClusterSums(10, 10, 10, shares.sum(), (shares**2).sum(), shares.sum())
    assert cluster_share(sums) == pytest.approx(share_interval(shares))
