"""Stratified samples: where a part of the luck is dealt out evenly, it no longer adds to the uncertainty."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pipelines.statistics.intervals import Interval, is_constant, t_interval

if TYPE_CHECKING:
    from pipelines.statistics.distributions import Floats, Integers


def stratified_interval(
    values: Floats, strata: Integers, shares: Floats, level: float = 0.95
) -> Interval | None:
    """Interval for the mean of values drawn stratum by stratum.

    values, strata (n,): a value and the number of its stratum; shares (strata,) the true share of each, summing to 1.
    The estimate weights the strata by their shares, its variance is the sum of theirs (Cochran 1977, "Sampling
    Techniques", sections 5.3 to 5.6, with Satterthwaite's degrees of freedom). Strata with fewer than two values are
    taken together with their neighbours. None for fewer than two values.
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
    from scipy.special import stdtrit  # noqa: PLC0415 - costs time that pages without intervals need not pay

    freedom = variance**2 / float((terms**2 / (counts - 1)).sum())
    half = float(stdtrit(freedom, (1 + level) / 2)) * math.sqrt(variance)
    return Interval(mean, mean - half, mean + half)


def _merge_strata(strata: Integers, shares: Floats) -> tuple[Integers, Floats]:
    """Number the strata anew so that each has two values at least; return the numbers and the shares of the new ones."""
    counts = np.bincount(strata, minlength=len(shares))
    new = np.zeros(len(shares), dtype=np.int64)
    group = held = 0
    for stratum, count in enumerate(counts):
        new[stratum] = group
        held += count
        if held >= 2:
            group, held = group + 1, 0
    last = max(group - 1, 0)
    new = np.minimum(new, last)  # what is left over joins the last
    summed: Floats = np.bincount(new, shares, last + 1).astype(np.float64)
    return new[strata], summed
