from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import Distribution, common_edges, dkw_half_width, mean_interval, wilson

samples = st.lists(st.integers(-500, 500), min_size=1, max_size=200)


def distribution(sample: list[int]) -> Distribution:
    values, counts = np.unique(np.array(sample, dtype=np.int64), return_counts=True)
    return Distribution(values, counts.astype(np.int64))


@given(sample=samples)
def test_a_distribution_says_the_same_as_its_sample(sample: list[int]) -> None:
    d = distribution(sample)
    assert d.n == len(sample)
    assert math.isclose(d.mean, float(np.mean(sample)), abs_tol=1e-9)
    if len(sample) > 1:
        assert math.isclose(d.sd, float(np.std(sample, ddof=1)), abs_tol=1e-9)
    for share in (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0):
        assert d.quantile(share) == np.quantile(sample, share, method="inverted_cdf")


@given(sample=samples, other=samples, most=st.integers(2, 60))
def test_common_bins_hold_every_value_once(sample: list[int], other: list[int], most: int) -> None:
    both = [distribution(sample), distribution(other)]
    edges = common_edges(both, most)
    assert len(set(np.diff(edges).tolist())) == 1
    assert len(edges) - 1 <= most + 1
    for d in both:
        assert int(d.binned(edges).sum()) == d.n


@given(sample=samples, value=st.integers(-500, 500))
def test_a_percentile_lies_in_its_interval(sample: list[int], value: int) -> None:
    found = distribution(sample).percentile_of(value)
    below = sum(one < value for one in sample) + sum(one == value for one in sample) / 2
    assert math.isclose(found.estimate, below / len(sample))
    assert 0 <= found.low <= found.estimate + 1e-12
    assert found.estimate - 1e-12 <= found.high <= 1


def test_one_value_has_no_interval() -> None:
    assert mean_interval(3.0, math.nan, 1) is None
    assert math.isnan(distribution([4]).sd)


def test_the_mean_interval_is_students() -> None:
    """t(0.975, 9) = 2.262157 (any printed table)."""
    found = mean_interval(10.0, 2.0, 10)
    assert found is not None
    assert found.half == pytest.approx(2.262157 * 2 / 10**0.5, rel=1e-6)


def test_wilson_is_as_published() -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert [round(x, 4) for x in wilson(81, 263)[1:]] == [0.2553, 0.3662]
    assert [round(x, 4) for x in wilson(0, 20)[1:]] == [0.0, 0.1611]


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """400 experiments of 12 normal values, and of 60 coins: 95 % within four standard errors (1.1 %)."""
    rng = np.random.default_rng(1)
    tables = rng.normal(5, 3, (400, 12))
    covered = sum(
        found is not None and found.low <= 5 <= found.high
        for found in (mean_interval(float(t.mean()), float(t.std(ddof=1)), 12) for t in tables)
    )
    assert abs(covered / 400 - 0.95) < 0.044
    coins = rng.binomial(60, 0.3, 400)
    assert abs(sum(w.low <= 0.3 <= w.high for w in (wilson(int(c), 60) for c in coins)) / 400 - 0.95) < 0.044


def test_the_dkw_band_holds_the_whole_curve() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(3000):
        sample = np.sort(rng.random(50))
        above = np.max(np.arange(1, 51) / 50 - sample)
        below = np.max(sample - np.arange(50) / 50)
        held += bool(max(above, below) <= dkw_half_width(50))
    assert held / 3000 > 0.95 - 4 * 0.004
