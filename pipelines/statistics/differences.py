"""Differences: of two strategies that played the same blocks, and of two groups of results that may share blocks.

The difference of the means of two groups of results that may share blocks: a selection and the rest, two rulesets.
The results of a block share their luck, whichever group they are in. So blocks, not results, are the units: the error of
the difference is that of the sums over blocks (the linearised cluster variance of a ratio; Cochran, Sampling Techniques,
3rd edition, sections 6.3 and 9.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.statistics.intervals import (
    Floats,
    Integers,
    Interval,
    check_blocks,
    is_constant,
    sample_sd,
    share_interval,
)
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from numpy.typing import NDArray


QUANTILE_SHARES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The default quantiles."""

QUANTILE_RESAMPLES: Final = 1000
"""Bootstrap samples for the intervals of quantiles."""


class QuantileDifference(NamedTuple):
    """A quantile of A's scores, the same quantile of B's, and the difference A - B."""

    share: float
    """Which quantile: 0.5 for the median."""
    a: float
    b: float
    difference: Interval


def superiority_probability(a: Floats, b: Floats, level: float = 0.95) -> Interval | None:
    """Return P(A > B) + P(A = B) / 2 on the same luck, with an interval that counts blocks; None for fewer than two.

    `a` and `b` have the shape (blocks,) or (blocks, games). This is the measure of Vargha and Delaney (2000) for pairs.

    >>> superiority_probability(np.array([3.0, 5.0]), np.array([1.0, 5.0])).estimate
    0.75
    """
    games_a, games_b = _as_game_arrays(a, b)
    return share_interval(((games_a > games_b) + (games_a == games_b) / 2).mean(axis=1), level)


def quantile_differences(
    a: Floats, b: Floats, shares: Sequence[float] = QUANTILE_SHARES, *, seed: int, level: float = 0.95
) -> tuple[QuantileDifference, ...]:
    """Return the differences between quantiles of A and the same quantiles of B; empty for fewer than two blocks.

    `a` and `b` have the shape (blocks,) or (blocks, games). The quantile of a share is the smallest value such that at
    least this share of all values are less than or equal to it. The intervals are bootstrap percentiles (Efron 1979);
    whole blocks are resampled, so that A and B keep their common luck. They are conservative: intervals of level 95 %
    cover 96 to 99 % where A and B are strongly correlated, and almost 100 % for whole-number scores.
    """
    games_a, games_b = _as_game_arrays(a, b)
    blocks = len(games_a)
    if blocks < 2:
        return ()
    rng = np.random.default_rng(seed)
    levels = np.asarray(shares, dtype=np.float64)
    sorted_a, sorted_b = _SortedScores.from_games(games_a), _SortedScores.from_games(games_b)
    once = np.ones((1, blocks), dtype=np.int64)
    of_a, of_b = sorted_a.quantiles(once, levels)[0], sorted_b.quantiles(once, levels)[0]
    resampled = np.empty((QUANTILE_RESAMPLES, len(levels)))
    chunk = max(1, 100_000 // games_a.size)  # as many samples as fit into the processor's cache
    for start in range(0, QUANTILE_RESAMPLES, chunk):
        size = min(chunk, QUANTILE_RESAMPLES - start)
        slots = rng.integers(0, blocks, (size, blocks)) + blocks * np.arange(size)[:, None]
        times = np.bincount(slots.ravel(), minlength=size * blocks).reshape(size, blocks)
        resampled[start : start + size] = sorted_a.quantiles(times, levels) - sorted_b.quantiles(
            times, levels
        )
    lows, highs = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        QuantileDifference(float(share), float(a), float(b), Interval(float(a - b), float(low), float(high)))
        for share, a, b, low, high in zip(levels, of_a, of_b, lows, highs, strict=True)
    )


class _SortedScores(NamedTuple):
    """Sorted scores and the block of each: quantiles of resampled blocks need no further sorting."""

    values: Floats
    blocks: Integers

    @classmethod
    def from_games(cls, games: Floats) -> _SortedScores:
        order = np.argsort(games, axis=None, kind="stable")
        return cls(games.ravel()[order], order // games.shape[1])

    def quantiles(self, times: Integers, shares: Floats) -> Floats:
        """Return quantiles, shape (samples, shares), where block i counts `times[sample, i]` times."""
        counts = np.cumsum(times[:, self.blocks], axis=1)
        quantiles = np.empty((len(times), len(shares)))
        for column, share in enumerate(shares):
            index = (counts < share * counts[0, -1] - 1e-9).sum(axis=1)
            quantiles[:, column] = self.values[np.minimum(index, len(self.values) - 1)]
        return quantiles


def correlation(a: Floats, b: Floats) -> float | None:
    """Return Pearson's correlation of two arrays of shape (blocks,); None if one of them does not vary."""
    if len(a) < 2 or is_constant(a) or is_constant(b):
        return None
    gap_a, gap_b = a - a.mean(), b - b.mean()
    unclipped = float(gap_a @ gap_b / np.sqrt((gap_a @ gap_a) * (gap_b @ gap_b)))
    return min(1.0, max(-1.0, unclipped))


def variance_ratio(a: Floats, b: Floats) -> float | None:
    """Return the variance of A - B with common luck divided by the variance it would have with separate luck.

    Both arrays have the shape (blocks,). 0.25 means that without common luck the same precision would take four times as
    many games. None for fewer than two blocks and if neither array varies.

    >>> variance_ratio(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    0.0
    """
    separate = sample_sd(a) ** 2 + sample_sd(b) ** 2
    if len(a) < 2 or not separate:
        return None
    return sample_sd(a - b) ** 2 / separate


def _as_game_arrays(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return both arrays with the shape (blocks, games); raise ValueError if they are not valid."""
    if a.shape != b.shape or a.ndim not in {1, 2} or not a.size:
        raise ValueError(
            f"A has the shape {a.shape} and B {b.shape}: both need one value for each block, or for each block and game."
        )
    games_a, games_b = (np.asarray(values, dtype=np.float64).reshape(len(values), -1) for values in (a, b))
    check_blocks(games_a.ravel())
    check_blocks(games_b.ravel())
    return games_a, games_b


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
    sums: Sequence[Floats],
    counts: Sequence[Floats],
    level: float = 0.95,
    weights: Sequence[float] | Floats = (1, -1),
    min_blocks: int = MIN_BLOCKS,
) -> GroupDifference | None:
    """Return the same from the sums of the values and the numbers of results, for each group one entry a block.

    With other `weights`, which add up to 0, it is the weighted sum of the means of any number of groups.

    >>> sums, counts = np.array([3.0, 5.0] * 10), np.full(20, 2.0)
    >>> found = block_sums_difference((sums + np.arange(20) % 3, sums), (counts, counts))
    >>> round(found.difference.estimate, 3)
    0.475
    """
    fewest = min(int(np.count_nonzero(count)) for count in counts)
    if fewest < min_blocks:
        return None
    totals = [float(count.sum()) for count in counts]
    means = [float(total.sum()) / n for total, n in zip(sums, totals, strict=True)]
    residuals = [
        (total - mean * count) / n for total, mean, count, n in zip(sums, means, counts, totals, strict=True)
    ]
    # The degrees of freedom are those of the smallest group, so that the interval is never too narrow.
    variance = float(np.sum(np.dot(weights, residuals) ** 2)) * fewest / (fewest - 1)
    if variance <= 1e-24 * max(1.0, *(mean * mean for mean in means)):
        return None
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    error, estimate = math.sqrt(variance), float(np.dot(weights, means))
    half = float(stdtrit(fewest - 1, (1 + level) / 2)) * error
    p_value = 2 * float(stdtr(fewest - 1, -abs(estimate) / error))
    return GroupDifference(Interval(estimate, estimate - half, estimate + half), p_value, fewest)
