"""The distributions of scores or of the points of one part, by ruleset and strategy, and how their means compare."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from pipelines.questions.measured import Measured
from pipelines.questions.scores import rollup_sums
from pipelines.questions.scores.question import Comparison
from pipelines.questions.scores.rollup_sums import ScoreGroup, difference_of_means, read_strategy_blocks
from pipelines.questions.scores.scope import can_compare_strategies
from pipelines.statistics import Distribution, Interval, mean_interval
from pipelines.statistics.intervals import block_sums_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class GroupScores:
    """The scores of one strategy under one ruleset, of all its seats or of one."""

    ruleset: str
    """The label of the ruleset."""
    sha256: str
    strategy: str
    name: str
    """The short name of the strategy."""
    scores: Distribution
    mean: Measured
    units: int
    """What intervals count that do not know which results share a block."""
    seat: int | None = None

    @property
    def full_name(self) -> str:
        """The short name of the strategy, with the player if it is about one seat. People count players from 1."""
        return self.name if self.seat is None else f"{self.name}, player {self.seat + 1}"

    @property
    def blocks(self) -> int:
        return self.mean.n

    @property
    def estimate(self) -> float:
        return self.mean.interval.estimate if self.mean.interval else self.scores.mean


class MeansComparison(NamedTuple):
    """One mean and others beside it: of the same strategy under other rulesets, or of the next strategy of the same runs."""

    base: GroupScores
    others: tuple[tuple[GroupScores, Interval], ...]
    """With the difference: of rulesets, the other minus the base; of strategies, the base minus the other."""
    is_of_rulesets: bool


def list_comparisons(scope: ScoresScope) -> list[Comparison]:
    """Return what can share a panel; the first one is the default."""
    ways: tuple[Comparison, ...] = get_args(Comparison)
    return [way for way in ways if way and (way != "Rulesets" or len(scope.rulesets) > 1)]


def find_comparison(question: ScoresQuestion, scope: ScoresScope) -> Comparison:
    """Return what shares a panel: what the question asks for if the rulesets allow it, else the default."""
    ways = list_comparisons(scope)
    return question.compared if question.compared in ways else ways[0]


def find_part(question: ScoresQuestion, scope: ScoresScope) -> str:
    """Return the name of the part of the score that is asked; empty for the whole score."""
    return next((name for name, title in scope.part_titles.items() if title == question.part), "")


def read_score_groups(
    scope: ScoresScope, source: QuestionSource, part: str = "", *, by_seat: bool = False
) -> tuple[GroupScores, ...]:
    """Return the scores of each ruleset and strategy, or the points of a part; also of each seat if wanted.

    Where the counts do not cover whole blocks (of some seats, or of a part), the interval counts each block as one result
    (`CountedBlocks.count_units`), which is never too narrow.
    """
    if part:
        counts = source.query(rollup_sums.part_counts, scope.runs, scope.hashes, part)
    else:
        counts = source.query(
            rollup_sums.score_counts, scope.runs, scope.hashes, scope.seats, by_seat=by_seat
        )
    blocks_held = read_strategy_blocks(scope, source)
    labels, wanted = scope.labels, [row for row in counts if row.strategy in scope.names]
    groups = []
    for (sha256, strategy, seat), rows in groupby(wanted, lambda row: (row.sha256, row.strategy, row.seat)):
        columns = np.array([(row.score, row.results) for row in rows], dtype=np.int64)
        scores = Distribution(columns[:, 0], columns[:, 1])
        own = blocks_held[sha256, strategy]
        units = own.count_units(scores.n)
        is_whole = not (part or scope.seats or by_seat)
        mean = block_sums_mean(own.sums) if is_whole else mean_interval(scores.mean, scores.sd, units)
        measured = Measured(mean, min(own.blocks, scores.n), "block")
        name = scope.names[strategy]
        groups.append(GroupScores(labels[sha256], sha256, strategy, name, scores, measured, units, seat))
    order = list(labels)
    return tuple(sorted(groups, key=lambda one: (order.index(one.sha256), one.strategy, one.seat or 0)))


def compare_means(scope: ScoresScope, source: QuestionSource, part: str = "") -> MeansComparison | None:
    """Compare means: between the rulesets if there are several, else those of the best two strategies; None if unfair."""
    if not scope.is_comparable:
        return None
    groups = read_score_groups(scope, source, part)
    is_of_rulesets = len(scope.rulesets) > 1
    if is_of_rulesets:
        chosen = choose_compared(groups)
    else:
        chosen = choose_best(groups, scope.runs, lowest_wins=scope.rulesets[0].lowest_wins and not part)
    if not chosen:
        return None
    base, *others = chosen
    differences = []
    for one in others:
        pair = (one, base) if is_of_rulesets else (base, one)
        differences.append((one, _measure_difference(scope, source, *pair, is_paired=not part)))
    return MeansComparison(base, tuple(differences), is_of_rulesets)


def choose_compared(groups: Sequence[GroupScores]) -> list[GroupScores]:
    """Return the groups of the strategy whose rulesets are compared, in their order; none if no strategy played everywhere.

    The strategy is the one with the highest mean of those that played under every ruleset.
    """
    by_strategy: dict[str, list[GroupScores]] = {}
    measured = [one for one in groups if one.mean.has_interval]
    for one in measured:
        by_strategy.setdefault(one.strategy, []).append(one)
    rulesets = dict.fromkeys(one.ruleset for one in measured)
    everywhere = [held for held in by_strategy.values() if len(held) == len(rulesets)]
    if len(rulesets) < 2 or not everywhere:
        return []
    return max(everywhere, key=lambda held: max(one.estimate for one in held))


def choose_best(
    groups: Sequence[GroupScores], runs: Sequence[Run], *, lowest_wins: bool
) -> list[GroupScores]:
    """Return the best group, and the best one of the other strategies if they can be compared."""
    sign = 1 if lowest_wins else -1
    measured = sorted((one for one in groups if one.mean.has_interval), key=lambda one: sign * one.estimate)
    best, others = measured[:1], measured[1:]
    return best + (others[:1] if can_compare_strategies(runs) else [])


def _measure_difference(
    scope: ScoresScope, source: QuestionSource, a: GroupScores, b: GroupScores, *, is_paired: bool
) -> Interval:
    """Return the mean of a minus that of b: paired by luck if wanted and if there are enough blocks.

    A run has no block sums of parts, so for these the half widths of both means add up.
    """
    keys = (ScoreGroup(a.sha256, a.strategy), ScoreGroup(b.sha256, b.strategy))
    found = source.query(difference_of_means, scope.runs, *keys, scope.seats) if is_paired else None
    return found or add_half_widths(a.mean.interval, b.mean.interval)


def add_half_widths(a: Interval | None, b: Interval | None) -> Interval:
    """Return the difference a - b of two means, with an interval that holds however the two depend on each other.

    Runs may share their luck. The standard deviation of a difference is at most the sum of both, so the half widths add up.

    >>> add_half_widths(Interval(5.0, 4.0, 6.0), Interval(3.0, 2.5, 3.5))
    Interval(estimate=2.0, low=0.5, high=3.5)
    """
    if a is None or b is None:
        raise ValueError("a mean without an interval has no difference")
    half, estimate = a.half_width + b.half_width, a.estimate - b.estimate
    return Interval(estimate, estimate - half, estimate + half)
