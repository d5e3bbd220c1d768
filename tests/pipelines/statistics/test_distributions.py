from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import Distribution, common_bin_edges

score_samples = st.lists(st.integers(-500, 500), min_size=1, max_size=200)


def make_distribution(sample: list[int]) -> Distribution:
    values, counts = np.unique(np.array(sample, dtype=np.int64), return_counts=True)
    return Distribution(values, counts.astype(np.int64))


@given(sample=score_samples)
def test_a_distribution_has_the_moments_of_its_sample(sample: list[int]) -> None:
    d = make_distribution(sample)
    assert d.n == len(sample)
    assert math.isclose(d.mean, float(np.mean(sample)), abs_tol=1e-9)
    if len(sample) > 1:
        assert math.isclose(d.sd, float(np.std(sample, ddof=1)), abs_tol=1e-9)
    for share in (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0):
        assert d.quantile(share) == np.quantile(sample, share, method="inverted_cdf")


@given(sample=score_samples, other=score_samples, most=st.integers(2, 60))
def test_common_bins_contain_every_value_once(sample: list[int], other: list[int], most: int) -> None:
    both = [make_distribution(sample), make_distribution(other)]
    edges = common_bin_edges(both, most)
    assert len(set(np.diff(edges).tolist())) == 1
    assert len(edges) - 1 <= most + 1
    for d in both:
        assert int(d.bin_counts(edges).sum()) == d.n


@given(sample=score_samples, value=st.integers(-500, 500))
def test_a_percentile_is_within_its_interval(sample: list[int], value: int) -> None:
    found = make_distribution(sample).percentile_of(value)
    below = sum(score < value for score in sample) + sum(score == value for score in sample) / 2
    assert math.isclose(found.estimate, below / len(sample))
    assert 0 <= found.low <= found.estimate + 1e-12
    assert found.estimate - 1e-12 <= found.high <= 1


def test_one_value_has_no_spread() -> None:
    assert math.isnan(make_distribution([4]).sd)
