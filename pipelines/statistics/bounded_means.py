"""Intervals for means of values between known bounds, such as ranks, shares of a win and scores, also for stratified samples.

A t interval fails where nearly all values are equal. If a change has no effect in any of ten continuations, its standard
deviation is 0 and so is the width of the interval, although one continuation in five may still differ. The intervals of
this module treat such values as rare events.

The values are divided at their median. The part above it and the part below it are each a share of the largest possible
part, so that each has Wilson's interval (Wilson 1927) with the effective sample size of Korn and Graubard (1998); the two
are combined by the method of variance estimates recovery (Zou and Donner 2008), which takes their correlation into
account. With many different values the result agrees with the t interval, and it never leaves the bounds.

The interval is too short where rare large values outweigh frequent small ones of the same sign and none of the rare ones
has occurred: with 20 in 3 % and 1 in 27 % of 60 continuations, it covers 83 %; with 200 continuations, 95 %.

Intervals for stratified samples.
In a what-if the outcomes of the next roll are distributed evenly over the continuations, so that they do not add to the
uncertainty of the mean.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pipelines.statistics.intervals import (
    Floats,
    Integers,
    Interval,
    check_blocks,
    is_constant,
    t_interval,
    wilson_score,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


MIN_WILSON_SUCCESSES: Final = 4.0
"""With fewer successes the lower end of Wilson's interval is too high (Brown, Cai and DasGupta 2001); it is then replaced
by that of the exact interval for rare events."""


class ValueBounds(NamedTuple):
    """The smallest and the largest possible value. If they are equal, the value is known exactly."""

    low: float
    high: float

    def minus(self, other: ValueBounds) -> ValueBounds:
        """Return the bounds of the difference of a value of these bounds and one of the others.

        >>> ValueBounds(1, 4).minus(ValueBounds(1, 4))
        ValueBounds(low=-3, high=3)
        """
        return ValueBounds(self.low - other.high, self.high - other.low)


SHARE_BOUNDS: Final = ValueBounds(0.0, 1.0)
"""Bounds of a share of a win, and of a value that is 1 where something is true and 0 elsewhere."""
SHARE_CHANGE_BOUNDS: Final = SHARE_BOUNDS.minus(SHARE_BOUNDS)
KNOWN_EQUAL: Final = ValueBounds(0.0, 0.0)
"""Bounds of a difference that is known to be zero, such as between a strategy and itself."""
BRANCH_LEVEL: Final = 0.99
"""Level of the intervals of two means whose difference `narrow_difference` returns."""
MIN_OTHER_BLOCKS: Final = 15
"""If fewer blocks differ from the median, the t interval of a change of shares is too short. The threshold is the lowest of
1, 5, 8, 10, 15 and 20 with which intervals covered 93 % or more in all worlds like those of
tests/pipelines/statistics/test_bounded_means.py; with 5 it was 92 %, with 1 only 80 %."""


def plausible_bounds(values: NDArray[Any]) -> ValueBounds:
    """Return the values that intervals take to be possible: the range of those that occurred, and half of it more.

    It is meant for scores and their parts, for which the rules give no bounds. Without any bounds, the mean of a score
    that was equal in all games would have no interval.

    >>> plausible_bounds(np.array([-3, 5])), plausible_bounds(np.array([2, 2]))
    (ValueBounds(low=-5.0, high=7.0), ValueBounds(low=1.75, high=2.25))
    """
    low, high = float(values.min()), float(values.max())
    slack = max(1.0, high - low) / 4
    return ValueBounds(low - slack, high + slack)


class MedianParts(NamedTuple):
    """Values divided at their median: `value = median + above - below`."""

    median: float
    parts: Floats
    """(2, n) The parts above and below the median of each value; neither is negative."""


class PartMeans(NamedTuple):
    """The means of the parts above and below the median, and how precise they are."""

    means: Floats
    """(2,)"""
    covariances: Floats
    """(2, 2) Of the means."""
    nonzero: Integers
    """(2,) Number of units in which the part is not zero."""
    units: float
    """Number of independent units, such as continuations or blocks."""


def divide_at_median(values: Floats) -> MedianParts:
    """Return the parts of values, shape (n,), above and below their median, which is one of the values."""
    median = float(np.quantile(values, 0.5, method="inverted_cdf"))
    return MedianParts(median, np.stack([np.maximum(values - median, 0), np.maximum(median - values, 0)]))


def combine_parts(median: float, parts: PartMeans, bounds: ValueBounds, critical: float) -> Interval:
    """Return the interval of a mean from those of its two parts.

    `critical` is the half width of a normal interval in standard errors, such as a quantile of Student's distribution.
    """
    spans = np.maximum([bounds.high - median, median - bounds.low], 0)
    ends = [_part_interval(parts, part, float(spans[part]), critical) for part in (0, 1)]
    (above_down, above_up), (below_down, below_up) = (
        (end.estimate - end.low, end.high - end.estimate) for end in ends
    )
    scale = math.sqrt(float(parts.covariances[0, 0] * parts.covariances[1, 1]))
    correlation = min(1.0, max(-1.0, float(parts.covariances[0, 1]) / scale)) if scale > 0 else 0.0
    mean = median + float(parts.means[0] - parts.means[1])
    down = math.sqrt(max(0.0, above_down**2 + below_up**2 - 2 * correlation * above_down * below_up))
    up = math.sqrt(max(0.0, above_up**2 + below_down**2 - 2 * correlation * above_up * below_down))
    # Rounding errors must not put an end on the wrong side of the estimate.
    low, high = max(bounds.low, mean - down), min(bounds.high, mean + up)
    return Interval(mean, min(mean, low), max(mean, high))


def _part_interval(parts: PartMeans, part: int, span: float, critical: float) -> Interval:
    """Return the interval of the mean of one part, which lies between 0 and `span`."""
    if span <= 0:
        return Interval(0.0, 0.0, 0.0)
    share = min(1.0, float(parts.means[part]) / span)
    variance = float(parts.covariances[part, part]) / span**2
    # A part varies less than a coin toss if its values are small or follow the strata. Few values that are not zero cannot
    # show that: with one of them, the part counts as a coin toss. Of the limits k, k²/2 and k²/4 for k such values, this
    # one gives the narrowest intervals that cover 93 % in all worlds of tests/pipelines/statistics/test_bounded_means.py.
    max_tosses = parts.units * max(1.0, float(parts.nonzero[part]) ** 2 / 2)
    tosses = max(min(share * (1 - share) / variance, max_tosses) if variance > 0 else max_tosses, 1.0)
    estimate, low, high = wilson_score(share, tosses, critical)
    if share * tosses < MIN_WILSON_SUCCESSES:
        low = min(low, _poisson_low_end(share * tosses, critical) / tosses)
    return Interval(span * estimate, span * low, span * high)


def _poisson_low_end(successes: float, critical: float) -> float:
    """Return the lower end of the exact interval for the mean of a Poisson distribution (Garwood 1936)."""
    from scipy.special import gammaincinv, ndtr  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    return float(gammaincinv(successes, float(ndtr(-critical)))) if successes > 0 else 0.0


def simple_interval(
    values: Floats, bounds: ValueBounds, level: float = 0.95, *, critical: float | None = None
) -> Interval | None:
    """Return an interval for the mean of independent values, shape (n,); None for fewer than two.

    `critical` replaces the quantile of Student's distribution that belongs to `level`.

    >>> [round(end, 3) for end in simple_interval(np.zeros(60), ValueBounds(-1, 1))]
    [0.0, -0.063, 0.063]
    """
    check_blocks(values)
    n = len(values)
    if n < 2:
        return None
    if critical is None:
        from scipy.special import stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

        critical = float(stdtrit(n - 1, (1 + level) / 2))
    median, divided = divide_at_median(values)
    parts = PartMeans(divided.mean(axis=1), np.cov(divided) / n, np.count_nonzero(divided, axis=1), float(n))
    return combine_parts(median, parts, bounds, critical)


def narrow_difference(
    direct: Interval | None, more: Interval | None, less: Interval | None
) -> Interval | None:
    """Return the interval of a difference of two means, without the values that the intervals of the means exclude.

    `direct` comes from the differences themselves. It is wide where few of them are not zero, because those that did not
    occur might be as large as the bounds allow, although each mean for itself is known well. `more` and `less` are the
    intervals of the two means at the level `BRANCH_LEVEL`; all three are of the same units, so their estimates agree.
    Where there are too few units for one of them, the result is `direct`.

    The sum of two half widths of level 95 % is not an interval of level 95 %: either of them may fail. By the inequality of
    Bonferroni (Dunn 1961, "Multiple Comparisons Among Means") two intervals of level 99 % fail together in at most 2 % of
    cases, however the means depend on each other, and the result fails only where they or `direct` do. That bound of 7 %
    is far away: where the two means are not negatively correlated, as with equal luck, the ends lie 3.6 standard errors
    from the estimate. The condition on rare values at the top of this module is that of all three: where 60 points more in
    2 % of 60 continuations meet scores that otherwise vary by 5, the result covers 89 %, and `direct` covers all.

    >>> narrow_difference(Interval(0.0, -9.0, 2.0), Interval(41.0, 40.5, 41.5), Interval(41.0, 40.5, 41.5))
    Interval(estimate=0.0, low=-1.0, high=1.0)
    """
    if direct is None or more is None or less is None:
        return direct
    low, high = max(direct.low, more.low - less.high), min(direct.high, more.high - less.low)
    # Rounding errors must not put an end on the wrong side of the estimate.
    return Interval(direct.estimate, min(direct.estimate, low), max(direct.estimate, high))


def block_interval(values: Floats, bounds: ValueBounds, level: float = 0.95) -> Interval | None:
    """Return Student's interval for the mean of block values, shape (blocks,); None for fewer than two.

    If all blocks are equal, Student's interval has no width, and `simple_interval` is returned instead: n equal blocks do
    not prove that the next block is equal, too.

    >>> [round(end, 2) for end in block_interval(np.full(60, 8.0), ValueBounds(-10, 10))]
    [8.0, 6.87, 8.13]
    """
    check_blocks(values)
    if len(values) and is_constant(values):
        return simple_interval(np.full_like(values, values[0]), bounds, level)
    return t_interval(values, level)


def share_change_interval(values: Floats, level: float = 0.95) -> Interval | None:
    """Return an interval for the mean of changes of shares between -1 and 1, shape (blocks,); None for fewer than two.

    It is Student's interval, unless nearly all blocks are equal.

    >>> [round(end, 3) for end in share_change_interval(np.ones(100))]
    [1.0, 0.924, 1.0]
    """
    check_blocks(values)
    if len(values) < 2:
        return None
    rounded = np.round(values, 9)
    others = np.count_nonzero(rounded != divide_at_median(rounded).median)
    if others < min(MIN_OTHER_BLOCKS, len(values) / 2):
        return simple_interval(rounded, SHARE_CHANGE_BOUNDS, level)
    return t_interval(values, level)


def clustered_interval(
    values: Floats, clusters: Integers, bounds: ValueBounds, level: float = 0.95
) -> Interval | None:
    """Return an interval for the mean of values that depend on each other within clusters; None for fewer than two.

    `values` and `clusters`, of shape (n,), are the values and the number of the cluster of each, such as the block of a
    game. Clusters may have unequal numbers of values: the mean is a ratio of two sums over clusters, and its variance is
    that of the linearised ratio (Cochran 1977, "Sampling Techniques", section 9A). With few clusters, Student's
    distribution with one degree of freedom fewer than clusters is used.
    """
    check_blocks(values)
    numbers, places = np.unique(clusters, return_inverse=True)
    count = len(numbers)
    if count < 2:
        return None
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    median, divided = divide_at_median(values)
    sizes = np.bincount(places).astype(np.float64)
    sums = np.stack([np.bincount(places, part, count) for part in divided])
    means = divided.mean(axis=1)
    errors = (sums - means[:, None] * sizes) / sizes.sum()
    parts = PartMeans(
        means,
        errors @ errors.T * count / (count - 1),
        np.count_nonzero(sums, axis=1),
        float(sizes.sum() ** 2 / (sizes**2).sum()),
    )
    return combine_parts(median, parts, bounds, float(stdtrit(count - 1, (1 + level) / 2)))


def stratified_interval(
    values: Floats, strata: Integers, shares: Floats, bounds: ValueBounds, level: float = 0.95
) -> Interval | None:
    """Return an interval for the mean of values that were sampled stratum by stratum; None for fewer than two values.

    `values` and `strata`, of shape (n,), are the values and the number of the stratum of each. `shares`, of shape
    (strata,), are the true shares of the strata, which add up to 1. The estimate weights the means of the strata by
    these shares (Cochran 1977, "Sampling Techniques", sections 5.3 to 5.6). The degrees of freedom are Satterthwaite's,
    with his correction for variances that are themselves estimated from few values. Strata with fewer than two values are
    merged with their neighbours. `bounds` are the possible values; `pipelines.statistics.bounded_means` explains the
    interval.
    """
    check_blocks(values)
    if len(values) < 2:
        return None
    groups, weights = _merge_strata(strata, shares)
    counts = np.bincount(groups, minlength=len(weights))
    median, divided = divide_at_median(values)
    of_strata = np.stack([np.bincount(groups, part, len(weights)) for part in divided]) / counts
    gaps = divided - of_strata[:, groups]
    factors = weights**2 / (counts - 1) / counts
    parts = PartMeans(
        of_strata @ weights,
        gaps * factors[groups] @ gaps.T,
        np.count_nonzero(divided, axis=1),
        float(len(values)),
    )
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    terms = factors * np.bincount(groups, (gaps[0] - gaps[1]) ** 2, len(weights))
    max_freedom = len(values) - len(weights)
    squares = float((terms**2 / (counts + 1)).sum())
    freedom = (
        min(max(float(terms.sum()) ** 2 / squares - 2, 1.0), max_freedom) if squares else float(max_freedom)
    )
    return combine_parts(median, parts, bounds, float(stdtrit(freedom, (1 + level) / 2)))


def _merge_strata(strata: Integers, shares: Floats) -> tuple[Integers, Floats]:
    """Merge neighbouring strata until each has at least two values; return the new numbers (n,) and the new shares."""
    counts = np.bincount(strata, minlength=len(shares))
    new = np.zeros(len(shares), dtype=np.int64)
    group = size = 0
    for stratum, count in enumerate(counts):
        new[stratum] = group
        size += count
        if size >= 2:
            group, size = group + 1, 0
    last = max(group - 1, 0)
    new = np.minimum(new, last)  # an incomplete group at the end becomes part of the last complete one
    merged_shares: Floats = np.bincount(new, shares, last + 1).astype(np.float64)
    return new[strata], merged_shares
