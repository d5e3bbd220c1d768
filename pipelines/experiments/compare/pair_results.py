"""The results of two strategies of a comparison: their difference with its uncertainty, and the verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pipelines import statistics
from pipelines.design.lineups import meeting_seatings, short_names, side_pairs
from pipelines.design.metrics import METRICS
from pipelines.experiments.compare.verdict import Findings, Verdict, is_less_better, make_verdict
from pipelines.runs.game_queries import SeatWeight, sum_parts
from pipelines.runs.outcomes import (
    difference_bounds,
    differing_blocks,
    is_same_strategy,
    metric_bounds,
    pair_columns,
)
from pipelines.simulate.simulate import make_stopping_rule
from pipelines.statistics.bounded_means import (
    KNOWN_EQUAL,
    block_interval,
    plausible_bounds,
    share_change_interval,
)
from pipelines.statistics.planning import least_blocks_for_skewness

if TYPE_CHECKING:
    import duckdb

    from pipelines.design.designs import ComparisonDesign
    from pipelines.design.lineups import Pair
    from pipelines.design.metrics import Metric
    from pipelines.runs.outcomes import Outcomes
    from pipelines.statistics import Interval, QuantileDifference, SequentialLook
    from pipelines.statistics.intervals import Floats

MAX_RESAMPLED_BLOCKS: Final = 5_000
"""Bootstrap intervals are computed for at most this many blocks, counted over all pairs; they take about a second.
With more blocks they agree with the t interval."""
MANY_BLOCKS: Final = 20_000
"""With more blocks than this, only `FEW_SIGN_PATTERNS` sign patterns are drawn."""
FEW_SIGN_PATTERNS: Final = 999


class PartDifference(NamedTuple):
    """How many points of a difference come from one part of the score."""

    part: str
    difference: Interval
    least_blocks: int
    """Number of blocks from which `difference` is reliable, given its skewness."""


@dataclass(frozen=True)
class PairResult:
    """Two strategies, A and B; numbers without another description are in the unit of the metric.

    Intervals are None for fewer than two blocks.
    """

    a: str
    b: str
    sides: Pair
    """Their indices in the line-up."""
    games_per_block: int
    """Number of games of a block in which A and B meet."""
    blocks: int
    mean_a: Interval | None
    mean_b: Interval | None
    difference: Interval | None
    """Mean of A - B with the paired t interval, or with that of `statistics.bounded_means` if (nearly) all blocks are equal;
    with an interval that is valid at every look if the run was played until it was decided. It is a point only if A and B
    are the same strategy."""
    p: float
    """Two-sided p-value: of the sign-flip test, or valid at every look."""
    p_holm: float
    """`p` adjusted for the number of pairs."""
    win_share: Interval | None
    """A's share of the wins in its games with B; ties are split."""
    better: Interval | None
    """Probability that A does better than B in the same seats with the same luck; ties count half."""
    differing: Interval
    """Share of blocks in which exchanging A and B changed at least one game."""
    correlation: float | None
    """Correlation of A's and B's block means."""
    variance_ratio: float | None
    """Variance of the difference divided by the variance it would have with separate luck."""
    detectable: float | None
    """Smallest true difference that this number of blocks detects with probability 0.8; also None if all blocks are equal."""
    bootstrap: Interval | None
    """The difference with a bootstrap interval; also None for very many blocks and if all blocks are equal."""
    quantiles: tuple[QuantileDifference, ...]
    """Differences between quantiles of single games; empty for very many blocks."""
    decision: str | None
    """Decision of the stopping rule: more, fewer, equal or undecided; None if the number of blocks was fixed."""
    parts: tuple[PartDifference, ...]
    """The difference of mean scores by part of the score; the parts add up to it."""
    verdict: Verdict


def compare_pairs(
    outcomes: Outcomes,
    metric: Metric,
    *,
    is_sequential: bool,
    parts: dict[Pair, tuple[PartDifference, ...]],
    is_brief: bool = False,
) -> tuple[PairResult, ...]:
    """Compare every two strategies of a line-up.

    `parts` are the results of `part_differences`. With `is_brief`, bootstrap intervals are left out and fewer sign
    patterns are drawn, which is quick enough for a run that is still being played.
    """
    pairs = [
        _PairNumbers(outcomes, pair, metric, is_sequential=is_sequential, is_brief=is_brief)
        for pair in side_pairs(len(outcomes.design.lineup))
    ]
    adjusted = statistics.holm([pair.p for pair in pairs])
    return tuple(
        pair.make_result(p_holm, parts.get(pair.sides, ()))
        for pair, p_holm in zip(pairs, adjusted, strict=True)
    )


class _PairNumbers:
    """The numbers of one pair before its p-value is adjusted for the number of pairs."""

    def __init__(
        self, outcomes: Outcomes, sides: Pair, metric: Metric, *, is_sequential: bool, is_brief: bool
    ) -> None:
        self.sides = sides
        self._outcomes, self._metric, self._is_brief = outcomes, metric, is_brief
        self._columns = pair_columns(outcomes, sides, metric)
        self._differences = self._columns.differences
        self._bounds = difference_bounds(outcomes.design, sides, metric, self._columns)
        self._look: SequentialLook | None = (
            make_stopping_rule(outcomes.design).judge_differences(self._differences, self._bounds)
            if is_sequential
            else None
        )
        self.p = self._look.p if self._look else self._sign_flip_p()

    @property
    def _is_resampled(self) -> bool:
        pairs = len(side_pairs(len(self._outcomes.design.lineup)))
        return not self._is_brief and len(self._differences) * pairs <= MAX_RESAMPLED_BLOCKS

    def _sign_flip_p(self) -> float:
        is_reduced = self._is_brief or len(self._differences) > MANY_BLOCKS
        options = {"resamples": FEW_SIGN_PATTERNS} if is_reduced else {}
        return statistics.sign_flip(self._differences, seed=self._seed, **options).p

    @property
    def _seed(self) -> int:
        return self._outcomes.design.seed

    def make_result(self, p_holm: float, parts: tuple[PartDifference, ...]) -> PairResult:
        design, (a, b), values = self._outcomes.design, self._columns, self._differences
        means_a, means_b = a.mean(axis=1), b.mean(axis=1)
        blocks, spread = len(values), statistics.intervals.sample_sd(values)
        different = int(differing_blocks(self._outcomes, self.sides).sum())
        wins = pair_columns(self._outcomes, self.sides, METRICS["win"]).a.mean(axis=1)
        names = design.labels[self.sides[0]], design.labels[self.sides[1]]
        short = short_names(design.labels)
        interval = self._look.interval if self._look else self._fixed_interval()
        side_bounds = metric_bounds(self._metric, self._columns)
        win_share = statistics.share_interval(wins)
        detectable = statistics.detectable_difference(spread, blocks) if spread else None
        games = len(meeting_seatings(design.seatings, self.sides))
        findings = Findings(
            *names,
            interval,
            p_holm,
            blocks,
            games,
            different,
            win_share,
            detectable,
            design.contest.margin if self._metric.name == design.contest.metric else None,
            least_blocks=statistics.least_blocks(values),
            is_sequential=self._look is not None,
            decision=self._look.decision if self._look else "undecided",
            lowest_wins=design.rules.lowest_wins,
            metric=self._metric,
            name_a=short[names[0]],
            name_b=short[names[1]],
        )
        return PairResult(
            *names,
            self.sides,
            games,
            blocks,
            block_interval(means_a, side_bounds),
            block_interval(means_b, side_bounds),
            interval,
            self.p,
            p_holm,
            win_share,
            self._superiority_interval(a, b),
            statistics.wilson(different, blocks),
            statistics.correlation(means_a, means_b),
            statistics.variance_ratio(means_a, means_b),
            detectable,
            statistics.bca_interval(values, seed=self._seed) if self._is_resampled and spread else None,
            statistics.quantile_differences(a, b, seed=self._seed) if self._is_resampled else (),
            self._look.decision if self._look else None,
            parts,
            make_verdict(findings),
        )

    def _fixed_interval(self) -> Interval | None:
        """Return the interval of the difference for a number of blocks that was fixed in advance."""
        if self._metric.is_share and self._bounds != KNOWN_EQUAL:
            return share_change_interval(self._differences)
        return block_interval(self._differences, self._bounds)

    def _superiority_interval(self, a: Floats, b: Floats) -> Interval | None:
        is_less_better = self._outcomes.design.rules.lowest_wins and self._metric.follows_scores
        return statistics.superiority_probability(*((b, a) if is_less_better else (a, b)))


def part_differences(
    connection: duckdb.DuckDBPyConnection, outcomes: Outcomes
) -> dict[Pair, tuple[PartDifference, ...]]:
    """Return the difference of mean scores of every two strategies, divided into the parts of the score."""
    design = outcomes.design
    pairs = side_pairs(len(design.lineup))
    weights, scales = _list_seat_weights(design, pairs)
    sums = sum_parts(connection, design.rotations, weights)
    differences: dict[Pair, dict[str, PartDifference]] = {pair: {} for pair in pairs}
    for number, part, points, squares, cubes, blocks, low, high in sums:
        # Sums of whole numbers do not depend on the order in which the threads of DuckDB add them.
        deviations = (blocks * squares - points**2) / blocks
        third = (blocks**2 * cubes - 3 * blocks * points * squares + 2 * points**3) / blocks**3
        skew = third / (deviations / blocks) ** 1.5 if deviations else 0.0
        spread = math.sqrt(deviations / max(blocks - 1, 1)) / scales[number]
        mean = points / (blocks * scales[number])
        interval = statistics.mean_interval(mean, spread, blocks)
        if not spread and not is_same_strategy(design, pairs[number]):
            bounds = plausible_bounds(np.array([low, high]))
            interval = block_interval(np.full(blocks, mean), bounds.minus(bounds))
        if interval:
            differences[pairs[number]][part] = PartDifference(part, interval, least_blocks_for_skewness(skew))
    return {
        pair: tuple(parts[part] for part in design.game.parts if part in parts)
        for pair, parts in differences.items()
    }


def _list_seat_weights(design: ComparisonDesign, pairs: list[Pair]) -> tuple[list[SeatWeight], list[int]]:
    """Return the weights of the seats, and for each pair the number that its sums are divided by.

    The sum of weight * points over a block, divided by that number, is the mean score of the first strategy minus that of
    the second. Weights are whole numbers, so that sums that should be zero are exactly zero.
    """
    whole = math.lcm(*range(1, design.seats + 1))
    weights, scales = [], []
    for number, pair in enumerate(pairs):
        games = meeting_seatings(design.seatings, pair)
        scales.append(whole * len(games))
        for game in games:
            seating = design.seatings[game]
            for seat, side in enumerate(seating):
                if side in pair:
                    weight = whole // seating.count(side) * (1 if side == pair[0] else -1)
                    weights.append(SeatWeight(number, game, seat, weight))
    return weights, scales


def rank_strategies(pairs: tuple[PairResult, ...]) -> list[str]:
    """Return the strategies by the sum of their differences to all others, the best first."""
    total = dict.fromkeys((name for pair in pairs for name in (pair.a, pair.b)), 0.0)
    for pair in pairs:
        if pair.difference is not None:
            sign = -1 if is_less_better(pair.verdict.findings) else 1
            total[pair.a] += sign * pair.difference.estimate
            total[pair.b] -= sign * pair.difference.estimate
    return sorted(total, key=lambda name: -total[name])
