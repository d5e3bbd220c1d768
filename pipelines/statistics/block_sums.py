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

    Runs with different line-ups may have different numbers of results a block. Each number is a stratum.

    >>> mean = block_sums_mean([BlockSum(2, 3, 36, 440)])  # the sums of the blocks are 10, 12 and 14: 5, 6 and 7 a result
    >>> [round(number, 2) for number in mean]
    [6.0, 3.52, 8.48]
    """
    blocks = sum(one.blocks for one in sums)
    results = sum(one.blocks * one.seats_per_block for one in sums)
    if blocks < 2:
        return None
    variance = sum(
        one.blocks * sample_variance(one.blocks, one.total, one.squares) for one in sums if one.blocks > 1
    )
    error = math.sqrt(variance) / results
    return mean_interval(sum(one.total for one in sums) / results, error * math.sqrt(blocks), blocks)


def sample_variance(n: int, total: float, squares: float) -> float:
    """Return the variance of n values from their sum and sum of squares; nan for fewer than two.

    It is never below 0, as rounding or the sums of a damaged file could make it.
    """
    return max(0.0, (squares - total * total / n) / (n - 1)) if n > 1 else math.nan
