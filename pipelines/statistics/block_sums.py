"""Means of scores from sums over blocks, as run files hold them: blocks, not results, are the units of the interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from pipelines.statistics.intervals import Interval, mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    blocks = sum(one.blocks for one in sums)
    results = sum(one.blocks * one.seats_per_block for one in sums)
    if blocks < 2:
        return None
    mean = sum(one.total for one in sums) / results
    strata = [one for one in sums if one.blocks > 1]
    variance = sum(one.blocks * sample_variance(one.blocks, one.total, one.squares) for one in strata)
    variance += sum(
        (one.total - mean * one.seats_per_block) ** 2 * blocks / (blocks - 1)
        for one in sums
        if one.blocks == 1
    )
    units = blocks - max(0, len(strata) - 1)  # every stratum has a mean of its own
    return mean_interval(mean, math.sqrt(variance * units) / results, units)


def count_equal_blocks(sums: Sequence[BlockSum]) -> int:
    """Return how many blocks with equal numbers of results would tell as much (Kish, Survey Sampling, 1965, section 8.2).

    >>> count_equal_blocks([BlockSum(2, 10, 0, 0)]), count_equal_blocks([BlockSum(2, 10, 0, 0), BlockSum(1, 20, 0, 0)])
    (10, 26)
    """
    results = sum(one.blocks * one.seats_per_block for one in sums)
    squares = sum(one.blocks * one.seats_per_block**2 for one in sums)
    return results**2 // squares if squares else 0


def sample_variance(n: int, total: float, squares: float) -> float:
    """Return the variance of n values from their sum and sum of squares; nan for fewer than two.

    It is never below 0, as rounding or the sums of a damaged file could make it.
    """
    return max(0.0, (squares - total * total / n) / (n - 1)) if n > 1 else math.nan
