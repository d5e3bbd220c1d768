"""Estimates with intervals that cover the truth as often as they say; arrays hold one value for each block."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pipelines.statistics.distributions import Floats


class Interval(NamedTuple):
    """An estimate with the interval that covers the truth in 95 of 100 experiments."""

    estimate: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the width, for `estimate ± half`."""
        return (self.high - self.low) / 2


def mean_interval(mean: float, sd: float, n: int, level: float = 0.95) -> Interval | None:
    """Student's interval for the mean of n independent values (of blocks, not of games); None for fewer than two."""
    if n < 2 or math.isnan(sd):
        return None
    from scipy.special import stdtrit  # noqa: PLC0415 - costs time that pages without intervals need not pay

    half = float(stdtrit(n - 1, (1 + level) / 2)) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half)


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Wilson's interval for a share (Wilson 1927). Half successes are allowed, for ties, and parts of trials.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.8, 0.49, 0.943]
    """
    if not n:
        return Interval(math.nan, 0.0, 1.0)
    from scipy.special import ndtri  # noqa: PLC0415 - as above

    z = float(ndtri((1 + level) / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Rounding must not put an end on the wrong side of the estimate.
    return Interval(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def dkw_half_width(n: int, level: float = 0.95) -> float:
    """Half the height of a band that holds the whole true distribution function.

    The inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant (Massart 1990), for n independent values.

    >>> round(dkw_half_width(1000), 4)
    0.0429
    """
    return math.sqrt(math.log(2 / (1 - level)) / (2 * n))


def t_interval(values: Floats, level: float = 0.95) -> Interval | None:
    """Student's interval (Gosset 1908) for the mean of block values, shape (blocks,); None for fewer than two.

    Of the differences of two strategies on the same blocks this is the paired t interval. `least_blocks` says from how
    many blocks it covers the truth as often as it says, which for skewed values takes more.

    >>> [round(bound, 2) for bound in t_interval(np.array([1.0, 2.0, 3.0, 4.0]))]
    [2.5, 0.45, 4.55]
    """
    check_blocks(values)
    if len(values) < 2:
        return None
    return mean_interval(float(values.mean()), sample_sd(values), len(values), level)


def bca_interval(values: Floats, *, seed: int, level: float = 0.95, resamples: int = 2000) -> Interval | None:
    """Bootstrap interval for the mean of block values, shape (blocks,); None for fewer than two.

    Bias-corrected and accelerated (Efron 1987): the percentiles of the resampled means are shifted for skewed data.
    The acceleration of a mean needs no jackknife: it is its skewness over six.
    """
    check_blocks(values)
    if len(values) < 2:
        return None
    mean = float(values.mean())
    if is_constant(values):
        return Interval(mean, mean, mean)
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - as above

    means = np.sort(resampled_means(values, seed=seed, resamples=resamples))
    # Ties with the estimate count half: means of whole numbers often hit it.
    below = (np.searchsorted(means, mean, "left") + np.searchsorted(means, mean, "right")) / 2
    bias = float(ndtri(min(max(below, 1), resamples - 1) / resamples))
    gaps = values - mean
    acceleration = float((gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5))
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.quantile(means, ndtr(bias + z / (1 - acceleration * z)))
    return Interval(mean, float(low), float(high))


def share_interval(shares: Floats, level: float = 0.95) -> Interval | None:
    """Interval for a share from block values between 0 and 1, shape (blocks,); None for fewer than two.

    For win shares with split ties, and for P(A > B) with half ties. Wilson's interval with the number of coins that
    would vary as much as the blocks do (the effective sample size of Korn and Graubard 1998): games of one block share
    their luck, so they are worth fewer coins, or more where luck cancels between rotations. Unlike a bootstrap it does
    not shrink to a point when one side won every block. The variance of a block is taken to be at least that of one
    block in n lying half the range away: n equal blocks do not show that the next one is equal too.

    Raises ValueError for values outside 0 to 1.

    >>> [round(bound, 3) for bound in share_interval(np.ones(20))]
    [1.0, 0.839, 1.0]
    """
    check_blocks(shares)
    if len(shares) and not 0 <= float(shares.min()) <= float(shares.max()) <= 1:
        raise ValueError("A share lies between 0 and 1: give win shares or half-tie shares, not scores.")
    n = len(shares)
    if n < 2:
        return None
    mean = float(shares.mean())
    variance = max(sample_sd(shares) ** 2, 1 / (4 * n))
    coins = max(n * mean * (1 - mean) / variance, 1.0)
    if mean in {0.0, 1.0}:
        return wilson(mean * n, n, level)
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - as above

    # As in the paper, the variance of few blocks is itself uncertain.
    coins *= float(ndtri((1 + level) / 2) / stdtrit(n - 1, (1 + level) / 2)) ** 2
    return wilson(mean * coins, coins, level)


def resampled_means(values: Floats, *, seed: int, resamples: int) -> Floats:
    """Means of `resamples` bootstrap samples of blocks (Efron 1979), shape (resamples,)."""
    rng = np.random.default_rng(seed)
    n = len(values)
    means = np.empty(resamples)
    rows = max(1, 500_000 // n)  # indices that stay in the cache
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = rng.integers(0, n, (size, n), dtype=np.int32)
        means[start : start + size] = values[drawn].mean(axis=1)
    return means


def is_constant(values: Floats) -> bool:
    """Whether all values are the same to the last bit, so that no rounding error passes for spread."""
    return bool((values == values[0]).all())


def sample_sd(values: Floats) -> float:
    """Standard deviation of a single value, exactly 0 for equal values; nan for fewer than two."""
    if len(values) < 2:
        return math.nan
    return 0.0 if is_constant(values) else float(values.std(ddof=1))


def skewness(values: Floats) -> float:
    """Third moment over the cube of the spread: 0 for symmetric values (and for equal ones), 2 for exponential ones."""
    if is_constant(values):
        return 0.0
    gaps = values - values.mean()
    return float((gaps**3).mean() / (gaps**2).mean() ** 1.5)


def check_blocks(values: Floats) -> None:
    """Raise ValueError unless these are finite numbers of shape (blocks,)."""
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(
            "Block values are one finite number for each block: average the games of a block first."
        )
