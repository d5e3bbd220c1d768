"""Estimates and their uncertainty: pure functions, no storage and no screen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]


class Interval(NamedTuple):
    """An estimate with the interval that covers the truth in 95 of 100 experiments."""

    estimate: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width, for `estimate ± half`."""
        return (self.high - self.low) / 2


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

    def percentile_of(self, value: int) -> Interval:
        """Return the share of values below `value`, half of those equal to it included, with a Wilson interval."""
        below = int(self.counts[self.values < value].sum())
        equal = int(self.counts[self.values == value].sum())
        return wilson(below + equal / 2, self.n)

    def binned(self, edges: Integers) -> Integers:
        """Count the values from each edge up to, but not including, the next."""
        return np.histogram(self.values, bins=edges, weights=self.counts)[0].astype(np.int64)


def common_edges(distributions: list[Distribution], most: int = 40) -> Integers:
    """Return bin edges that several distributions can share: whole numbers, steps of 1, 2, 5, 10, 20 ...

    Every bin holds the same number of possible scores, so no bar is tall for arithmetic reasons.

    >>> common_edges([Distribution(np.array([3, 98]), np.array([1, 1]))], most=10)
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


def mean_interval(mean: float, sd: float, n: int, level: float = 0.95) -> Interval | None:
    """Student's interval for the mean of n independent values (of blocks, not of games); None for fewer than two."""
    if n < 2 or math.isnan(sd):
        return None
    from scipy.special import stdtrit  # noqa: PLC0415 - costs time that pages without intervals need not pay

    half = float(stdtrit(n - 1, (1 + level) / 2)) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half)


def wilson(successes: float, n: int, level: float = 0.95) -> Interval:
    """Wilson's interval for a share (Wilson 1927). Half successes are allowed, for ties.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.8, 0.49, 0.943]
    """
    if not n:
        return Interval(math.nan, 0.0, 1.0)
    from scipy.special import ndtri  # noqa: PLC0415 - as above

    z = float(ndtri((1 + level) / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def dkw_half_width(n: int, level: float = 0.95) -> float:
    """Half the height of a band that holds the whole true distribution function.

    The inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant (Massart 1990), for n independent values.

    >>> round(dkw_half_width(1000), 4)
    0.0429
    """
    return math.sqrt(math.log(2 / (1 - level)) / (2 * n))
