"""The difference of the means of two groups of results that may share blocks: a selection and the rest, two rulesets.

The results of a block share their luck, whichever group they are in. So blocks, not results, are the units: the error of
the difference is that of the sums over blocks (the linearised cluster variance of a ratio; Cochran, Sampling Techniques,
3rd edition, sections 6.3 and 9.2).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.statistics.intervals import Interval
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.statistics.intervals import Floats, Integers


class GroupDifference(NamedTuple):
    """The mean of a group minus the mean of all other results."""

    difference: Interval
    p_value: float
    """Of the test that both means are equal; two-sided."""
    blocks: int
    """Blocks of the group that has fewer."""


def group_difference(
    values: Floats, is_in_group: NDArray[np.bool_], blocks: Integers, level: float = 0.95
) -> GroupDifference | None:
    """Return how much higher the mean of a group is than the mean of the rest.

    The three arrays have one entry a result; `blocks` numbers the blocks from 0. Returns None if a group has fewer than
    `MIN_BLOCKS` blocks, or if the values do not vary within the groups.

    >>> in_group = np.arange(40) % 2 == 0
    >>> found = group_difference(np.arange(40) % 7 + 10.0 * in_group, in_group, np.arange(40) // 2)
    >>> round(found.difference.estimate, 2), found.blocks
    (10.05, 20)
    """
    weights = [part.astype(np.float64) for part in (is_in_group, ~is_in_group)]
    counts = [np.bincount(blocks, weight).astype(np.float64) for weight in weights]
    sums = [np.bincount(blocks, weight * values).astype(np.float64) for weight in weights]
    return block_sums_difference((sums[0], sums[1]), (counts[0], counts[1]), level)


def block_sums_difference(
    sums: tuple[Floats, Floats], counts: tuple[Floats, Floats], level: float = 0.95
) -> GroupDifference | None:
    """Return the same from the sums of the values and the numbers of results, for each group one entry a block.

    >>> sums, counts = np.array([3.0, 5.0] * 10), np.full(20, 2.0)
    >>> found = block_sums_difference((sums + np.arange(20) % 3, sums), (counts, counts))
    >>> round(found.difference.estimate, 3)
    0.475
    """
    fewest = min(int(np.count_nonzero(count)) for count in counts)
    if fewest < MIN_BLOCKS:
        return None
    totals = [float(count.sum()) for count in counts]
    means = [float(total.sum()) / n for total, n in zip(sums, totals, strict=True)]
    residuals = [
        (total - mean * count) / n for total, mean, count, n in zip(sums, means, counts, totals, strict=True)
    ]
    # The degrees of freedom are those of the smaller group, so that the interval is never too narrow.
    variance = float(np.sum((residuals[0] - residuals[1]) ** 2)) * fewest / (fewest - 1)
    if variance <= 1e-24 * max(1.0, *(mean * mean for mean in means)):
        return None
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    error, estimate = math.sqrt(variance), means[0] - means[1]
    half = float(stdtrit(fewest - 1, (1 + level) / 2)) * error
    p_value = 2 * float(stdtr(fewest - 1, -abs(estimate) / error))
    return GroupDifference(Interval(estimate, estimate - half, estimate + half), p_value, fewest)


def mean_of_results(values: Floats, blocks: Integers, level: float = 0.95) -> Interval | None:
    """Return the mean of results with its interval; results of a block share their luck. None for fewer than two blocks.

    Both arrays have one entry a result; `blocks` numbers the blocks from 0. Blocks may have different numbers of results.

    >>> interval = mean_of_results(np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0]), np.array([0, 0, 1, 1, 2, 2]))
    >>> [round(bound, 2) for bound in interval]
    [0.67, -0.05, 1.38]
    """
    _, numbers = np.unique(blocks, return_inverse=True)
    counts, sums = np.bincount(numbers), np.bincount(numbers, values)
    if len(counts) < 2:
        return None
    mean = float(sums.sum()) / len(values)
    error = math.sqrt(float(np.sum((sums - mean * counts) ** 2)) * len(counts) / (len(counts) - 1)) / len(
        values
    )
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    half = float(stdtrit(len(counts) - 1, (1 + level) / 2)) * error
    return Interval(mean, mean - half, mean + half)
