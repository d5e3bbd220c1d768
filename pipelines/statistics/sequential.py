"""Sequential play: intervals that are valid at every look, and a rule that uses them to stop when the result is clear.

The interval is a confidence sequence: with probability `level` it covers the true mean difference at *all* looks from
the first on, so that results may be looked at after every block and play may stop at any time. It is a mixture of the t
likelihood over normally distributed effects. For normal differences with unknown variance it is exact (Lai 1976; Wang
and Ramdas 2023, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance"). For other
differences it approaches the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2021,
"Time-uniform central limit theory") as the number of blocks grows; with few blocks it is wider.

With skewed differences such intervals miss too often on the side of the long tail: with looks from 50 blocks on, 5.3 %
of sequences missed for exponential differences, and 10.9 % for lognormal ones, instead of at most 5 %. The end on that
side is therefore moved outwards by Johnson's (1978) correction of the t statistic (2.5 % and 5.1 % missed). Johnson also
moves the other end inwards; this is not done here, because then 18 % missed for lognormal differences.

No such interval can allow for a difference that has not occurred yet. If large differences are rare and outweigh frequent
small ones of the other sign, the first blocks mislead: with +9 in 1 % and -1 in 9 % of blocks, the mean is zero, but 28 %
of 500 simulated comparisons named a winner. Therefore a decision needs `MIN_DIFFERING_BLOCKS` blocks that differ, which
reduces this to less than 2 %. **The promise of at most 5 % wrong decisions holds under one condition:** the blocks that differ
must be typical of those to come. With +19 in 0.5 % and -1 in 9.5 % of blocks, 7.8 % of decisions are still wrong, and
with +99 in 1 % and -1 in 99 % of blocks more than a third. `benchmarks/whatif_coverage.py --only rules` measures these numbers.

The price of looking at any time: to detect a difference of a fifth of a block's standard deviation, the rule played 245
blocks on average and succeeded in all of 1,000 simulated experiments. A fixed plan needs 199 blocks to succeed in 80 % of
experiments and 265 to succeed in 90 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from pipelines.statistics.bounded_means import ValueBounds, simple_interval
from pipelines.statistics.intervals import Floats, Interval, check_blocks, is_constant, sample_sd, skewness

StopDecision: TypeAlias = Literal["more", "fewer", "equal", "undecided"]

MIN_DIFFERING_BLOCKS: Final = 50
"""Nothing is decided before this many blocks differ: fewer do not show how large differences can be."""


@dataclass(frozen=True)
class SequentialLook:
    """What the blocks so far show about the mean of A - B."""

    blocks: int
    interval: Interval | None
    """Valid whenever play stops; None before the first look and while the interval is infinitely wide.

    The estimate is the mean so far. If play stopped because the sign was clear, the estimate is on average too far from
    zero (in simulations by 0.15, with a true difference of 0.5 or 1 and a standard deviation of 5 per block), so it must
    be given together with the interval.
    """
    p: float
    """Valid whenever play stops: the reciprocal of the mixture likelihood ratio against "no difference"."""
    decision: StopDecision
    is_over: bool
    """True if there is a decision, or if the budget is spent."""


@dataclass(frozen=True)
class StoppingRule:
    """Stop when the sign of the difference is clear, when it is clearly within `margin`, or after `budget` blocks.

    Over all looks together, a wrong sign or a wrong "equal" has a probability of at most 1 - `level`, unless differences
    that are too rare to have occurred outweigh those that did occur (see the top of this module). This is exact for
    normal differences. In simulations with the first look after 100 blocks it also holds for rounded, exponential,
    lognormal and sparse differences (one block in twenty differs). `tightest` is the number of blocks at which the
    interval is narrowest in relation to the standard deviation.

    Raises ValueError if `first_look` is not between 2 and `budget`, and if `margin`, `level` or `tightest` is out of
    range.
    """

    budget: int
    margin: float | None = None
    level: float = 0.95
    first_look: int = 100
    tightest: int = 500

    def __post_init__(self) -> None:
        if not 2 <= self.first_look <= self.budget:
            raise ValueError(
                f"The first look comes after {self.first_look} blocks, but the budget is {self.budget}: allow more blocks."
            )
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise ValueError("The margin of equality must be a positive number.")
        if not 0 < self.level < 1 or self.tightest < 1:
            raise ValueError("The level must be between 0 and 1, and `tightest` at least 1 block.")

    def judge_differences(self, differences: Floats, bounds: ValueBounds | None = None) -> SequentialLook:
        """Return what the block differences so far, shape (blocks,), show and whether to stop.

        If all blocks are equal, `bounds` give the interval its width; without them it is a point. Raises ValueError for
        another shape and for values that are not finite.
        """
        check_blocks(differences)
        blocks = len(differences)
        over = blocks >= self.budget
        if blocks < self.first_look:
            return SequentialLook(blocks, None, 1.0, "undecided", over)
        mean, spread = float(differences.mean()), sample_sd(differences)
        low, high = (
            float(bound[0])
            for bound in self.interval_bounds(
                *(np.array([value]) for value in (mean, spread, skewness(differences), float(blocks)))
            )
        )
        interval = Interval(mean, low, high) if math.isfinite(low) and math.isfinite(high) else None
        if bounds is not None and is_constant(differences):
            interval = self.bounded_interval(np.full_like(differences, differences[0]), bounds)
        decision = self.decide_from_interval(interval, int(np.count_nonzero(differences)))
        return SequentialLook(
            blocks, interval, self._p_value(mean, spread, blocks), decision, over or decision != "undecided"
        )

    def interval_bounds(
        self, means: Floats, sds: Floats, skews: Floats, blocks: Floats
    ) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of intervals, in arrays of the shape of the arguments.

        `sds` and `skews` are the standard deviation and the skewness of single blocks. Where too few blocks were played
        for an interval, the ends are infinite.
        """
        shrinkage = 1 / (1 + blocks * self._effect_variance)
        ratio = ((1 - self.level) ** 2 * shrinkage) ** (-1 / blocks)
        with np.errstate(divide="ignore"):
            squared = np.where(
                ratio * shrinkage < 1, (blocks - 1) * (ratio - 1) / (1 - ratio * shrinkage), np.inf
            )
        finite = np.where(np.isinf(squared), 0.0, squared)
        half = np.where(np.isinf(squared), np.inf, sds * np.sqrt(finite / blocks))
        tail = skews * sds * (1 + 2 * finite) / (6 * blocks)
        return means - half + np.minimum(tail, 0), means + half + np.maximum(tail, 0)

    @property
    def _effect_variance(self) -> float:
        """Variance of the mixture over effects, in units of the standard deviation.

        It makes the interval narrowest at `tightest` blocks, by the formula of Waudby-Smith et al.
        """
        bits = -2 * math.log(1 - self.level)
        return (bits + math.log(bits + 1)) / self.tightest

    def _p_value(self, mean: float, spread: float, blocks: int) -> float:
        if not mean:
            return 1.0
        shrinkage = 1 / (1 + blocks * self._effect_variance)
        # (v + t²) / (v + shrinkage t²) with v = blocks - 1 and t² = blocks mean² / spread², multiplied by spread²,
        # so that a spread of zero causes no division by zero.
        noise, signal = (blocks - 1) * spread**2, blocks * mean**2
        log_ratio = math.log(shrinkage) / 2 + blocks / 2 * math.log(
            (noise + signal) / (noise + shrinkage * signal)
        )
        return min(1.0, math.exp(-log_ratio))

    def bounded_interval(self, values: Floats, bounds: ValueBounds) -> Interval | None:
        """Return an interval, valid at every look, for the mean of values between bounds, shape (n,).

        It contains the interval of `judge_differences` as far as the bounds allow, and it also allows for rare values, as
        `pipelines.statistics.bounded_means` explains: it holds under the same condition. None where `judge_differences` has
        no interval.
        """
        look = self.judge_differences(values)
        if look.interval is None:
            return None
        rare = simple_interval(values, bounds, critical=self.critical_value(len(values)))
        if rare is None:
            return None
        return Interval(
            rare.estimate,
            max(bounds.low, min(rare.low, look.interval.low)),
            min(bounds.high, max(rare.high, look.interval.high)),
        )

    def critical_value(self, blocks: int) -> float:
        """Return the half width of an interval of symmetric values in standard errors; infinite for too few blocks."""
        _, high = self.interval_bounds(np.zeros(1), np.ones(1), np.zeros(1), np.array([float(blocks)]))
        return float(high[0]) * math.sqrt(blocks)

    def decide_from_interval(self, interval: Interval | None, differing: int) -> StopDecision:
        """Return the decision that an interval allows if `differing` blocks differ."""
        if interval is None or differing < MIN_DIFFERING_BLOCKS:
            return "undecided"
        if interval.low > 0:
            return "more"
        if interval.high < 0:
            return "fewer"
        is_within = self.margin is not None and -self.margin <= interval.low and interval.high <= self.margin
        return "equal" if is_within else "undecided"
