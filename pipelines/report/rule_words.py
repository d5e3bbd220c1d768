"""The words for the rules, values, strategies and numbers in an answer on what rules change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from engine.wording import capitalise
from pipelines.design.rule_values import WHOLE_RULESET, RuleValue, VariedRule
from pipelines.design.short_names import short_names
from pipelines.design.titles import format_ruleset_for
from pipelines.experiments.rule_effect import ROUNDS, RuleChange, RuleMeasure
from pipelines.report.estimates import write_length_change, write_score_change, write_win_change
from pipelines.report.ruleset_words import describe_difference, find_choice, name_rule
from pipelines.report.wording import format_count, format_duration, format_player, join_words

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.questions.rule_effect import RuleEffectAnswer, WorkEstimate
    from pipelines.statistics.intervals import Interval

MAX_RULE_CHARACTERS: Final = 80
"""A single rule in which another ruleset differs opens the sentence up to this length; other rulesets are called by their titles."""


LONG_SECONDS: Final = 30.0
"""An answer that takes longer is announced."""


def announce_work(estimate: WorkEstimate | None) -> str:
    """Return in a sentence how long an answer takes, and why; empty if it is soon there."""
    if estimate is None or not (estimate.slow or (estimate.seconds or 0.0) > LONG_SECONDS):
        return ""
    takes = f"this takes about {format_duration(estimate.seconds)}" if estimate.seconds else ""
    verb = "is" if estimate.slow == 1 else "are"
    why = f"{estimate.slow} of the {estimate.rulesets} rulesets {verb} played by the plain rules, which are slow: {estimate.obstacle}"
    return f"{capitalise('; '.join(filter(None, (takes, why if estimate.slow else ''))))}."


class RuleWords:
    """The words for the rules, values, strategies and measures of an answer."""

    def __init__(self, answer: RuleEffectAnswer) -> None:
        self.answer, self.effect = answer, answer.effect
        self.base: Ruleset = self.effect.base.design.rules
        self.names = short_names(self.effect.strategies)

    @property
    def is_of_rulesets(self) -> bool:
        """Whether the values of the only rule are whole rulesets."""
        return [rule.key for rule in self.effect.rules] == [WHOLE_RULESET]

    @property
    def is_of_one_rule(self) -> bool:
        return len(self.effect.rules) == 1

    @property
    def title(self) -> str:
        rules = self.effect.rules
        if self.is_of_rulesets:
            return " against ".join(title.strip("“”") for title in rules[0].titles)
        subject = "every rule" if len(rules) > 2 else " and ".join(map(self.rule, rules))
        verb = "change" if len(rules) == 2 else "changes"
        return f"What {subject} {verb} in {format_ruleset_for(self.base)}"

    def rule(self, rule: VariedRule) -> str:
        return name_rule(self.base.game, rule.key)

    def value(self, rule: VariedRule, value: RuleValue) -> str:
        """Return what people call a value."""
        return find_choice(self.base.game, rule.key, value) or rule.name_value(value)

    def label(self, rule: VariedRule, value: RuleValue) -> str:
        """Return a value as the name of a row or of a place, with a mark at that of the ruleset itself."""
        return f"{self.value(rule, value).strip('“”')}{' (now)' if value == rule.base_value else ''}"

    def change(self, rule: VariedRule, value: RuleValue) -> str:
        """Return a value of a rule against that of the ruleset, such as "gap penalty 3 instead of 1" or "shapes may hang"."""
        if clause := find_choice(self.base.game, rule.key, value):
            return clause
        name = "" if rule.key == WHOLE_RULESET else f"{self.rule(rule)} "
        return f"{name}{rule.name_value(value)} instead of {rule.name_value(rule.base_value)}"

    def condition(self, setting: Sequence[tuple[VariedRule, RuleValue]]) -> str:
        """Return how some values differ from those of the ruleset itself, as the beginning of a sentence."""
        change = join_words([self.change(*pair) for pair in setting])
        rule, value = setting[0]
        if find_choice(self.base.game, rule.key, value):
            return f"if {change}"
        if rule.key != WHOLE_RULESET:
            return f"with {change}"
        other = self.effect.results[rule.values.index(value)].design.rules
        clause = describe_difference(self.base, other) if self.is_of_rulesets else ""
        is_clause = clause and len(clause) <= MAX_RULE_CHARACTERS and not {*clause} & {",", ";"}
        return f"if {clause}" if is_clause else f"under {change}"

    def opening(self, change: RuleChange, *, is_first: bool = False) -> str:
        """Return what changes as the beginning of a sentence; below the first one only if there are several values."""
        if len(self.effect.results) == 2 and not is_first:
            return ""
        return f"{self.condition([*zip(change.rules, change.values, strict=True)])}, "

    def name_base_once(self, sentences: Iterable[str]) -> Iterator[str]:
        """Yield sentences; of those on a single rule, only the first one that names another value names that of the ruleset itself."""
        rule = self.effect.rules[0]
        ending, is_named = f" instead of {rule.name_value(rule.base_value)}", False
        for sentence in sentences:
            start, base, rest = sentence.partition(ending)
            if base and self.is_of_one_rule:
                yield f"{start}{'' if is_named else base}{rest.replace(ending, '')}"
                is_named = True
            else:
                yield sentence

    def name_setting(self, setting: Sequence[RuleValue]) -> str:
        """Return the value of the only rule, or how a combination differs from the ruleset itself."""
        pairs = [*zip(self.effect.rules, setting, strict=True)]
        if self.is_of_one_rule:
            return self.value(*pairs[0])
        changes = [self.change(rule, value) for rule, value in pairs if value != rule.base_value]
        return join_words(changes) if changes else "the ruleset itself"

    def who(self, measure: RuleMeasure) -> str:
        if measure.seat is not None:
            return format_player(int(measure.of))
        return self.names.get(measure.of, "")

    def measure(self, measure: RuleMeasure) -> str:
        who = self.who(measure)
        return {
            "score": f"score of {who}",
            "wins": f"wins of {who}",
            "lead": f"lead of {who} over {self.names.get(measure.over, '')}",
            "rounds": "rounds",
            "moves": "moves",
            "player wins": f"wins of {who}",
            "seat effect": f"points of {who} above the mean",
        }[measure.kind]

    def name_change(self, change: RuleChange) -> str:
        """Return what is changed from what as the name of a row, which begins with the name of the rule."""
        names = []
        for rule, value in zip(change.rules, change.values, strict=True):
            clause, base = (find_choice(self.base.game, rule.key, word) for word in (value, rule.base_value))
            names.append(f"{self.rule(rule)}: {clause} (now: {base})" if clause else self.change(rule, value))
        return join_words(names)

    def turn_lead(self, measure: RuleMeasure) -> RuleMeasure:
        """Return a lead as that of the strategy that is ahead under the ruleset itself; another measure as it is."""
        is_behind = measure.kind == "lead" and measure.block_values(self.effect.base).mean() < 0
        return measure._replace(of=measure.over, over=measure.of) if is_behind else measure

    def write_change(self, measure: RuleMeasure, difference: Interval) -> str:
        """Return what changes in a score, in a number of wins or in the length."""
        if measure.kind == "score":
            return write_score_change(self.who(measure), difference)
        if measure == ROUNDS:
            return write_length_change(difference)
        return write_win_change(self.who(measure), difference)

    @property
    def games(self) -> str:
        """How many games were played under each ruleset."""
        count = format_count(self.effect.blocks * self.effect.base.design.rotations, "game")
        return f"{count} {self.under_each}"

    @property
    def under_each(self) -> str:
        if not self.is_of_one_rule:
            return f"under each of {len(self.effect.results)} rulesets"
        return "under each ruleset" if self.is_of_rulesets else "at each value"

    @property
    def best(self) -> RuleMeasure | None:
        """The score of the strategy that plays best under the ruleset itself, of those with enough blocks; None without one.

        Of several rules any number of blocks will do.
        """
        effect = self.effect
        sign = -1 if self.base.lowest_wins else 1
        scores = [
            measure
            for measure in effect.measures
            if measure.kind == "score" and (len(effect.rules) > 1 or effect.has_enough_blocks(measure))
        ]
        return max(
            scores, key=lambda measure: sign * effect.base.mean_scores(measure.of).mean(), default=None
        )

    @property
    def wins(self) -> tuple[RuleMeasure, ...]:
        """The wins of the best strategy, if there are two, and those of player 1."""
        of_best = RuleMeasure("wins", self.best.of if self.best else "")
        return tuple(
            measure
            for measure in self.effect.main_measures
            if measure == of_best or measure.kind == "player wins"
        )
