"""Two strategies on the same luck: how far apart, how often ahead, how much alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines.statistics.intervals import (
    Interval,
    bca_interval,
    check_blocks,
    is_constant,
    sample_sd,
    share_interval,
    t_interval,
    wilson,
)
from pipelines.statistics.planning import detectable_difference, least_blocks
from pipelines.statistics.significance import Permutation, sign_flip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.statistics.distributions import Floats, Integers

QUANTILE_SHARES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles that are compared unless others are asked for."""

QUANTILE_RESAMPLES: Final = 1000
"""Bootstrap samples behind an interval of quantiles."""


class QuantileDifference(NamedTuple):
    """How much higher A's quantile is than B's."""

    share: float
    a: float
    b: float
    difference: Interval


@dataclass(frozen=True)
class PairSummary:
    """Two strategies compared; `a`, `b` and differences A - B in the unit of the scores."""

    blocks: int
    a: Interval | None
    """Mean of A; None, like every interval here, for fewer than two blocks."""
    b: Interval | None
    difference: Interval | None
    """Mean of A - B: the paired t interval."""
    difference_bca: Interval | None
    """The same with a bootstrap interval, to see whether skewness matters."""
    permutation: Permutation
    better: Interval | None
    """P(A > B) plus half of P(A = B), on the same luck."""
    differing: Interval
    """Share of blocks in which A and B ever differed."""
    correlation: float | None
    variance_ratio: float | None
    detectable: float | None
    """Smallest true difference that this many blocks settle with probability 0.8."""
    least_blocks: int
    """Blocks from which `difference` can be trusted, given how skewed the differences are."""
    quantiles: tuple[QuantileDifference, ...]


def summarise_pair(
    a: Floats,
    b: Floats,
    *,
    seed: int,
    level: float = 0.95,
    shares: Sequence[float] = QUANTILE_SHARES,
) -> PairSummary:
    """Compare two strategies on the same blocks.

    `a` and `b` have shape (blocks,), or (blocks, games) with games of one column on the same luck; means, intervals and
    tests then rest on the block means, quantiles and P(A > B) on the games. Raises ValueError for unequal shapes, for no
    blocks, and for values that are not finite.
    """
    games_a, games_b = _as_game_arrays(a, b)
    means_a, means_b = games_a.mean(axis=1), games_b.mean(axis=1)
    # Equal games must give exactly zero, whatever the order of addition.
    differences = (games_a - games_b).mean(axis=1)
    differing = (games_a != games_b).any(axis=1)
    blocks = len(differences)
    return PairSummary(
        blocks=blocks,
        a=t_interval(means_a, level),
        b=t_interval(means_b, level),
        difference=t_interval(differences, level),
        difference_bca=bca_interval(differences, seed=seed, level=level),
        permutation=sign_flip(differences, seed=seed),
        better=superiority_probability(games_a, games_b, level),
        differing=wilson(int(differing.sum()), blocks, level),
        correlation=correlation(means_a, means_b),
        variance_ratio=variance_ratio(means_a, means_b),
        detectable=detectable_difference(sample_sd(differences), blocks, level=level),
        least_blocks=least_blocks(differences),
        quantiles=quantile_differences(games_a, games_b, shares, seed=seed, level=level),
    )


def superiority_probability(a: Floats, b: Floats, level: float = 0.95) -> Interval | None:
    """P(A > B) plus half of P(A = B) on the same luck, with an interval from blocks; None for fewer than two.

    `a` and `b` have shape (blocks,) or (blocks, games). The measure is Vargha and Delaney's (2000), paired.

    >>> superiority_probability(np.array([3.0, 5.0]), np.array([1.0, 5.0])).estimate
    0.75
    """
    games_a, games_b = _as_game_arrays(a, b)
    return share_interval(((games_a > games_b) + (games_a == games_b) / 2).mean(axis=1), level)


def quantile_differences(
    a: Floats,
    b: Floats,
    shares: Sequence[float] = QUANTILE_SHARES,
    *,
    seed: int,
    level: float = 0.95,
) -> tuple[QuantileDifference, ...]:
    """How much higher each quantile of A is than the same of B; empty for fewer than two blocks.

    `a` and `b` have shape (blocks,) or (blocks, games). A quantile is the smallest value that at least this share does
    not exceed. Percentile intervals (Efron 1979) from whole blocks drawn again, which keeps what A and B share. They are
    rather wide: intervals of 95 % cover 96 to 99 % where A and B are much alike, and nearly always for whole scores.
    """
    games_a, games_b = _as_game_arrays(a, b)
    blocks = len(games_a)
    if blocks < 2:
        return ()
    rng = np.random.default_rng(seed)
    wanted = np.asarray(shares, dtype=np.float64)
    sorted_a, sorted_b = _SortedScores.from_games(games_a), _SortedScores.from_games(games_b)
    once = np.ones((1, blocks), dtype=np.int64)
    at_a, at_b = sorted_a.quantiles(once, wanted)[0], sorted_b.quantiles(once, wanted)[0]
    drawn = np.empty((QUANTILE_RESAMPLES, len(wanted)))
    rows = max(1, 100_000 // games_a.size)  # counts that stay in the cache
    for start in range(0, QUANTILE_RESAMPLES, rows):
        size = min(rows, QUANTILE_RESAMPLES - start)
        slots = rng.integers(0, blocks, (size, blocks)) + blocks * np.arange(size)[:, None]
        times = np.bincount(slots.ravel(), minlength=size * blocks).reshape(size, blocks)
        drawn[start : start + size] = sorted_a.quantiles(times, wanted) - sorted_b.quantiles(times, wanted)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        QuantileDifference(float(share), float(x), float(y), Interval(float(x - y), float(down), float(up)))
        for share, x, y, down, up in zip(wanted, at_a, at_b, low, high, strict=True)
    )


class _SortedScores(NamedTuple):
    """Values in order, each with the block it came from: quantiles of any resample without sorting again."""

    values: Floats
    blocks: Integers

    @classmethod
    def from_games(cls, games: Floats) -> _SortedScores:
        order = np.argsort(games, axis=None, kind="stable")
        return cls(games.ravel()[order], order // games.shape[1])

    def quantiles(self, times: Integers, shares: Floats) -> Floats:
        """Quantiles, shape (samples, shares), when block i counts `times[sample, i]` times."""
        reached = np.cumsum(times[:, self.blocks], axis=1)
        found = np.empty((len(times), len(shares)))
        for column, share in enumerate(shares):
            at = (reached < share * reached[0, -1] - 1e-9).sum(axis=1)
            found[:, column] = self.values[np.minimum(at, len(self.values) - 1)]
        return found


def correlation(a: Floats, b: Floats) -> float | None:
    """Pearson's correlation of block values, both of shape (blocks,); None where either does not vary."""
    if len(a) < 2 or is_constant(a) or is_constant(b):
        return None
    gap_a, gap_b = a - a.mean(), b - b.mean()
    found = float(gap_a @ gap_b / np.sqrt((gap_a @ gap_a) * (gap_b @ gap_b)))
    return min(1.0, max(-1.0, found))


def variance_ratio(a: Floats, b: Floats) -> float | None:
    """Variance of the difference on the same luck over that on separate luck; None where neither varies.

    Both have shape (blocks,). 0.25 says that without shared luck four times as many games were needed.

    >>> variance_ratio(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    0.0
    """
    apart = sample_sd(a) ** 2 + sample_sd(b) ** 2
    if len(a) < 2 or not apart:
        return None
    return sample_sd(a - b) ** 2 / apart


def _as_game_arrays(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Check both and give them the shape (blocks, games)."""
    if a.shape != b.shape or a.ndim not in {1, 2} or not a.size:
        raise ValueError(
            f"A has the shape {a.shape} and B {b.shape}: both need one value for each block, or for each block and game."
        )
    games_a, games_b = (np.asarray(one, dtype=np.float64).reshape(len(one), -1) for one in (a, b))
    check_blocks(games_a.ravel())
    check_blocks(games_b.ravel())
    return games_a, games_b
