"""The results of two strategies of a comparison: their difference with its uncertainty, and a verdict that claims no more.

The verdict on two strategies, which claims no more than the numbers allow.
It names a winner only if both the interval and the p-value exclude zero, it says "equal" only within a margin that was chosen
before playing, and otherwise it is open. `pipelines.report.verdicts` says it in a sentence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from pipelines import statistics
from pipelines.design.lineups import Pair, meeting_seatings, side_pairs
from pipelines.design.metrics import DEFAULT_METRIC, METRICS, Metric
from pipelines.design.short_names import short_names
from pipelines.runs.game_queries import SeatWeight, sum_parts
from pipelines.runs.outcomes import (
    Outcomes,
    difference_bounds,
    differing_blocks,
    is_same_strategy,
    metric_bounds,
    pair_columns,
)
from pipelines.simulate.simulate import make_stopping_rule
from pipelines.statistics import Interval, QuantileDifference, SequentialLook, bounded_means
from pipelines.statistics.planning import MIN_BLOCKS, allow_for_skewness, least_blocks_for_skewness

if TYPE_CHECKING:
    import duckdb

    from pipelines.design.designs import ComparisonDesign
    from pipelines.statistics.intervals import Floats
    from pipelines.statistics.sequential import StopDecision

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


@dataclass(frozen=True, kw_only=True)
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
            a=names[0],
            b=names[1],
            difference=interval,
            p=p_holm,
            blocks=blocks,
            games_per_block=games,
            differing=different,
            win_share=win_share,
            detectable=detectable,
            margin=design.contest.margin if self._metric.name == design.contest.metric else None,
            least_blocks=statistics.least_blocks(values),
            is_sequential=self._look is not None,
            decision=self._look.decision if self._look else "undecided",
            lowest_wins=design.rules.lowest_wins,
            metric=self._metric,
            name_a=short[names[0]],
            name_b=short[names[1]],
        )
        return PairResult(
            a=names[0],
            b=names[1],
            sides=self.sides,
            games_per_block=games,
            blocks=blocks,
            mean_a=bounded_means.block_interval(means_a, side_bounds),
            mean_b=bounded_means.block_interval(means_b, side_bounds),
            difference=interval,
            p=self.p,
            p_holm=p_holm,
            win_share=win_share,
            better=self._superiority_interval(a, b),
            differing=statistics.wilson(different, blocks),
            correlation=statistics.correlation(means_a, means_b),
            variance_ratio=statistics.variance_ratio(means_a, means_b),
            detectable=detectable,
            bootstrap=(
                statistics.bca_interval(values, seed=self._seed) if self._is_resampled and spread else None
            ),
            quantiles=statistics.quantile_differences(a, b, seed=self._seed) if self._is_resampled else (),
            decision=self._look.decision if self._look else None,
            parts=parts,
            verdict=make_verdict(findings),
        )

    def _fixed_interval(self) -> Interval | None:
        """Return the interval of the difference for a number of blocks that was fixed in advance."""
        if self._metric.is_share and self._bounds != bounded_means.KNOWN_EQUAL:
            return bounded_means.share_change_interval(self._differences)
        return bounded_means.block_interval(self._differences, self._bounds)

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
            bounds = bounded_means.plausible_bounds(np.array([low, high]))
            interval = bounded_means.block_interval(np.full(blocks, mean), bounds.minus(bounds))
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


VerdictKind: TypeAlias = Literal["more", "fewer", "equal", "identical", "undecided", "too few blocks"]


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What is known about the difference A - B; numbers are in the unit of the metric, win shares between 0 and 1."""

    a: str
    b: str
    difference: Interval | None
    """None for fewer than two blocks."""
    p: float
    """p-value of the sign-flip test; in sequential play the p-value that is valid at every look."""
    blocks: int
    games_per_block: int
    differing: int
    """Number of blocks in which A and B differed in at least one game."""
    win_share: Interval | None = None
    """A's share of the wins; ties are split."""
    detectable: float | None = None
    """Smallest true difference that this number of blocks detects with probability 0.8."""
    margin: float | None = None
    """Differences up to this size count as equal; chosen before playing."""
    least_blocks: int = MIN_BLOCKS
    """Number of blocks from which the interval is reliable (`statistics.least_blocks`)."""
    is_sequential: bool = False
    """True if the results decided when to stop playing; interval and p-value are then valid at every look, under the
    condition that `pipelines.statistics.sequential` states."""
    lowest_wins: bool = False
    """True if the lowest score wins the game."""
    metric: Metric = METRICS[DEFAULT_METRIC]
    level: float = 0.95
    decision: StopDecision = "undecided"
    """The decision of the stopping rule. In sequential play it is the verdict: the rule has its own allowance for skewed
    differences and for few blocks that differ."""
    name_a: str = ""
    """What sentences call A, such as its short name; empty if they use `a`."""
    name_b: str = ""
    """What sentences call B."""

    @property
    def names(self) -> tuple[str, str]:
        """What sentences call A and B."""
        return self.name_a or self.a, self.name_b or self.b


@dataclass(frozen=True)
class Verdict:
    """The result of comparing A with B."""

    kind: VerdictKind
    """`more` and `fewer` give the sign of A - B; the field `better` says who is better."""
    better: str | None
    """The strategy that is better, if that is clear and the difference is not within the margin."""
    findings: Findings


def make_verdict(findings: Findings) -> Verdict:
    """Return the verdict that the findings allow.

    Raises ValueError for numbers that are not finite or contradict each other.

    >>> from pipelines.statistics.intervals import Interval
    >>> played = dict(blocks=400, games_per_block=3, differing=398)
    >>> difference = Interval(6.1, 5.2, 7.0)
    >>> make_verdict(Findings(a="planner", b="greedy", difference=difference, p=0.0001, **played)).better
    'planner'
    """
    _check_findings(findings)
    kind = _verdict_kind(findings)
    better = None
    if kind in {"more", "fewer"} and not _is_within_margin(findings):
        better = findings.a if (kind == "more") != is_less_better(findings) else findings.b
    return Verdict(kind, better, findings)


def _verdict_kind(findings: Findings) -> VerdictKind:
    if findings.blocks < MIN_BLOCKS or findings.difference is None:
        return "too few blocks"
    if not findings.differing:
        return "identical"
    if findings.is_sequential:
        return findings.decision
    _, low, high = allow_for_skewness(findings.difference, findings.blocks, findings.least_blocks)
    if (low > 0 or high < 0) and findings.p <= 1 - findings.level:
        return "more" if low > 0 else "fewer"
    if findings.margin is not None and -findings.margin <= low and high <= findings.margin:
        return "equal"
    return "undecided"


def _is_within_margin(findings: Findings) -> bool:
    if findings.margin is None or findings.difference is None:
        return False
    return -findings.margin <= findings.difference.low and findings.difference.high <= findings.margin


def is_less_better(findings: Findings) -> bool:
    """Return whether the smaller value of the metric is the better one."""
    return findings.lowest_wins and findings.metric.follows_scores


def _check_findings(findings: Findings) -> None:
    if findings.difference is not None:
        _check_interval("difference", findings.difference)
    if findings.win_share is not None:
        _check_interval("win share", findings.win_share)
        if not 0 <= findings.win_share.low <= findings.win_share.high <= 1:
            raise ValueError(f"A win share must be between 0 and 1, not {tuple(findings.win_share)}.")
    if not 0 <= findings.p <= 1 or not 0 < findings.level < 1:
        raise ValueError(
            f"The p-value and the level must be between 0 and 1, not {findings.p} and {findings.level}."
        )
    if findings.margin is not None and not 0 < findings.margin < math.inf:
        raise ValueError(f"The margin of equality must be a positive number, not {findings.margin}.")
    if findings.detectable is not None and not 0 <= findings.detectable < math.inf:
        raise ValueError(f"The detectable difference must be a finite number, not {findings.detectable}.")
    if not 0 <= findings.differing <= findings.blocks or findings.games_per_block < 1:
        raise ValueError(f"{findings.differing} of {findings.blocks} blocks cannot differ.")
    _check_decision(findings)
    if not findings.differing and findings.difference is not None and findings.difference.estimate:
        raise ValueError("If no block differs, the difference must be zero.")


def _check_decision(findings: Findings) -> None:
    """Raise ValueError if the decision of the stopping rule contradicts the interval."""
    low, high = findings.difference[1:] if findings.difference else (0.0, 0.0)
    agrees = {"more": low > 0, "fewer": high < 0, "equal": _is_within_margin(findings), "undecided": True}
    if findings.is_sequential and not agrees[findings.decision]:
        raise ValueError(f"The decision {findings.decision!r} contradicts the interval {low} to {high}.")


def _check_interval(name: str, interval: Interval) -> None:
    if not all(math.isfinite(value) for value in interval):
        raise ValueError(f"The {name} is not finite: {tuple(interval)}.")
    if not interval.low <= interval.estimate <= interval.high:
        raise ValueError(f"The {name} lies outside its own interval: {tuple(interval)}.")
