"""What rules change: the question as a value, and its answer, in which the same strategies play all rulesets with the same luck.

A question turns some rules of a ruleset (`vary`). Another ruleset (`against`) is a rule with two values, which are rulesets.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, Self

from pydantic import Field

from engine import games
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel_obstacle
from engine.strategies import built_in_strategies, read_player
from pipelines.design.limits import LIVE_BLOCKS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.design.rule_values import (
    MAX_VARIED_RULES,
    MAX_VARIED_RULESETS,
    PROPOSED_VALUES,
    VariedRule,
    compare_rulesets,
    list_near_values,
    list_rule_ranges,
    list_varied_rulesets,
    propose_varied_rules,
    read_varied_rule,
)
from pipelines.experiments.rule_effect import RuleMeasure, RulesEffect, Target, play_rules_effect
from pipelines.experiments.rule_games import design_rulesets, estimate_seconds
from pipelines.questions.address import Work, number_field
from pipelines.questions.lineups import plays_games_out, suggest_lineup
from pipelines.questions.measured import Basis
from pipelines.questions.rules import RulesetQuestion, RulesPart, find_named_ruleset

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource

ALL_RULES: Final = "all"
"""In place of rules with their values: each option at its own value and another one, in all combinations."""
SKILLED_STRATEGIES: Final = ("planner", "builder", "mobility", "keeper")
"""Of each game the best strategy that needs at most 0.1 ms for a move (`benchmarks/ladder.json`) and has not learned the shipped tables."""
_NUMBER: Final = r"(-?[0-9]{1,6}(?:\.[0-9]{1,3})?)"
_TARGET: Final = re.compile(
    rf"(?:(?P<whose>.+) (?P<verb>wins|scores)|(?P<length>rounds|moves)) {_NUMBER} to {_NUMBER}(?: of 100(?: games)?)?"
)


class RuleEffectQuestion(RulesetQuestion):
    """What changes if a ruleset is played instead of another one, or if some of its rules are turned."""

    marks: ClassVar[frozenset[str]] = frozenset({"against", "vary"})

    part: Annotated[RulesPart, Field(title="part of the page")] = "effect"
    against: Annotated[str, Field(title="ruleset", description="The ruleset to compare with.")] = ""
    vary: Annotated[
        tuple[Annotated[str, Field(max_length=500)], ...],
        Field(
            title="rule with its values",
            max_length=MAX_VARIED_RULES,
            description="A rule with its values, such as gap_penalty=0..4, contact=drop,rest or dice=bloxx-mini for the table of another "
            "ruleset; up to five rules are turned together. `all` takes each option at two values.",
        ),
    ] = ()
    lineup: Annotated[
        str,
        Field(
            title="strategies",
            alias="strategies",
            max_length=1000,
            description="A strategy for each seat, separated by commas.",
        ),
    ] = ""
    """If empty, players that take the rules into account (`suggest_dial_lineup`)."""
    target: Annotated[
        str,
        Field(
            title="target",
            max_length=200,
            description="What a number should be, such as `player 1 wins 45 to 55` (of 100 games), `greedy scores 20 to 30` or "
            "`rounds 15 to 20`.",
        ),
    ] = ""
    blocks: Annotated[
        int,
        number_field(
            "blocks", LIVE_BLOCKS, "Blocks: all games of a block have the same luck, under every ruleset."
        ),
    ] = LIVE_BLOCKS.default
    seed: Annotated[int, number_field("seed", SEED, "Random seed: the same seed gives the same answer.")] = (
        SEED.default
    )

    @property
    def title(self) -> str:
        if self.vary:
            keys = [text.partition("=")[0].strip() for text in self.vary]
            rules = "every rule" if keys == [ALL_RULES] else " and ".join(keys).replace("_", " ")
            return f"What {rules} of {self.ruleset} {'changes' if len(keys) == 1 else 'change'}"
        return f"What changes between {self.ruleset} and {self.against}"

    @property
    def command(self) -> str:
        """The command line that asks the same."""
        options = [("--against", self.against), *(("--vary", text) for text in self.vary)]
        options += [("--strategies", self.lineup), ("--target", self.target)]
        words = [word for option, text in options if text for word in (option, text)]
        if self.blocks != LIVE_BLOCKS.default:
            words += ["--blocks", str(self.blocks)]
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(["reroll", "rule", self.ruleset, *words])

    @property
    def work(self) -> Work:
        count = math.prod(map(_count_values, self.vary)) if self.vary else 2
        return Work(
            self.blocks * count, LIVE_BLOCKS.default * PROPOSED_VALUES, "blocks of games over all rulesets"
        )

    @property
    def games_question(self) -> Self:
        """The question without its target, which judges games and changes none."""
        return self.model_copy(update={"target": ""})

    @property
    def strategies(self) -> list[str]:
        """The strategies by seat; empty if the question names none."""
        text = self.lineup.strip(",")
        return split_strategies(text) if text else []


@dataclass(frozen=True)
class RuleEffectAnswer:
    """The results of the values of some rules, so far or as many as were asked for; their intervals count blocks."""

    question: RuleEffectQuestion
    effect: RulesEffect

    @cached_property
    def target(self) -> Target | None:
        """What a number should be; None if the question has no target."""
        return read_question_target(self.question, self.effect.base.design.rules)

    @property
    def is_finished(self) -> bool:
        """Whether all blocks were played that the question asks for."""
        return self.effect.blocks == self.question.blocks

    @property
    def basis(self) -> Basis:
        design = self.effect.base.design
        return Basis(
            rulesets=tuple(dict.fromkeys(results.design.rules.name for results in self.effect.results)),
            lineups=(design.labels,),
            games=len(self.effect.results) * self.effect.blocks * design.rotations,
            blocks=self.effect.blocks,
        )


def iter_rule_effect_answers(
    question: RuleEffectQuestion, catalogue: Catalogue, *, stopped: Callable[[], bool] = lambda: False
) -> Iterator[RuleEffectAnswer]:
    """Yield the answer while it becomes more precise, until all blocks are played or `stopped` returns True.

    Raises InvalidError for a ruleset that does not exist, and for rulesets, strategies, values and targets that do not fit.
    """
    ruleset, rules = read_changes(question, catalogue)
    lineup = question.strategies or list(suggest_dial_lineup(ruleset))
    read_question_target(question, ruleset)
    for effect in play_rules_effect(
        ruleset,
        rules,
        catalogue.rulesets,
        lineup,
        blocks=question.blocks,
        seed=question.seed,
        stopped=stopped,
    ):
        yield RuleEffectAnswer(question, effect)


def read_changes(question: RuleEffectQuestion, catalogue: Catalogue) -> tuple[Ruleset, list[VariedRule]]:
    """Return the ruleset from which a question begins, and the rules that it turns.

    Raises InvalidError for a ruleset that does not exist and for values that cannot be read.
    """
    rulesets = catalogue.rulesets
    if question.against and question.vary:
        raise InvalidError("two rulesets are compared (against), or rules are turned (vary), not both")
    if question.vary:
        ruleset = find_named_ruleset(rulesets, question.ruleset)
        return ruleset, read_varied_rules(question, ruleset, rulesets)
    ruleset, other = order_compared_rulesets(question, catalogue)
    return ruleset, [compare_rulesets(ruleset, [other])]


class WorkEstimate(NamedTuple):
    """How long an answer takes, estimated from a few blocks that were played."""

    seconds: float | None
    """None if the game is not compiled yet, or if a strategy plays games out before it decides: a few blocks may then take long."""
    rulesets: int
    slow: int
    """How many of the rulesets no compiled game plays."""
    obstacle: str
    """Why no compiled game plays one of them, in words that follow a colon; empty if it plays all."""


def estimate_rule_effect(question: RuleEffectQuestion, catalogue: Catalogue) -> WorkEstimate | None:
    """Return how long the answer takes; None if nothing can be played, which the answer explains."""
    try:
        ruleset, rules = read_changes(question, catalogue)
        varied = list_varied_rulesets(ruleset, rules, catalogue.rulesets)
        lineup = question.strategies or list(suggest_dial_lineup(ruleset))
        designs = design_rulesets(varied, lineup, question.blocks, question.seed)
    except InvalidError:
        return None
    obstacles = [find_kernel_obstacle(design.rules, design.players) for design in designs]
    slow = [design for design, obstacle in zip(designs, obstacles, strict=True) if obstacle]
    is_quick = not any(plays_games_out(player.strategy) for player in designs[0].players)
    seconds = estimate_seconds(designs, slow) if is_quick else None
    return WorkEstimate(seconds, len(designs), len(slow), next(filter(None, obstacles), ""))


def read_varied_rules(
    question: RuleEffectQuestion, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]
) -> list[VariedRule]:
    """Return the rules that a question turns. Raises InvalidError for one that the ruleset lacks or values that cannot be read."""
    if question.vary == (ALL_RULES,):
        return propose_varied_rules(ruleset)
    return [read_varied_rule(text, ruleset, rulesets) for text in question.vary]


def suggest_dial_lineup(ruleset: Ruleset) -> tuple[str, ...]:
    """Return players that take the rules into account: a skilled one in the last seat and `greedy` in the others, if the game has them."""
    known = built_in_strategies(games.find_game(ruleset.game))
    last = next((name for name in (*SKILLED_STRATEGIES, "greedy") if name in known), None)
    return suggest_lineup(ruleset, last) if last != "greedy" else ("greedy",) * ruleset.players


def suggest_turned_rule(ruleset: Ruleset) -> RuleEffectQuestion | None:
    """Return the question what the smallest number among the rules changes; None without a rule that is a number.

    The values around the smallest number are the most likely to hold 0, with which the answer says what the game is without the
    rule. No game is asked whether it allows the values, which would load it.
    """
    numbers = {
        option.base_value: option
        for option in reversed(list_rule_ranges(ruleset))
        if isinstance(option.base_value, int)
    }
    if not numbers:
        return None
    base_value = min(numbers)
    rule = VariedRule(numbers[base_value].key, list_near_values(numbers[base_value], base_value), base_value)
    return RuleEffectQuestion(
        ruleset=ruleset.name, vary=(str(rule),), lineup=",".join(suggest_dial_lineup(ruleset))
    )


def read_question_target(question: RuleEffectQuestion, ruleset: Ruleset) -> Target | None:
    """Return the target of a question, None if it has none; raise InvalidError as `read_target` does."""
    lineup = question.strategies or suggest_dial_lineup(ruleset)
    return read_target(question.target, lineup, ruleset) if question.target else None


def read_target(text: str, lineup: Sequence[str], ruleset: Ruleset) -> Target:
    """Return the target that a text such as `player 1 wins 45 to 55` names; raise InvalidError if it names none."""
    match = _TARGET.fullmatch(text.strip())
    if match is None:
        raise InvalidError(
            f"a target is written as 'player 1 wins 45 to 55', 'greedy scores 20 to 30' or 'rounds 15 to 20', not {text[:60]!r}"
        )
    low, high = sorted(map(float, match.groups()[-2:]))
    if match["length"]:
        return Target(RuleMeasure("rounds" if match["length"] == "rounds" else "moves"), low, high)
    seats = {f"player {seat + 1}": str(seat) for seat in range(ruleset.players)}
    if match["whose"] in seats and match["verb"] == "wins":
        return Target(RuleMeasure("player wins", seats[match["whose"]]), low, high)
    game = games.find_game(ruleset.game)
    names = {name: read_player(game, name).name for name in lineup}
    if match["whose"] not in names:
        raise InvalidError(
            f"a target is about one of {', '.join(names)}, or player 1 to player {ruleset.players} with wins, not {match['whose'][:60]}"
        )
    return Target(
        RuleMeasure("wins" if match["verb"] == "wins" else "score", names[match["whose"]]), low, high
    )


def order_compared_rulesets(question: RuleEffectQuestion, catalogue: Catalogue) -> tuple[Ruleset, Ruleset]:
    """Return both rulesets, the one from which the other is derived first: the answer says what the other one changes.

    If neither is, one's own ruleset comes last, or else that to which the question compares. Raises InvalidError for a ruleset
    that does not exist.
    """
    rulesets = catalogue.rulesets
    a, b = (find_named_ruleset(rulesets, name) for name in (question.ruleset, question.against))
    return (b, a) if catalogue.derivation_order(a) > catalogue.derivation_order(b) else (a, b)


def _count_values(text: str) -> int:
    """Return about how many values a text of `vary` names, without reading the ruleset.

    >>> [_count_values(text) for text in ("all", "gap_penalty", "gap_penalty=0..4", "contact=drop,rest")]
    [32, 5, 5, 2]
    """
    _, _, values = text.partition("=")
    ends = [re.findall(r"\d{1,9}", part) for part in values.split(",") if part]
    count = sum(abs(int(pair[1]) - int(pair[0])) + 1 if len(pair) == 2 else 1 for pair in ends)
    return min(MAX_VARIED_RULESETS, count or (MAX_VARIED_RULESETS if text == ALL_RULES else PROPOSED_VALUES))


def answer_rule_effect(question: RuleEffectQuestion, source: QuestionSource) -> RuleEffectAnswer:
    """Return the answer of all blocks. Raises InvalidError as `iter_rule_effect_answers` does."""
    *_, answer = iter_rule_effect_answers(question, source.library.catalogue)
    return answer
