"""Intervals for stratified samples.

In a what-if the outcomes of the next roll are distributed evenly over the continuations, so that they do not add to the
uncertainty of the mean.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pipelines.statistics.intervals import Interval, is_constant, t_interval

if TYPE_CHECKING:
    from pipelines.statistics.arrays import Floats, Integers


def stratified_interval(
    values: Floats, strata: Integers, shares: Floats, level: float = 0.95
) -> Interval | None:
    """Return an interval for the mean of values that were sampled stratum by stratum; None for fewer than two values.

    `values` and `strata`, of shape (n,), are the values and the number of the stratum of each. `shares`, of shape
    (strata,), are the true shares of the strata, which add up to 1. The estimate weights the means of the strata by
    these shares (Cochran 1977, "Sampling Techniques", sections 5.3 to 5.6, with Satterthwaite's degrees of freedom).
    Strata with fewer than two values are merged with their neighbours.
    """
    if len(values) < 2:
        return None
    groups, weights = _merge_strata(strata, shares)
    if len(weights) < 2:
        return t_interval(values, level)
    counts = np.bincount(groups, minlength=len(weights))
    means = np.bincount(groups, values, len(weights)) / counts
    if is_constant(values):
        return t_interval(values, level)
    squares = np.bincount(groups, (values - means[groups]) ** 2, len(weights))
    terms = weights**2 * squares / (counts - 1) / counts
    mean, variance = float(weights @ means), float(terms.sum())
    if not variance:
        return Interval(mean, mean, mean)
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    freedom = variance**2 / float((terms**2 / (counts - 1)).sum())
    half = float(stdtrit(freedom, (1 + level) / 2)) * math.sqrt(variance)
    return Interval(mean, mean - half, mean + half)


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
