"""Play until it is decided: intervals that hold at every look, and a rule that stops by them.

The interval is a confidence sequence: with probability `level` it covers the true mean difference at *all* looks from
the first on, so that one may look after every block and stop whenever one likes. It mixes the t likelihood over normally
distributed effects, which is exact for normal differences of unknown spread (Lai 1976; Wang and Ramdas 2023, "Anytime-
valid t-tests and confidence sequences for Gaussian means with unknown variance") and, for others, agrees with the
asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2021, "Time-uniform central limit
theory") as blocks grow; with few blocks it is wider.

Skewed differences break such intervals on the side of the long tail: of exponential ones with looks from 50 blocks on,
5.3 % were missed instead of at most 5, of lognormal ones 10.9 %. So that side is moved out by Johnson's (1978) correction
of the t statistic (2.5 % and 5.1 %), and the other is left alone: moving it in as he does missed 18 % of the lognormal.

What looking at any time costs: to settle a difference of a fifth of a block's standard deviation it played 245 blocks on
average and settled all of 1,000 experiments; a fixed plan takes 199 blocks for 80 % of them and 265 for 90 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from pipelines.statistics.intervals import Interval, check_blocks, sample_sd, skewness

if TYPE_CHECKING:
    from pipelines.statistics.distributions import Floats

StopDecision: TypeAlias = Literal["more", "fewer", "equal", "undecided"]

MIN_DIFFERING_BLOCKS: Final = 10
"""Equality waits for this many blocks in which the two differ: fewer do not show how far they can."""


@dataclass(frozen=True)
class SequentialLook:
    """What the blocks so far decide about the mean of A - B."""

    blocks: int
    interval: Interval | None
    """Valid whenever one stops; None before the first look and while there is none of finite width.

    Its estimate is the mean so far. When a settled sign was the reason to stop it lies too far from zero on average
    (simulated: by 0.15 where the truth is 0.5 or 1 and the standard deviation of a block 5): quote the interval with it.
    """
    p: float
    """Valid whenever one stops: 1 over what a unit staked against "no difference" has grown to at this look."""
    decision: StopDecision
    is_over: bool
    """Decided, or the budget is played."""


@dataclass(frozen=True)
class StoppingRule:
    """Stop when the sign is settled, when equality within `margin` is, or after `budget` blocks.

    A wrong sign or a wrong "equal" happens with probability 1 - `level` at most, over all looks together: exactly for
    normal differences, and with the first look after 100 blocks in simulations also for rounded, exponential, lognormal
    and sparse ones (one block in twenty differs). A first look after 50 blocks fails the sparse ones (9 % wrong).
    `tightest` is the number of blocks at which the interval is narrowest for its spread.
    """

    budget: int
    margin: float | None = None
    level: float = 0.95
    first_look: int = 100
    tightest: int = 500

    def __post_init__(self) -> None:
        if not 2 <= self.first_look <= self.budget:
            raise ValueError(
                f"The first look comes after {self.first_look} blocks, the budget is {self.budget}: allow more blocks."
            )
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise ValueError("The margin of equality is a positive number.")
        if not 0 < self.level < 1 or self.tightest < 1:
            raise ValueError(
                "The level lies between 0 and 1, and the interval is tightest after some blocks."
            )

    def judge_differences(self, differences: Floats) -> SequentialLook:
        """Judge the block differences so far, shape (blocks,), in the order played."""
        check_blocks(differences)
        blocks = len(differences)
        over = blocks >= self.budget
        if blocks < self.first_look:
            return SequentialLook(blocks, None, 1.0, "undecided", over)
        mean, spread = float(differences.mean()), sample_sd(differences)
        low, high = (
            float(bound[0])
            for bound in self.interval_bounds(
                *(np.array([one]) for one in (mean, spread, skewness(differences), float(blocks)))
            )
        )
        interval = Interval(mean, low, high) if math.isfinite(low) and math.isfinite(high) else None
        decision = self._decide_from_interval(interval, int(np.count_nonzero(differences)))
        return SequentialLook(
            blocks, interval, self._p_value(mean, spread, blocks), decision, over or decision != "undecided"
        )

    def interval_bounds(
        self, means: Floats, sds: Floats, skews: Floats, blocks: Floats
    ) -> tuple[Floats, Floats]:
        """Lower and upper ends of intervals; all of one shape, `sds` and `skews` of single blocks; infinite where none is."""
        kept = 1 / (1 + blocks * self._effect_variance)
        ratio = ((1 - self.level) ** 2 * kept) ** (-1 / blocks)
        with np.errstate(divide="ignore"):
            squared = np.where(ratio * kept < 1, (blocks - 1) * (ratio - 1) / (1 - ratio * kept), np.inf)
        finite = np.where(np.isinf(squared), 0.0, squared)
        half = np.where(np.isinf(squared), np.inf, sds * np.sqrt(finite / blocks))
        tail = skews * sds * (1 + 2 * finite) / (6 * blocks)
        return means - half + np.minimum(tail, 0), means + half + np.maximum(tail, 0)

    @property
    def _effect_variance(self) -> float:
        """Variance of the effects (in standard deviations) that are mixed over; narrowest at `tightest`, as in the paper."""
        bits = -2 * math.log(1 - self.level)
        return (bits + math.log(bits + 1)) / self.tightest

    def _p_value(self, mean: float, spread: float, blocks: int) -> float:
        if not mean:
            return 1.0
        kept = 1 / (1 + blocks * self._effect_variance)
        # (v + t²) / (v + kept t²) with t² = blocks mean² / spread², written so that a spread of zero divides nothing.
        noise, signal = (blocks - 1) * spread**2, blocks * mean**2
        stake = math.log(kept) / 2 + blocks / 2 * math.log((noise + signal) / (noise + kept * signal))
        return min(1.0, math.exp(-stake))

    def _decide_from_interval(self, interval: Interval | None, differing: int) -> StopDecision:
        if interval is None:
            return "undecided"
        if interval.low > 0:
            return "more"
        if interval.high < 0:
            return "fewer"
        within = self.margin is not None and -self.margin <= interval.low and interval.high <= self.margin
        return "equal" if within and differing >= MIN_DIFFERING_BLOCKS else "undecided"
