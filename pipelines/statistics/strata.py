"""Intervals for stratified samples.

In a what-if the outcomes of the next roll are distributed evenly over the continuations, so that they do not add to the
uncertainty of the mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.statistics.bounded_means import PartMeans, combine_parts, divide_at_median
from pipelines.statistics.intervals import Interval, check_blocks

if TYPE_CHECKING:
    from pipelines.statistics.bounded_means import ValueBounds
    from pipelines.statistics.intervals import Floats, Integers


def stratified_interval(
    values: Floats,
    strata: Integers,
    shares: Floats,
    bounds: ValueBounds,
    level: float = 0.95,
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
    most = len(values) - len(weights)
    squares = float((terms**2 / (counts + 1)).sum())
    freedom = min(max(float(terms.sum()) ** 2 / squares - 2, 1.0), most) if squares else float(most)
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
