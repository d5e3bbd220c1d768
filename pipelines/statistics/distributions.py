"""Distributions of whole numbers such as final scores, and bins that several distributions share."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipelines.statistics.intervals import Floats, Integers, Interval, wilson


@dataclass(frozen=True)
class Distribution:
    """How often each whole number occurred.

    `values` are distinct and ascending; `counts`, of the same shape, are positive.
    """

    values: Integers
    counts: Integers

    @cached_property
    def n(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def mean(self) -> float:
        return float(self.values @ self.counts / self.n)

    @cached_property
    def sd(self) -> float:
        """Sample standard deviation; nan for fewer than two values."""
        if self.n < 2:
            return math.nan
        return math.sqrt(float((self.values - self.mean) ** 2 @ self.counts) / (self.n - 1))

    def quantile(self, share: float) -> int:
        """Return the smallest value such that at least this share of all values are less than or equal to it.

        >>> Distribution(np.array([1, 2, 9]), np.array([1, 1, 2])).quantile(0.5)
        2
        """
        index = np.searchsorted(np.cumsum(self.counts), share * self.n - 1e-9)
        return int(self.values[min(int(index), len(self.values) - 1)])

    @cached_property
    def shares_up_to(self) -> Floats:
        """The empirical distribution function at `values`."""
        return np.asarray(np.cumsum(self.counts) / self.n, dtype=np.float64)

    def split_at(self, value: int) -> tuple[float, float]:
        """Return the share of values below `value` and the share of values equal to it.

        >>> Distribution(np.array([1, 2, 9]), np.array([1, 1, 2])).split_at(2)
        (0.25, 0.25)
        """
        below = int(self.counts[self.values < value].sum())
        equal = int(self.counts[self.values == value].sum())
        return below / self.n, equal / self.n

    def percentile_of(self, value: int, units: int | None = None) -> Interval:
        """Return the share of values below `value` plus half the share equal to it, with Wilson's interval.

        `units` is the number of independent observations, such as blocks; by default every value is one.
        """
        below, equal = self.split_at(value)
        n = self.n if units is None else units
        return wilson((below + equal / 2) * n, n)

    def bin_counts(self, edges: Integers) -> Integers:
        """Return how many values are in each bin: from one edge up to, but not including, the next.

        The last bin includes its upper edge.
        """
        return np.histogram(self.values, bins=edges, weights=self.counts)[0].astype(np.int64)


def common_bin_edges(distributions: list[Distribution], max_bins: int = 40) -> Integers:
    """Return the edges of at most about `max_bins` bins that cover several distributions.

    Edges are multiples of the width, which is 1, 2, 5, 10, 20 ... Every bin then holds the same number of possible
    scores, so differences in height come from the data and not from the binning.

    >>> common_bin_edges([Distribution(np.array([3, 98]), np.array([1, 1]))], max_bins=10)
    array([  0,  10,  20,  30,  40,  50,  60,  70,  80,  90, 100])

    Numbers that are never above 0, such as lost points, have bins that end with it.

    >>> common_bin_edges([Distribution(np.array([-7, 0]), np.array([1, 1]))], max_bins=5)
    array([-7, -5, -3, -1,  1])
    """
    low = min(int(d.values[0]) for d in distributions)
    high = max(int(d.values[-1]) for d in distributions)
    factors = itertools.cycle((2, 2.5, 2))
    width = 1
    while (high - low) // width + 1 > max_bins:
        width = int(width * next(factors))
    first = low // width * width if high else 1 + (low - 1) // width * width
    return np.arange(first, high + width + 1, width)
