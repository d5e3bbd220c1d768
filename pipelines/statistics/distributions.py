"""How often each score came up, and bins that several such distributions can share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pipelines.statistics.intervals import Interval, wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Distribution:
    """How often each whole number came up.

    `values` ascend without repeats; `counts`, of the same shape, are positive.
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
        """Standard deviation of a single value; nan for fewer than two."""
        if self.n < 2:
            return math.nan
        return math.sqrt(float((self.values - self.mean) ** 2 @ self.counts) / (self.n - 1))

    def quantile(self, share: float) -> int:
        """Return the smallest value that at least this share of all values does not exceed.

        >>> Distribution(np.array([1, 2, 9]), np.array([1, 1, 2])).quantile(0.5)
        2
        """
        reached = np.searchsorted(np.cumsum(self.counts), share * self.n - 1e-9)
        return int(self.values[min(int(reached), len(self.values) - 1)])

    @cached_property
    def shares_up_to(self) -> Floats:
        """The empirical distribution function at `values`."""
        return np.asarray(np.cumsum(self.counts) / self.n, dtype=np.float64)

    def split_at(self, value: int) -> tuple[float, float]:
        """Return the share of values below `value` and the share of those equal to it.

        >>> Distribution(np.array([1, 2, 9]), np.array([1, 1, 2])).split_at(2)
        (0.25, 0.25)
        """
        below = int(self.counts[self.values < value].sum())
        equal = int(self.counts[self.values == value].sum())
        return below / self.n, equal / self.n

    def percentile_of(self, value: int, units: int | None = None) -> Interval:
        """Return the share of values below `value`, half of those equal to it included, with a Wilson interval.

        `units` of them are independent, such as blocks; all if not said.
        """
        below, equal = self.split_at(value)
        n = self.n if units is None else units
        return wilson((below + equal / 2) * n, n)

    def bin_counts(self, edges: Integers) -> Integers:
        """Count the values from each edge up to, but not including, the next."""
        return np.histogram(self.values, bins=edges, weights=self.counts)[0].astype(np.int64)


def common_bin_edges(distributions: list[Distribution], most: int = 40) -> Integers:
    """Return bin edges that several distributions can share: whole numbers, steps of 1, 2, 5, 10, 20 ...

    Every bin holds the same number of possible scores, so no bar is tall for arithmetic reasons.

    >>> common_bin_edges([Distribution(np.array([3, 98]), np.array([1, 1]))], most=10)
    array([  0,  10,  20,  30,  40,  50,  60,  70,  80,  90, 100])
    """
    low = min(int(d.values[0]) for d in distributions)
    high = max(int(d.values[-1]) for d in distributions)
    step, factors = 1, (2, 2.5, 2)
    turn = 0
    while (high - low) // step + 1 > most:
        step = int(step * factors[turn % 3])
        turn += 1
    first = low // step * step
    return np.arange(first, high + step + 1, step)
