"""Tests: whether a difference could be luck, whether it is small enough, whether dice are fair."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.statistics.intervals import check_blocks, sample_sd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.statistics.distributions import Floats, Integers

MAX_ENUMERATED_BLOCKS: Final = 18
"""Blocks whose sign patterns, 2 ** 18, are listed one by one in a few milliseconds."""

MAX_ADDITIONS: Final = 40_000_000
"""Additions for an exact count over sums: a twentieth of a second."""

MAX_FRACTION_DENOMINATOR: Final = 12
"""Block differences are means over games: multiples of 1/1 to 1/12 are recognised."""


class Permutation(NamedTuple):
    """A sign-flip test: the two-sided p-value, and whether all patterns were counted or some drawn."""

    p: float
    is_exact: bool
    patterns: float
    """How many sign patterns p rests on."""


def sign_flip(differences: Floats, *, seed: int, resamples: int = 9_999) -> Permutation:
    """Test whether block differences A - B, shape (blocks,), are symmetric about zero (Fisher 1935).

    If A and B were the same, swapping their names in any block would change nothing: p is the share of all 2 ** blocks
    patterns of signs whose sum lies at least as far from zero as the one seen. Blocks without a difference stay in;
    they move neither the sum nor p. Exact for few blocks and for whole or common-fraction differences with sums of
    moderate size; otherwise `resamples` patterns are drawn and p = (hits + 1) / (resamples + 1) (Phipson and Smyth
    2010), which is never zero.

    The test is exact for symmetric differences. For skewed ones of mean zero it holds its level only roughly, as the t
    test does: of exponential ones 10 % fall below 0.05 with 12 blocks, 8 % with 40 and 6 % with 200 (simulated).

    >>> sign_flip(np.array([1.0, 2.0, 3.0]), seed=1)
    Permutation(p=0.25, is_exact=True, patterns=8.0)
    """
    check_blocks(differences)
    sizes = np.abs(differences[differences != 0])
    observed = abs(float(differences.sum()))
    patterns = 2.0 ** min(len(differences), 1023)
    if len(sizes) <= MAX_ENUMERATED_BLOCKS:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate([sums - size, sums + size])
        return Permutation(
            float(np.mean(np.abs(sums) >= observed - _rounding_slack(sizes))),
            is_exact=True,
            patterns=patterns,
        )
    steps = _whole_steps(sizes)
    if steps is not None and len(steps) * 2 * int(steps.sum()) <= MAX_ADDITIONS:
        return Permutation(
            _exact_share_by_sums(steps, observed * steps.sum() / sizes.sum()),
            is_exact=True,
            patterns=patterns,
        )
    hits = _count_drawn_hits(sizes, observed, np.random.default_rng(seed), resamples)
    return Permutation((hits + 1) / (resamples + 1), is_exact=False, patterns=float(resamples))


def _rounding_slack(sizes: Floats) -> float:
    """Rounding errors of a sum: sums that are equal on paper must count as equal."""
    return 1e-11 * float(sizes.sum())


def _whole_steps(sizes: Floats) -> Integers | None:
    """Return the sizes as multiples of the coarsest common fraction 1/1 ... 1/12, or None."""
    for parts in range(1, MAX_FRACTION_DENOMINATOR + 1):
        scaled = sizes * parts
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() < 1e-9 * max(1.0, float(whole.max())):
            steps = whole.astype(np.int64)
            return steps // int(np.gcd.reduce(steps))
    return None


def _exact_share_by_sums(steps: Integers, observed: float) -> float:
    """Share of sign patterns at least as far out, by the distribution of the sum of the steps with a plus sign.

    One convolution for each block (Pagano and Tritchler 1983): `shares[s]` is the share of patterns with sum s. Only
    positive numbers are added, so even tiny p-values keep their digits.
    """
    total = int(steps.sum())
    shares = np.zeros(total + 1)
    shares[0] = 1.0
    reached = 0
    for step in np.sort(steps).tolist():
        longer = shares[: reached + 1] / 2
        shares[: reached + 1] = longer
        shares[step : reached + step + 1] += longer
        reached += step
    # The difference is plus minus minus: 2 s - total.
    far = np.abs(2 * np.arange(total + 1) - total) >= observed - 1e-6
    return min(1.0, float(shares[far].sum()))


def _count_drawn_hits(sizes: Floats, observed: float, rng: np.random.Generator, resamples: int) -> int:
    """Count drawn sign patterns at least as far out; eight blocks share one table of their 256 signed sums."""
    groups = np.zeros((-(-len(sizes) // 8), 8))
    groups.ravel()[: len(sizes)] = sizes
    signs = 2.0 * ((np.arange(256)[:, None] >> np.arange(8)) & 1) - 1
    table = (groups @ signs.T).ravel()
    first = 256 * np.arange(len(groups))
    rows = max(1, 500_000 // len(groups))
    hits = 0
    for start in range(0, resamples, rows):
        drawn = rng.integers(0, 256, (min(rows, resamples - start), len(groups)), dtype=np.uint8)
        sums = table[first + drawn].sum(axis=1)
        hits += int(np.count_nonzero(np.abs(sums) >= observed - _rounding_slack(sizes)))
    return hits


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for how many there are (Holm 1979), in the order given.

    Rejecting those up to 0.05 errs in any of them with probability 0.05 at most.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if any(not 0 <= p <= 1 for p in p_values):
        raise ValueError("A p-value lies between 0 and 1.")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - place)))
        adjusted[index] = largest
    return adjusted


def equivalence_p_value(differences: Floats, margin: float) -> float | None:
    """P-value of two one-sided t tests (Schuirmann 1987) that the mean lies within `margin` of zero.

    `differences` has shape (blocks,), in the unit of `margin`. A small p says: equal within the margin. None for fewer
    than two blocks, or when all are the same, since nothing then tells how far they vary.
    """
    check_blocks(differences)
    if not 0 < margin < math.inf:
        raise ValueError("The margin of equality is a positive number.")
    n, spread = len(differences), sample_sd(differences)
    if n < 2 or not spread:
        return None
    from scipy.special import stdtr  # noqa: PLC0415 - costs time that pages without tests need not pay

    error = spread / math.sqrt(n)
    return float(stdtr(n - 1, (abs(float(differences.mean())) - margin) / error))


class ChiSquare(NamedTuple):
    """Pearson's statistic, its degrees of freedom, p-value, and the smallest expected count."""

    statistic: float
    freedom: int
    p: float
    least_expected: float
    """Below 5 the p-value is rough (Cochran 1954)."""


def chi_square(counts: Integers, probabilities: Floats) -> ChiSquare:
    """Test counts against known probabilities (Pearson 1900), both of shape (outcomes,).

    A count where the probability is zero gives p = 0. Raises ValueError unless the probabilities add up to 1.

    >>> round(chi_square(np.array([8, 12]), np.array([0.5, 0.5])).p, 3)
    0.371
    """
    if counts.shape != probabilities.shape or counts.ndim != 1 or (counts < 0).any() or not counts.sum():
        raise ValueError("Give one count and one probability for each outcome, and at least one observation.")
    if (probabilities < 0).any() or not math.isclose(float(probabilities.sum()), 1, abs_tol=1e-9):
        raise ValueError("The probabilities of all outcomes add up to 1.")
    from scipy.special import chdtrc  # noqa: PLC0415 - as above

    possible = probabilities > 0
    expected = probabilities[possible] * counts.sum()
    freedom = len(expected) - 1
    if counts[~possible].any():
        return ChiSquare(math.inf, freedom, 0.0, float(expected.min()))
    statistic = float(((counts[possible] - expected) ** 2 / expected).sum())
    return ChiSquare(
        statistic, freedom, float(chdtrc(freedom, statistic)) if freedom else 1.0, float(expected.min())
    )
