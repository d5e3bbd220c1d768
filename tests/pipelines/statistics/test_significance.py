from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import chi_square, equivalence_p_value, holm, sign_flip, significance

whole_differences = st.lists(st.integers(-9, 9), min_size=1, max_size=10)


def p_by_enumeration(differences: list[float]) -> float:
    signs = np.array(list(product((-1, 1), repeat=len(differences))))
    return float(np.mean(np.abs(signs @ np.array(differences)) >= abs(sum(differences)) - 1e-9))


@given(differences=whole_differences, parts=st.integers(1, 4))
def test_few_blocks_are_enumerated(differences: list[int], parts: int) -> None:
    values = [difference / parts for difference in differences]
    found = sign_flip(np.array(values), seed=1)
    assert found.is_exact
    assert found.p == pytest.approx(p_by_enumeration(values))


@given(differences=whole_differences, parts=st.integers(1, 12))
def test_counting_sums_gives_the_same_p_as_enumerating_patterns(differences: list[int], parts: int) -> None:
    """The method for many blocks is applied to few blocks."""
    values = np.array([difference / parts for difference in differences])
    sizes = np.abs(values[values != 0])
    if len(sizes):
        steps = significance._whole_steps(sizes)
        assert steps is not None
        found = significance._exact_share_by_sums(steps, abs(values.sum()) * steps.sum() / sizes.sum())
        assert found == pytest.approx(p_by_enumeration(values.tolist()))


@given(differences=whole_differences, zeros=st.integers(0, 300))
def test_blocks_without_a_difference_do_not_change_p(differences: list[int], zeros: int) -> None:
    values = np.array(differences, dtype=np.float64)
    longer = np.concatenate([np.zeros(zeros), values])
    assert sign_flip(longer, seed=1).p == sign_flip(values, seed=1).p


def test_a_strategy_against_itself_is_never_significant() -> None:
    assert sign_flip(np.zeros(400), seed=1).p == 1.0


def test_p_is_exact_for_many_whole_differences_and_precise_when_tiny() -> None:
    found = sign_flip(np.ones(200), seed=1)
    assert found.is_exact
    assert found.p == pytest.approx(2.0**-199)


def test_drawn_patterns_approximate_the_exact_p() -> None:
    """With 9,999 patterns and p = 0.24 the standard error is 0.004; the tolerance is three of them."""
    values = np.rint(np.random.default_rng(8).normal(0.6, 4, 150))
    exact = sign_flip(values, seed=1)
    assert exact.is_exact
    hits = significance._count_drawn_hits(np.abs(values), abs(values.sum()), np.random.default_rng(1), 9_999)
    assert (hits + 1) / 10_000 == pytest.approx(exact.p, abs=0.012)
    assert 0.01 < exact.p < 0.5


def test_a_drawn_p_value_is_never_zero_and_depends_on_the_seed() -> None:
    values = np.random.default_rng(9).normal(3, 1, 100)
    assert sign_flip(values, seed=1).p == 1 / 10_000
    weak = values - 2.9
    assert sign_flip(weak, seed=1) == sign_flip(weak, seed=1)
    assert sign_flip(weak, seed=1) != sign_flip(weak, seed=2)


def rejection_rate(sample: np.ndarray, resamples: int = 999) -> float:
    return float(
        np.mean([sign_flip(row, seed=i, resamples=resamples).p <= 0.05 for i, row in enumerate(sample)])
    )


@pytest.mark.parametrize("experiments", [300, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("blocks", [12, 40, 200])
@pytest.mark.parametrize("shape", ["normal", "laplace", "whole"])
def test_the_error_rate_for_symmetric_differences_is_five_percent(
    shape: str, blocks: int, experiments: int
) -> None:
    """The tolerance is three standard errors; the rate of whole numbers is often smaller, because their sums tie."""
    rng = np.random.default_rng(10)
    sample = (
        rng.laplace(0, 3, (experiments, blocks))
        if shape != "normal"
        else rng.normal(0, 1, (experiments, blocks))
    )
    found = rejection_rate(np.rint(sample) if shape == "whole" else sample)
    error = math.sqrt(0.05 * 0.95 / experiments)
    assert found <= 0.05 + 3 * error
    assert found >= 0.02


@pytest.mark.slow
def test_the_error_rate_for_skewed_differences_is_slightly_too_large() -> None:
    """Exponential differences are not symmetric: the null hypothesis is false though the mean is zero.

    The size then nears 5 % with blocks, as that of the t test does.
    """
    rng = np.random.default_rng(11)
    sizes = {blocks: rejection_rate(rng.exponential(1, (2000, blocks)) - 1) for blocks in (12, 50, 400)}
    assert 0.06 < sizes[12] < 0.13
    assert sizes[50] < 0.085
    assert sizes[400] < 0.065


def test_holm_agrees_with_published_values() -> None:
    """Holm's procedure on 0.01, 0.04, 0.03, 0.005 (Wright 1992's way of adjusting): 0.03, 0.06, 0.06, 0.02."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, math.nan])


@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_between_the_raw_values_and_bonferroni(p_values: list[float]) -> None:
    for raw, adjusted in zip(p_values, holm(p_values), strict=True):
        assert raw <= adjusted <= min(1.0, raw * len(p_values)) + 1e-12


def test_the_family_error_rate_of_ten_tests_is_five_percent() -> None:
    p_values = np.random.default_rng(12).random((2000, 10))
    wrong = np.mean([min(holm(row.tolist())) <= 0.05 for row in p_values])
    assert abs(wrong - 0.05) < 0.015


def test_equivalence_is_two_one_sided_t_tests() -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(13).normal(0.1, 1, 80)
    wanted = max(
        ttest_1samp(values, -0.5, alternative="greater").pvalue,
        ttest_1samp(values, 0.5, alternative="less").pvalue,
    )
    assert equivalence_p_value(values, 0.5) == pytest.approx(wanted)
    assert equivalence_p_value(values, 0.05) > 0.5  # type: ignore[operator]
    assert equivalence_p_value(np.zeros(400), 0.5) is None
    with pytest.raises(ValueError, match="positive"):
        equivalence_p_value(values, 0.0)


def test_the_error_rate_of_equivalence_at_the_margin_is_five_percent() -> None:
    rng = np.random.default_rng(14)
    claimed = np.mean([(equivalence_p_value(rng.normal(0.3, 1, 100), 0.3) or 0) <= 0.05 for _ in range(2000)])
    assert abs(claimed - 0.05) < 0.015


def test_chi_square_agrees_with_scipy() -> None:
    from scipy.stats import chisquare

    counts = np.array([16, 18, 16, 14, 12, 12])
    found = chi_square(counts, np.full(6, 1 / 6))
    wanted = chisquare(counts)
    assert (found.statistic, found.p) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert found.freedom == 5
    assert found.least_expected == pytest.approx(88 / 6)


def test_an_outcome_of_probability_zero_gives_p_zero() -> None:
    assert chi_square(np.array([5, 5, 1]), np.array([0.5, 0.5, 0.0])).p == 0.0
    assert chi_square(np.array([5, 5, 0]), np.array([0.5, 0.5, 0.0])).p == 1.0
    with pytest.raises(ValueError, match="add up to 1"):
        chi_square(np.array([5, 5]), np.array([0.5, 0.6]))
    with pytest.raises(ValueError, match="one probability for each"):
        chi_square(np.array([5, 5, 1]), np.array([0.5, 0.5]))
