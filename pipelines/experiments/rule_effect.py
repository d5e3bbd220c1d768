"""What rules change: the same blocks under every combination of their values, and what the values do.

Everything is a contrast: a weighted sum of the results of the rulesets, block by block, whose interval counts blocks. The
weights of effects and of pairs come from a full factorial plan (Box, Hunter and Hunter, Statistics for Experimenters, 2nd edition,
chapter 5). Contrasts that stand together have intervals that hold for all of them at once (Bonferroni), and what is said to be clear
is what these intervals show: sentences, tables and pictures have the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from engine.errors import InvalidError
from pipelines.design.rule_values import RuleValue, VariedRule, list_varied_rulesets
from pipelines.experiments.rule_games import RulesetResults, design_rulesets, play_rulesets
from pipelines.statistics import bounded_means, least_blocks, share_interval, wilson
from pipelines.statistics.intervals import Floats, Interval, hold_for_all, sample_sd

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

MeasureKind: TypeAlias = Literal["score", "wins", "lead", "rounds", "moves", "player wins", "seat effect"]
Judgement: TypeAlias = Literal["surely", "perhaps", "surely not", ""]
CLEAR: Final = 0.05
"""The largest p-value of what is said to be so."""
LINE_TOLERANCE: Final = 0.05
"""A line is said to be straight if no mean lies farther from it than this share of the range of the means, however clear it is."""


class RuleMeasure(NamedTuple):
    """A number that every ruleset has, by block."""

    kind: MeasureKind
    of: str = ""
    """The strategy, or the number of the seat."""
    over: str = ""
    """The strategy over which another one leads; a lead is positive if that one is better, also where the lowest score wins."""

    @property
    def seat(self) -> int | None:
        """The seat that it is about, None if it is about none."""
        return int(self.of) if self.kind in {"player wins", "seat effect"} else None

    @property
    def is_share(self) -> bool:
        return self.kind in {"wins", "player wins"}

    @property
    def scale(self) -> float:
        """The factor by which the number is shown: shares are numbers of 100 games."""
        return 100.0 if self.is_share else 1.0

    @property
    def unit(self) -> str:
        return "win share" if self.is_share else self.kind if self.kind in {"rounds", "moves"} else "points"

    def as_json(self) -> dict[str, str | int | None]:
        """Return what is measured, whose number it is, and its unit."""
        who = None if self.seat is not None else self.of or None
        return {
            "kind": self.kind,
            "strategy": who,
            "over": self.over or None,
            "seat": self.seat,
            "unit": self.unit,
        }

    def block_values(self, results: RulesetResults) -> Floats:
        """Return the mean of each block, shape (blocks,)."""
        if self.kind == "score":
            return results.mean_scores(self.of)
        if self.kind == "wins":
            return results.mean_win_shares(self.of)
        if self.kind == "lead":
            sign = -1 if results.design.rules.lowest_wins else 1
            return sign * (results.mean_scores(self.of) - results.mean_scores(self.over))
        if self.kind == "player wins":
            wins: Floats = results.wins[:, :, int(self.of)].mean(axis=1)
            return wins
        if self.kind == "seat effect":
            return results.seat_edge(int(self.of))
        lengths: Floats = (results.rounds if self.kind == "rounds" else results.plies).mean(axis=1)
        return lengths


ROUNDS: Final = RuleMeasure("rounds")


class Slope(NamedTuple):
    """How a mean grows with the number of a rule: a straight line, or two that meet at a value.

    The slope of a line is the difference of the means at its ends, for 1 more, so a table of the means has the same one.
    """

    kink: int | None
    """Where the lines meet; None for one line."""
    left: Interval
    """The change of the mean for 1 more; before the kink if there is one."""
    right: Interval | None


class RuleChange(NamedTuple):
    """What another value of a rule changes, a mean over all values of the other rules; or what two of them change together.

    The effect of a pair is what it changes beyond the sum of both.
    """

    rules: tuple[VariedRule, ...]
    values: tuple[RuleValue, ...]
    measure: RuleMeasure
    interval: Interval | None
    """It holds for all effects or pairs of the answer at once; of a single rule, for all its values."""

    @property
    def is_clear(self) -> bool:
        return excludes_zero(self.interval)


@dataclass(frozen=True)
class Target:
    """What a number should be, such as 45 to 55 wins of 100 of player 1."""

    measure: RuleMeasure
    low: float
    high: float

    def judge(self, interval: Interval | None, count: int) -> Judgement:
        """Return whether a value meets the target; the interval is widened so that all `count` judgements hold together."""
        if interval is None:
            return ""
        wide = hold_for_all(interval.times(self.measure.scale), count)
        if self.low <= wide.low and wide.high <= self.high:
            return "surely"
        return "surely not" if wide.high < self.low or self.high < wide.low else "perhaps"


@dataclass(frozen=True)
class RulesEffect:
    """The results so far of every combination of the values of one or more rules."""

    rules: tuple[VariedRule, ...]
    results: tuple[RulesetResults, ...]
    """Of each combination, the values of the last rule changing first."""

    @property
    def base(self) -> RulesetResults:
        """The results of the ruleset itself."""
        return self.results[self.base_place]

    @property
    def blocks(self) -> int:
        return self.base.blocks

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.base.design.lineup))

    @cached_property
    def settings(self) -> tuple[tuple[RuleValue, ...], ...]:
        """The values of each combination, one for each rule."""
        return tuple(product(*(rule.values for rule in self.rules)))

    @property
    def base_place(self) -> int:
        """Which combination is the ruleset itself."""
        return find_base_place(self.rules)

    @cached_property
    def measures(self) -> tuple[RuleMeasure, ...]:
        """All that is measured."""
        seats = [str(seat) for seat in range(self.base.design.seats)]
        return (
            *(RuleMeasure("score", name) for name in self.strategies),
            *(RuleMeasure("wins", name) for name in self.strategies if len(self.strategies) > 1),
            *(RuleMeasure("lead", *pair) for pair in combinations(self.strategies, 2)),
            ROUNDS,
            RuleMeasure("moves"),
            *(RuleMeasure("player wins", seat) for seat in seats),
            *(RuleMeasure("seat effect", seat) for seat in seats),
        )

    @property
    def main_measures(self) -> tuple[RuleMeasure, ...]:
        """What the picture shows: scores, wins, the length, and player 1."""
        measures = [measure for measure in self.measures if measure.kind in {"score", "wins", "rounds"}]
        return (*measures, RuleMeasure("player wins", "0"))

    @property
    def changes_games(self) -> bool:
        """Whether any game ends otherwise than under the ruleset itself."""
        return not all(results.ends_as(self.base) for results in self.results)

    def bound_changed_blocks(self) -> Interval:
        """Return the share of blocks that may change although none did."""
        return bounded_means.simple_interval(np.zeros(self.blocks), bounded_means.SHARE_BOUNDS) or wilson(
            0, self.blocks
        )

    def moved_share(self, place: int) -> Interval:
        """Return the share of games of a combination in which a move differs, not only what is counted at the end."""
        if place == self.base_place:
            return Interval(0.0, 0.0, 0.0)
        moved = (self.results[place].first_changes >= 0).mean(axis=1)
        return bounded_means.simple_interval(moved, bounded_means.SHARE_BOUNDS) or wilson(
            float(moved.sum()), self.blocks
        )

    def list_means(self, measure: RuleMeasure) -> list[Interval | None]:
        """Return a number under each combination; None for fewer than two blocks."""
        rows = self._block_values(measure)
        if measure.is_share:
            return [share_interval(row) for row in rows]
        bounds = bounded_means.plausible_bounds(rows)
        return [bounded_means.block_interval(row, bounds) for row in rows]

    def list_differences(self, measure: RuleMeasure) -> list[Interval | None]:
        """Return how a number differs under each combination from the ruleset itself, with the same luck.

        The intervals hold for all combinations at once, and that of the ruleset itself is exactly 0. They are None where there are
        too few blocks.
        """
        return [
            self._contrast(measure, row, len(self.results) - 1)
            for row in np.eye(len(self.results)) - np.eye(len(self.results))[self.base_place]
        ]

    def find_leader(self, measure: RuleMeasure, place: int) -> int:
        """Return 1 or -1 if a lead is clearly positive or negative under a combination, 0 if that is not clear."""
        values, mean = self._block_values(measure)[place], self.list_means(measure)[place]
        if mean is None or len(values) < least_blocks(values) or not excludes_zero(mean):
            return 0
        return 1 if mean.estimate > 0 else -1

    def is_equal_within(self, measure: RuleMeasure, margin: float) -> bool:
        """Return whether the means of all combinations lie within `margin` of that of the ruleset itself."""
        differences = self.list_differences(measure)
        return all(
            interval and max(abs(interval.low), abs(interval.high)) <= margin for interval in differences
        )

    def has_enough_blocks(self, measure: RuleMeasure) -> bool:
        """Return whether there are enough blocks for reliable intervals of all differences."""
        return None not in self.list_differences(measure)

    def find_slope(self, measure: RuleMeasure) -> Slope | None:
        """Return how a mean grows with the numbers of the only rule; None if they do not lie on a line or on two, or are words.

        The place of a kink is chosen from the data, so its intervals hold for all places together.
        """
        rule = self.rules[0]
        if len(self.rules) > 1 or not rule.is_number or len(rule.values) < 3:
            return None
        numbers = np.array(rule.values, np.float64)
        line, steps = np.stack([np.ones_like(numbers), numbers], axis=1), np.eye(len(numbers))

        def find_step(first: int, last: int) -> Floats:
            weights: Floats = (steps[last] - steps[first]) / (numbers[last] - numbers[first])
            return weights

        last = len(numbers) - 1
        if self._fits(measure, line):
            slope = self._contrast(measure, find_step(0, last))
            return slope and Slope(None, slope, None)
        inner = range(1, last)
        bent = [np.column_stack([line, np.maximum(numbers - numbers[place], 0)]) for place in inner]
        means = self._block_values(measure).mean(axis=1)
        distances = [np.abs(means - design @ np.linalg.pinv(design) @ means).sum() for design in bent]
        best = int(np.argmin(distances))
        before, after = find_step(0, inner[best]), find_step(inner[best], last)
        if len(numbers) < 4 or not self._fits(measure, bent[best]):
            return None
        if not excludes_zero(self._contrast(measure, after - before, len(inner))):
            return None
        left, right = (self._contrast(measure, weights, len(inner)) for weights in (before, after))
        return Slope(int(numbers[inner[best]]), left, right) if left and right else None

    @cached_property
    def rule_changes(self) -> tuple[RuleChange, ...]:
        """What each other value of each rule changes in each main measure."""
        return self._list_rule_changes([(number,) for number in range(len(self.rules))])

    @cached_property
    def pair_changes(self) -> tuple[RuleChange, ...]:
        """What each two rules change together beyond the sum of both, in each main measure."""
        return self._list_rule_changes(list(combinations(range(len(self.rules)), 2)))

    def list_rule_changes(self, measure: RuleMeasure) -> list[RuleChange]:
        """Return what each other value of each rule changes in a main measure."""
        return [change for change in self.rule_changes if change.measure == measure]

    def judge_target(self, target: Target) -> list[Judgement]:
        """Return whether each combination meets a target."""
        means = self.list_means(target.measure)
        return [target.judge(mean, len(means)) for mean in means]

    def _list_rule_changes(self, groups: Sequence[tuple[int, ...]]) -> tuple[RuleChange, ...]:
        changes = [
            (group, values, measure)
            for group in groups
            for values in product(
                *([value for value in rule.values if value != rule.base_value] for rule in self._pick(group))
            )
            for measure in self.main_measures
        ]
        count = len(changes) if len(self.rules) > 1 else len(self.results) - 1
        return tuple(
            RuleChange(
                self._pick(group), values, measure, self._contrast(measure, self._weigh(group, values), count)
            )
            for group, values, measure in changes
        )

    def _pick(self, group: tuple[int, ...]) -> tuple[VariedRule, ...]:
        return tuple(self.rules[number] for number in group)

    def _weigh(self, group: tuple[int, ...], values: tuple[RuleValue, ...]) -> Floats:
        """Return the weights of all combinations in the effect of values of some rules, a mean over the other rules."""
        weights = np.ones(len(self.settings))
        for number, rule in enumerate(self.rules):
            column = [setting[number] for setting in self.settings]
            if number in group:
                value = values[group.index(number)]
                weights *= [(at == value) - (at == rule.base_value) for at in column]
            else:
                weights /= len(rule.values)
        return weights

    def _contrast(self, measure: RuleMeasure, weights: Floats, count: int = 1) -> Interval | None:
        """Return a weighted sum of the means of all combinations, whose weights add up to zero.

        The interval holds for `count` of them at once. It contains 0 unless a test says, too, that the sum is not zero. It is None if
        there are too few blocks for values as skewed as these.
        """
        rows = self._block_values(measure)
        values, reach = weights @ rows, float(np.abs(weights).sum()) / 2
        values[np.abs(values) < 1e-9 * max(1.0, float(np.abs(rows).max()))] = 0.0
        if not reach:
            return bounded_means.block_interval(values, bounded_means.KNOWN_EQUAL)
        if measure.is_share:
            share = bounded_means.share_change_interval(np.clip(values / reach, -1, 1))
            interval = share and share.times(reach)
        else:
            bounds = bounded_means.plausible_bounds(rows)
            span = (bounds.high - bounds.low) * reach
            interval = bounded_means.block_interval(values, bounded_means.ValueBounds(-span, span))
        if interval is None or self.blocks < least_blocks(values):
            return None
        estimate, low, high = hold_for_all(interval, count)
        if _test_zero(values) * count > CLEAR:
            low, high = min(low, 0.0), max(high, 0.0)
        return Interval(estimate, low, high)

    def _fits(self, measure: RuleMeasure, design: Floats) -> bool:
        """Return whether means lie on a curve, shape (values, coefficients): no distance from it is clear, or all are small."""
        away = np.eye(len(design)) - design @ np.linalg.pinv(design)
        means = self._block_values(measure).mean(axis=1)
        if np.abs(away @ means).max() <= LINE_TOLERANCE * np.ptp(means):
            return True
        return not any(excludes_zero(self._contrast(measure, row, len(away))) for row in away)

    def _block_values(self, measure: RuleMeasure) -> Floats:
        """Return a number under each combination, shape (combinations, blocks)."""
        if measure not in self._known_values:
            self._known_values[measure] = np.stack(
                [measure.block_values(results) for results in self.results]
            )
        return self._known_values[measure]

    @cached_property
    def _known_values(self) -> dict[RuleMeasure, Floats]:
        return {}

    def as_json(self, target: Target | None = None) -> dict[str, Any]:
        """Return the results as JSON data, with whether each setting meets a target."""
        design, judgements = self.base.design, self.judge_target(target) if target else None
        keys = [rule.key for rule in self.rules]
        places = [dict(zip(keys, setting, strict=True)) for setting in self.settings]
        return {
            "ruleset": design.rules.name,
            "sha256": design.rules.sha256,
            "means": [
                {
                    **place,
                    **measure.as_json(),
                    "mean": mean and mean._asdict(),
                    "difference": difference and difference._asdict(),
                }
                for measure in self.measures
                for place, mean, difference in zip(
                    places, self.list_means(measure), self.list_differences(measure), strict=True
                )
            ],
            "settings": [
                {**place, "moved": self.moved_share(number)._asdict(), "first_change": results.median_change}
                | ({"meets_target": judgements[number]} if judgements else {})
                for number, (place, results) in enumerate(zip(places, self.results, strict=True))
            ],
            "rules": {
                rule.key: {"values": list(rule.values), "base_value": rule.base_value} for rule in self.rules
            },
            "lineup": list(design.lineup),
            "opening": design.opening,
            "seed": design.seed,
            "blocks": self.blocks,
            "games_per_block": design.rotations,
            "effects": [_json_rule_change(change) for change in self.rule_changes],
            "pairs": [_json_rule_change(change) for change in self.pair_changes],
        }


def find_base_place(rules: Sequence[VariedRule]) -> int:
    """Return which of all combinations of the values of some rules has their own values."""
    return [*product(*(rule.values for rule in rules))].index(tuple(rule.base_value for rule in rules))


def play_rules_effect(  # noqa: PLR0913 - what makes an experiment, all named
    ruleset: Ruleset,
    rules: Sequence[VariedRule],
    rulesets: Mapping[str, Ruleset],
    lineup: Sequence[str],
    *,
    blocks: int,
    seed: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[RulesEffect]:
    """Play the same blocks under all combinations of values; yield the results after the first blocks, then several times a second.

    `rulesets` are those that are played, or whose tables are taken. Raises InvalidError for values that the game does not allow, for
    too many of them, and for an invalid line-up or number of blocks.
    """
    if not rules:
        raise InvalidError(f"{ruleset.name} has no rule with two values to compare")
    varied = list_varied_rulesets(ruleset, rules, rulesets)
    designs = design_rulesets(varied, lineup, blocks, seed)
    return (
        RulesEffect(tuple(rules), tuple(results))
        for results, _ in play_rulesets(designs, find_base_place(rules), stopped)
    )


def _test_zero(values: Floats) -> float:
    """Return the p-value of the test that a mean of blocks is zero: Student's, but never less than that of the signs.

    Few blocks that are not zero show nothing, however equal they are: k of them have the same sign in one of 2^(k-1) cases.
    """
    others, n = int(np.count_nonzero(values)), len(values)
    if not others:
        return 1.0
    least = 2.0 ** (1 - min(others, 1000))
    spread = sample_sd(values)
    if not spread:
        return least
    from scipy.special import stdtr  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    return max(least, 2 * float(stdtr(n - 1, -abs(float(values.mean())) / (spread / math.sqrt(n)))))


def excludes_zero(interval: Interval | None) -> bool:
    """Return whether an interval shows that a number is not zero."""
    return interval is not None and not interval.low <= 0 <= interval.high


def _json_rule_change(change: RuleChange) -> dict[str, Any]:
    return {
        "rules": [rule.key for rule in change.rules],
        "values": list(change.values),
        **change.measure.as_json(),
        "change": change.interval and change.interval._asdict(),
    }
