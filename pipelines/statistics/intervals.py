"""Estimates with confidence intervals, from arrays that hold one value for each block, or from sums over blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
"""Scores, counts, or numbers of blocks, games and strata."""

Floats: TypeAlias = NDArray[np.float64]
"""Means, differences, shares and probabilities."""


MAX_ROUNDING_ERROR: Final = 1e-12
"""Values that differ by less are equal: scores are whole numbers, and their means over a block have such errors."""


class Interval(NamedTuple):
    """An estimate and the ends of its confidence interval: at level 0.95 it covers the truth in 95 of 100 experiments."""

    estimate: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the width of the interval. The ends need not be equally far from the estimate."""
        return (self.high - self.low) / 2

    @property
    def reach(self) -> float:
        """The larger distance of an end from the estimate.

        >>> Interval(-43.0, -45.0, -34.0).reach
        9.0
        """
        return max(self.high - self.estimate, self.estimate - self.low)

    def times(self, factor: float) -> Interval:
        """Return the three numbers times a factor; a negative one exchanges the ends.

        >>> tuple(Interval(1.0, -2.0, 5.0).times(-1))
        (-1.0, -5.0, 2.0)
        """
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(factor * self.estimate, low, high)


def hold_for_all(interval: Interval, number: int, blocks: int | None = None) -> Interval:
    """Return a 95 % interval widened so that it still holds for the one of `number` estimates that stands out (Bonferroni).

    The distances of its ends grow as the quantiles of the normal distribution do, or those of Student's with `blocks` - 1 degrees
    of freedom: with ten blocks and many estimates, these grow much faster.

    >>> [round(end, 2) for end in hold_for_all(Interval(2.0, 1.0, 4.0), 4)], hold_for_all(Interval(2.0, 1.0, 4.0), 1).low
    ([2.0, 0.73, 4.55], 1.0)
    >>> [round(end, 2) for end in hold_for_all(Interval(2.0, 1.0, 4.0), 4, blocks=10)]
    [2.0, 0.62, 4.75]
    """
    if blocks is None:
        normal = NormalDist()
        factor = normal.inv_cdf(1 - 0.025 / number) / normal.inv_cdf(0.975)
    else:
        from scipy.special import stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

        factor = float(stdtrit(blocks - 1, 1 - 0.025 / number) / stdtrit(blocks - 1, 0.975))
    estimate, low, high = interval
    return Interval(estimate, estimate - factor * (estimate - low), estimate + factor * (high - estimate))


def mean_interval(mean: float, sd: float, n: int, level: float = 0.95) -> Interval | None:
    """Return Student's interval for the mean of `n` independent values; None for fewer than two.

    `n` counts blocks, not games; `sd` is the standard deviation of a single value.
    """
    if n < 2 or math.isnan(sd):
        return None
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    half = float(stdtrit(n - 1, (1 + level) / 2)) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half)


def average_intervals(first: Interval, second: Interval) -> Interval:
    """Return the mean of two independent estimates of the same number, from equally many blocks.

    The distances of the ends are combined by the method of variance estimates recovery (Zou and Donner 2008), which keeps
    intervals lopsided that are. Either of them must have the level that the result shall have.

    >>> [round(end, 2) for end in average_intervals(Interval(9.5, 3.0, 16.0), Interval(-1.5, -7.5, 4.5))]
    [4.0, -0.42, 8.42]
    """
    down = math.hypot(first.estimate - first.low, second.estimate - second.low) / 2
    up = math.hypot(first.high - first.estimate, second.high - second.estimate) / 2
    mean = (first.estimate + second.estimate) / 2
    return Interval(mean, mean - down, mean + up)


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Return Wilson's interval for a share (Wilson 1927).

    `successes` and `n` need not be whole: a tie can count as half a success. Without trials the estimate is nan and the
    interval is 0 to 1.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.8, 0.49, 0.943]
    """
    if not n:
        return Interval(math.nan, 0.0, 1.0)
    from scipy.special import ndtri  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    return wilson_score(successes / n, n, float(ndtri((1 + level) / 2)))


def wilson_score(share: float, n: float, z: float) -> Interval:
    """Return Wilson's interval for a share of `n` trials; `z` is a quantile of the normal or of Student's distribution."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Rounding errors must not put an end on the wrong side of the estimate.
    return Interval(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def dkw_half_width(n: int, level: float = 0.95) -> float:
    """Return half the height of a band around an empirical distribution function that covers the whole true function.

    This is the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant (Massart 1990), for `n` independent
    values.

    >>> round(dkw_half_width(1000), 4)
    0.0429
    """
    return math.sqrt(math.log(2 / (1 - level)) / (2 * n))


def t_interval(values: Floats, level: float = 0.95) -> Interval | None:
    """Return Student's interval (Gosset 1908) for the mean of block values, shape (blocks,); None for fewer than two.

    For the differences between two strategies on the same blocks this is the paired t interval. Skewed values need more
    blocks before the interval is reliable; `least_blocks` returns how many. Raises ValueError for another shape and for
    values that are not finite.

    >>> [round(bound, 2) for bound in t_interval(np.array([1.0, 2.0, 3.0, 4.0]))]
    [2.5, 0.45, 4.55]
    """
    check_blocks(values)
    if len(values) < 2:
        return None
    return mean_interval(float(values.mean()), sample_sd(values), len(values), level)


def bca_interval(values: Floats, *, seed: int, level: float = 0.95, resamples: int = 2000) -> Interval | None:
    """Return a bootstrap interval for the mean of block values, shape (blocks,); None for fewer than two.

    The method is bias-corrected and accelerated (Efron 1987): the percentiles of the resampled means are shifted for
    skewed data. For a mean, the acceleration is its skewness divided by six, so that no jackknife is needed. Raises
    ValueError for another shape and for values that are not finite.
    """
    check_blocks(values)
    if len(values) < 2:
        return None
    mean = float(values.mean())
    if is_constant(values):
        return Interval(mean, mean, mean)
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    means = np.sort(resampled_means(values, seed=seed, resamples=resamples))
    # Resampled means of whole numbers are often equal to the estimate: these count half.
    below = (np.searchsorted(means, mean, "left") + np.searchsorted(means, mean, "right")) / 2
    bias = float(ndtri(min(max(below, 1), resamples - 1) / resamples))
    gaps = values - mean
    acceleration = float((gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5))
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.quantile(means, ndtr(bias + z / (1 - acceleration * z)))
    return Interval(mean, float(low), float(high))


def share_interval(shares: Floats, level: float = 0.95) -> Interval | None:
    """Return an interval for a share from block values between 0 and 1, shape (blocks,); None for fewer than two.

    It is meant for win shares in which ties are split, and for P(A > B) in which ties count half. It is Wilson's interval
    with the effective sample size of Korn and Graubard (1998): the number of independent coin tosses whose mean varies as
    much as that of the blocks. Games of one block share their luck, which makes this number smaller than the number of
    games, or larger where luck cancels between rotations. Unlike a bootstrap interval, the interval does not shrink to a
    point when one side won every block. The variance between blocks is taken to be at least that of n blocks, if
    one of them lies half the range away from the others: n equal blocks do not prove that the next block is equal too.

    Raises ValueError for values outside 0 to 1 and for another shape.

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
    tosses = max(n * mean * (1 - mean) / variance, 1.0)
    if mean in {0.0, 1.0}:
        return wilson(mean * n, n, level)
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    # As in the paper, this corrects for the uncertainty of a variance that is estimated from few blocks.
    tosses *= float(ndtri((1 + level) / 2) / stdtrit(n - 1, (1 + level) / 2)) ** 2
    return wilson(mean * tosses, tosses, level)


def resampled_means(values: Floats, *, seed: int, resamples: int) -> Floats:
    """Return the means of bootstrap samples of block values (Efron 1979), shape (resamples,)."""
    rng = np.random.default_rng(seed)
    n = len(values)
    means = np.empty(resamples)
    chunk = max(1, 500_000 // n)  # the indices of a chunk fit into the processor's cache
    for start in range(0, resamples, chunk):
        size = min(chunk, resamples - start)
        indices = rng.integers(0, n, (size, n), dtype=np.int32)
        means[start : start + size] = values[indices].mean(axis=1)
    return means


def is_constant(values: Floats) -> bool:
    """Return whether all values are equal: rounding errors must not be taken for variation."""
    return bool(np.ptp(values) <= MAX_ROUNDING_ERROR * max(1.0, float(np.abs(values).max())))


def sample_sd(values: Floats) -> float:
    """Return the sample standard deviation: exactly 0 for equal values, nan for fewer than two."""
    if len(values) < 2:
        return math.nan
    return 0.0 if is_constant(values) else float(values.std(ddof=1))


def skewness(values: Floats) -> float:
    """Return the third central moment divided by the cube of the standard deviation.

    It is 0 for symmetric and for equal values, and 2 for exponential ones.
    """
    if is_constant(values):
        return 0.0
    gaps = values - values.mean()
    return float((gaps**3).mean() / (gaps**2).mean() ** 1.5)


def check_blocks(values: Floats) -> None:
    """Raise ValueError unless the values are finite numbers of shape (blocks,)."""
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(
            "Block values are one finite number for each block: average the games of a block first."
        )


class BlockSum(NamedTuple):
    """Sums over `blocks` blocks with `seats_per_block` results each."""

    seats_per_block: int
    blocks: int
    total: float
    """Sum of the scores."""
    squares: float
    """Sum of the squares of the block sums."""


def block_sums_mean(sums: Sequence[BlockSum]) -> Interval | None:
    """Return the mean score with an interval from block sums; None for fewer than two blocks.

    Runs with different line-ups may have different numbers of results a block. Each number is a stratum; a stratum of one
    block does not show how blocks vary, so its distance from the mean counts.

    >>> mean = block_sums_mean([BlockSum(2, 3, 36, 440)])  # the sums of the blocks are 10, 12 and 14: 5, 6 and 7 a result
    >>> [round(number, 2) for number in mean]
    [6.0, 3.52, 8.48]
    >>> [round(number, 1) for number in block_sums_mean([BlockSum(1, 1, 4, 16), BlockSum(2, 1, 14, 196)])]
    [6.0, -10.9, 22.9]
    """
    blocks = sum(block_sum.blocks for block_sum in sums)
    results = sum(block_sum.blocks * block_sum.seats_per_block for block_sum in sums)
    if blocks < 2:
        return None
    mean = sum(block_sum.total for block_sum in sums) / results
    strata = [block_sum for block_sum in sums if block_sum.blocks > 1]
    variance = sum(
        block_sum.blocks * sample_variance(block_sum.blocks, block_sum.total, block_sum.squares)
        for block_sum in strata
    )
    variance += sum(
        (block_sum.total - mean * block_sum.seats_per_block) ** 2 * blocks / (blocks - 1)
        for block_sum in sums
        if block_sum.blocks == 1
    )
    units = blocks - max(0, len(strata) - 1)  # every stratum has a mean of its own
    return mean_interval(mean, math.sqrt(variance * units) / results, units)


class ClusterSums(NamedTuple):
    """Sums over `blocks` blocks, which may have unequal numbers of values: what the interval of the mean of all values needs."""

    blocks: int
    size: float
    """Number of values."""
    size_squares: float
    """Sum over blocks of the squared number of values."""
    total: float
    """Sum of the values."""
    squares: float
    """Sum over blocks of the squared sum of values."""
    products: float
    """Sum over blocks of the number of values times their sum."""

    def add(self, other: ClusterSums) -> ClusterSums:
        """Return the sums over the blocks of both."""
        blocks, *sums = (a + b for a, b in zip(self, other, strict=True))
        return ClusterSums(round(blocks), *sums)

    @property
    def variance(self) -> float:
        """The variance of the mean: that of the linearised ratio (Cochran 1977, "Sampling Techniques", section 9A)."""
        mean = self.total / self.size
        errors = self.squares - 2 * mean * self.products + mean * mean * self.size_squares
        is_rounding = errors <= MAX_ROUNDING_ERROR * self.squares
        return 0.0 if is_rounding else errors * self.blocks / (self.blocks - 1) / self.size**2


def cluster_mean(sums: ClusterSums) -> Interval | None:
    """Return the mean of values that depend on each other within blocks, with its interval; None for fewer than two blocks.

    >>> [round(end, 2) for end in cluster_mean(ClusterSums(3, 6, 12, 36, 440, 72))]  # 5, 6 and 7 a value
    [6.0, 3.52, 8.48]
    """
    if sums.blocks < 2:
        return None
    return mean_interval(sums.total / sums.size, math.sqrt(sums.variance * sums.blocks), sums.blocks)


def cluster_share(sums: ClusterSums) -> Interval | None:
    """Return the mean of values from 0 to 1 with its interval, as `share_interval` does; None for fewer than two blocks.

    >>> [round(end, 3) for end in cluster_share(ClusterSums(20, 20, 20, 20, 20, 20))]
    [1.0, 0.839, 1.0]
    """
    n = sums.blocks
    if n < 2:
        return None
    mean = min(1.0, sums.total / sums.size)
    if mean in {0.0, 1.0}:
        return wilson(mean * n, n)
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    tosses = max(mean * (1 - mean) / max(sums.variance, 1 / (4 * n * n)), 1.0)
    tosses *= float(ndtri(0.975) / stdtrit(n - 1, 0.975)) ** 2
    return wilson(mean * tosses, tosses)


def count_equal_blocks(sums: Sequence[BlockSum]) -> int:
    """Return how many blocks with equal numbers of results would tell as much (Kish, Survey Sampling, 1965, section 8.2).

    >>> count_equal_blocks([BlockSum(2, 10, 0, 0)]), count_equal_blocks([BlockSum(2, 10, 0, 0), BlockSum(1, 20, 0, 0)])
    (10, 26)
    """
    results = sum(block_sum.blocks * block_sum.seats_per_block for block_sum in sums)
    squares = sum(block_sum.blocks * block_sum.seats_per_block**2 for block_sum in sums)
    return results**2 // squares if squares else 0


def sample_variance(n: int, total: float, squares: float) -> float:
    """Return the variance of n values from their sum and sum of squares; nan for fewer than two.

    It is never below 0, as rounding or the sums of a damaged file could make it.
    """
    return max(0.0, (squares - total * total / n) / (n - 1)) if n > 1 else math.nan
