"""What rules change that are turned: the same blocks under every combination of their values, and what the values do.

Everything is a contrast: a weighted sum of the results of the rulesets, block by block, whose interval counts blocks. The
weights of a slope and of a kink come from least squares, those of effects and of pairs from a full factorial plan
(Box, Hunter and Hunter, Statistics for Experimenters, 2nd edition, chapter 5).
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
from pipelines.experiments.rule_effect import (
    PairOrder,
    QuantityChange,
    RulesEffect,
    RulesetResults,
    play_rules_effects,
)
from pipelines.statistics import equivalence_p_value, holm, least_blocks
from pipelines.statistics.bounded_means import (
    KNOWN_EQUAL,
    ValueBounds,
    block_interval,
    plausible_bounds,
    share_change_interval,
)
from pipelines.statistics.intervals import Interval, hold_for_all, sample_sd

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.statistics.intervals import Floats

MeasureKind: TypeAlias = Literal["score", "wins", "rounds", "moves", "player wins", "edge"]
CLEAR: Final = 0.05
"""The largest adjusted p-value of what is said to be so."""
LINE_TOLERANCE: Final = 0.05
"""A line is said to be straight if no mean lies farther from it than this share of the range of the means, however clear it is."""


class DialMeasure(NamedTuple):
    """A number that every ruleset has, by block."""

    kind: MeasureKind
    of: str = ""
    """The strategy, or the number of the seat."""

    @property
    def is_share(self) -> bool:
        return self.kind in {"wins", "player wins"}

    @property
    def scale(self) -> float:
        """The factor by which the number is shown: shares are numbers of 100 games."""
        return 100.0 if self.is_share else 1.0

    def block_values(self, results: RulesetResults) -> Floats:
        """Return the mean of each block, shape (blocks,)."""
        if self.kind == "score":
            return results.mean_scores(self.of)
        if self.kind == "wins":
            return results.mean_win_shares(self.of)
        if self.kind == "player wins":
            wins: Floats = results.wins[:, :, int(self.of)].mean(axis=1)
            return wins
        if self.kind == "edge":
            return results.seat_edge(int(self.of))
        lengths: Floats = (results.rounds if self.kind == "rounds" else results.plies).mean(axis=1)
        return lengths


class Contrast(NamedTuple):
    """A weighted sum of means; the interval counts blocks and is None for fewer than two."""

    interval: Interval | None
    p: float
    """Of the test that it is zero; two-sided, not adjusted."""


class Slope(NamedTuple):
    """How a mean grows with the number of a rule: a straight line, or two that meet at a value."""

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
    measure: DialMeasure
    interval: Interval | None
    p: float
    """Adjusted for the number of all effects or pairs of the answer (Holm)."""

    @property
    def is_clear(self) -> bool:
        return (
            self.p <= CLEAR and self.interval is not None and not self.interval.low <= 0 <= self.interval.high
        )


@dataclass(frozen=True)
class Target:
    """What a number should be, such as 45 to 55 wins of 100 of player 1."""

    measure: DialMeasure
    low: float
    high: float

    def judge(self, interval: Interval | None, count: int) -> Literal["surely", "perhaps", "surely not", ""]:
        """Return whether a value meets the target; the interval is widened so that all `count` judgements hold together."""
        if interval is None:
            return ""
        wide = hold_for_all(interval.times(self.measure.scale), count)
        if self.low <= wide.low and wide.high <= self.high:
            return "surely"
        return "surely not" if wide.high < self.low or self.high < wide.low else "perhaps"


@dataclass(frozen=True)
class RulesDial:
    """The results so far of every combination of the values of one or more rules."""

    rules: tuple[VariedRule, ...]
    effects: tuple[RulesEffect, ...]
    """Of each combination compared with the ruleset itself, the values of the last rule changing first."""

    @property
    def base(self) -> RulesetResults:
        return self.effects[0].a

    @property
    def blocks(self) -> int:
        return self.base.blocks

    @property
    def is_over(self) -> bool:
        return self.effects[0].is_over

    @property
    def strategies(self) -> tuple[str, ...]:
        return self.effects[0].strategies

    @cached_property
    def settings(self) -> tuple[tuple[RuleValue, ...], ...]:
        """The values of each combination, one for each rule."""
        return tuple(product(*(rule.values for rule in self.rules)))

    @property
    def base_place(self) -> int:
        """Which combination is the ruleset itself."""
        return self.settings.index(tuple(rule.base_value for rule in self.rules))

    @cached_property
    def measures(self) -> tuple[DialMeasure, ...]:
        """All that is measured."""
        seats = [str(seat) for seat in range(self.base.design.seats)]
        return (
            *(DialMeasure("score", name) for name in self.strategies),
            *(DialMeasure("wins", name) for name in self.strategies if len(self.strategies) > 1),
            DialMeasure("rounds"),
            DialMeasure("moves"),
            *(DialMeasure("player wins", seat) for seat in seats),
            *(DialMeasure("edge", seat) for seat in seats),
        )

    @property
    def main_measures(self) -> tuple[DialMeasure, ...]:
        """What the picture shows: scores, wins, the length, and player 1."""
        measures = [measure for measure in self.measures if measure.kind in {"score", "wins", "rounds"}]
        return (*measures, DialMeasure("player wins", "0"))

    def list_changes(self, measure: DialMeasure) -> list[QuantityChange]:
        """Return a number under the ruleset itself and under each combination, with their difference."""

        def find_change(effect: RulesEffect) -> QuantityChange:
            changes = {
                "score": effect.scores,
                "wins": effect.win_shares,
                "rounds": effect.lengths[:1],
                "moves": effect.lengths[1:],
                "player wins": effect.seat_wins,
                "edge": effect.seats,
            }[measure.kind]
            return next(change for change in changes if measure.of in {"", change.of})

        return [find_change(effect) for effect in self.effects]

    def list_clear(self, measure: DialMeasure) -> list[bool]:
        """Return whether each combination differs clearly from the ruleset itself, adjusted for their number (Holm)."""
        contrasts = [self._difference(measure, place) for place in range(len(self.effects))]
        adjusted = iter(
            holm([contrast.p for place, contrast in enumerate(contrasts) if place != self.base_place])
        )
        return [
            place != self.base_place and next(adjusted) <= CLEAR and _excludes_zero(contrast.interval)
            for place, contrast in enumerate(contrasts)
        ]

    def is_equal_within(self, measure: DialMeasure, margin: float) -> bool:
        """Return whether the means of all combinations lie within `margin` of that of the ruleset itself."""
        values = self._block_values(measure)
        for place in range(len(values)):
            differences = values[place] - values[self.base_place]
            p = equivalence_p_value(differences, margin)
            if p is None and len(differences) >= least_blocks(differences):
                change = self.list_changes(measure)[place].difference
                p = 0.0 if change and max(abs(change.low), abs(change.high)) <= margin else 1.0
            if p is None or p > CLEAR:
                return False
        return True

    def has_enough_blocks(self, measure: DialMeasure) -> bool:
        """Return whether there are enough blocks for reliable intervals of what each value of each rule changes."""
        rows = self._block_values(measure)
        return all(
            self.blocks >= least_blocks(self._weigh((number,), (value,)) @ rows)
            for number, rule in enumerate(self.rules)
            for value in rule.values
            if value != rule.base_value
        )

    def find_slope(self, measure: DialMeasure) -> Slope | None:
        """Return how a mean grows with the numbers of the only rule; None if they do not lie on a line or on two, or are words.

        The place of a kink is chosen from the data, so its intervals hold for all places together (Bonferroni).
        """
        rule = self.rules[0]
        if len(self.rules) > 1 or not rule.is_number or len(rule.values) < 3:
            return None
        numbers = np.array(rule.values, np.float64)
        line = np.stack([np.ones_like(numbers), numbers], axis=1)
        if self._fits(measure, line):
            slope = self._contrast(measure, np.linalg.pinv(line)[1]).interval
            return slope and Slope(None, slope, None)
        inner = range(1, len(numbers) - 1)
        bent = [np.column_stack([line, np.maximum(numbers - numbers[place], 0)]) for place in inner]
        means = self._block_values(measure).mean(axis=1)
        distances = [np.abs(means - design @ np.linalg.pinv(design) @ means).sum() for design in bent]
        best = int(np.argmin(distances))
        if len(numbers) < 4 or not self._fits(measure, bent[best]):
            return None
        weights = np.linalg.pinv(bent[best])
        left, right = (self._contrast(measure, row).interval for row in (weights[1], weights[1] + weights[2]))
        if self._contrast(measure, weights[2]).p * len(inner) > CLEAR or left is None or right is None:
            return None
        kink = int(numbers[inner[best]])
        return Slope(kink, hold_for_all(left, len(inner)), hold_for_all(right, len(inner)))

    @cached_property
    def rule_changes(self) -> tuple[RuleChange, ...]:
        """What each other value of each rule changes in each main measure."""
        return self._list_rule_changes([(number,) for number in range(len(self.rules))])

    @cached_property
    def pair_changes(self) -> tuple[RuleChange, ...]:
        """What each two rules change together beyond the sum of both, in each main measure."""
        return self._list_rule_changes(list(combinations(range(len(self.rules)), 2)))

    def judge_target(self, target: Target) -> list[Literal["surely", "perhaps", "surely not", ""]]:
        """Return whether each combination meets a target."""
        changes = self.list_changes(target.measure)
        return [target.judge(change.b, len(changes)) for change in changes]

    def _list_rule_changes(self, groups: Sequence[tuple[int, ...]]) -> tuple[RuleChange, ...]:
        contrasts = [
            (rules, values, measure, self._contrast(measure, self._weigh(group, values)))
            for group in groups
            for rules in [tuple(self.rules[number] for number in group)]
            for values in product(
                *(tuple(value for value in rule.values if value != rule.base_value) for rule in rules)
            )
            for measure in self.main_measures
        ]
        adjusted = holm([contrast.p for *_, contrast in contrasts])
        return tuple(
            RuleChange(rules, values, measure, contrast.interval, p)
            for (rules, values, measure, contrast), p in zip(contrasts, adjusted, strict=True)
        )

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

    def _difference(self, measure: DialMeasure, place: int) -> Contrast:
        weights = np.zeros(len(self.effects))
        weights[place] += 1
        weights[self.base_place] -= 1
        return self._contrast(measure, weights)

    def _contrast(self, measure: DialMeasure, weights: Floats) -> Contrast:
        """Return a weighted sum of the means of all combinations; the weights add up to zero."""
        rows = self._block_values(measure)
        values, reach = weights @ rows, float(np.abs(weights).sum()) / 2
        values[np.abs(values) < 1e-9 * max(1.0, float(np.abs(rows).max()))] = 0.0
        if not reach:
            return Contrast(block_interval(values, KNOWN_EQUAL), 1.0)
        if measure.is_share:
            share = share_change_interval(np.clip(values / reach, -1, 1))
            interval = share and share.times(reach)
        else:
            bounds = plausible_bounds(rows)
            span = (bounds.high - bounds.low) * reach
            interval = block_interval(values, ValueBounds(-span, span))
        return Contrast(interval, _test_zero(values))

    def _fits(self, measure: DialMeasure, design: Floats) -> bool:
        """Return whether means lie on a curve, shape (values, coefficients): no distance from it is clear, or all are small."""
        away = np.eye(len(design)) - design @ np.linalg.pinv(design)
        means = self._block_values(measure).mean(axis=1)
        if np.abs(away @ means).max() <= LINE_TOLERANCE * np.ptp(means):
            return True
        return min(holm([self._contrast(measure, row).p for row in away])) > CLEAR

    def _block_values(self, measure: DialMeasure) -> Floats:
        """Return a number under each combination, shape (combinations, blocks)."""
        if measure not in self._known_values:
            self._known_values[measure] = np.stack(
                [measure.block_values(effect.b) for effect in self.effects]
            )
        return self._known_values[measure]

    @cached_property
    def _known_values(self) -> dict[DialMeasure, Floats]:
        return {}

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON data."""
        design = self.base.design
        keys = [rule.key for rule in self.rules]
        return {
            "ruleset": design.rules.name,
            "sha256": design.rules.sha256,
            "means": [
                {
                    **dict(zip(keys, setting, strict=True)),
                    "kind": measure.kind,
                    "of": measure.of,
                    "mean": change.b and change.b._asdict(),
                    "difference": change.difference and change.difference._asdict(),
                }
                for measure in self.measures
                for setting, change in zip(self.settings, self.list_changes(measure), strict=True)
            ],
            "settings": [
                {
                    **dict(zip(keys, setting, strict=True)),
                    "moved": effect.moved_share._asdict(),
                    "first_change": effect.first_change,
                }
                for setting, effect in zip(self.settings, self.effects, strict=True)
            ],
            "leads": [
                {**dict(zip(keys, setting, strict=True)), **_json_lead(order)}
                for setting, effect in zip(self.settings, self.effects, strict=True)
                for order in effect.orders
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


def play_rules_dial(  # noqa: PLR0913 - what makes an experiment, all named
    ruleset: Ruleset,
    rules: Sequence[VariedRule],
    rulesets: Mapping[str, Ruleset],
    lineup: Sequence[str],
    *,
    blocks: int,
    seed: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[RulesDial]:
    """Play the same blocks under all combinations of values, and yield the results as `play_rules_effect` does.

    `rulesets` are those whose tables are taken. Raises InvalidError for values that the game does not allow, for too many of them,
    and for an invalid line-up or number of blocks.
    """
    if not rules:
        raise InvalidError(f"{ruleset.name} has no rule with two values to compare")
    varied = list_varied_rulesets(ruleset, rules, rulesets)
    return (
        RulesDial(tuple(rules), effects)
        for effects in play_rules_effects(ruleset, varied, lineup, blocks=blocks, seed=seed, stopped=stopped)
    )


def _test_zero(values: Floats) -> float:
    """Return the p-value of the test that a mean of blocks is zero: Student's, but never less than that of the signs.

    Few blocks that are not zero show nothing, however equal they are: k of them have the same sign in one of 2^(k-1) cases. It is
    1 if there are too few blocks for values as skewed as these.
    """
    others, n = int(np.count_nonzero(values)), len(values)
    if not others or n < least_blocks(values):
        return 1.0
    least = 2.0 ** (1 - min(others, 1000))
    spread = sample_sd(values)
    if not spread:
        return least
    from scipy.special import stdtr  # noqa: PLC0415 - scipy.special takes 0.2 s to import

    return max(least, 2 * float(stdtr(n - 1, -abs(float(values.mean())) / (spread / math.sqrt(n)))))


def _excludes_zero(interval: Interval | None) -> bool:
    return interval is not None and not interval.low <= 0 <= interval.high


def _json_lead(order: PairOrder) -> dict[str, Any]:
    return {
        "first": order.first,
        "second": order.second,
        "lead": order.b and order.b._asdict(),
        "difference": order.difference and order.difference._asdict(),
        "order": order.order,
    }


def _json_rule_change(change: RuleChange) -> dict[str, Any]:
    return {
        "rules": [rule.key for rule in change.rules],
        "values": list(change.values),
        "kind": change.measure.kind,
        "of": change.measure.of,
        "change": change.interval and change.interval._asdict(),
        "p": change.p,
    }
