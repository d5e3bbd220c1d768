"""What a rule changes: the question as a value, and its answer, in which the same strategies play both rulesets with the same luck."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pipelines.design.limits import LIVE_BLOCKS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.experiments.rule_effect import RulesEffect, play_rules_effect
from pipelines.questions.address import Work, number_field
from pipelines.questions.measured import Basis
from pipelines.questions.rules import RulesetQuestion, RulesPart, find_named_ruleset

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource


class RuleEffectQuestion(RulesetQuestion):
    """What changes if a ruleset is played instead of another one."""

    marks: ClassVar[frozenset[str]] = frozenset({"against"})

    part: Annotated[RulesPart, Field(title="part of the page")] = "effect"
    against: Annotated[str, Field(title="ruleset")] = ""
    lineup: Annotated[str, Field(title="strategies", alias="strategies", max_length=1000)] = ""
    """A strategy for each seat, separated by commas; `random` in all seats if empty."""
    blocks: Annotated[int, number_field("blocks", LIVE_BLOCKS)] = LIVE_BLOCKS.default
    seed: Annotated[int, number_field("seed", SEED)] = SEED.default

    @property
    def title(self) -> str:
        return f"What changes between {self.ruleset} and {self.against}"

    @property
    def work(self) -> Work:
        return Work(self.blocks, LIVE_BLOCKS.default, "blocks")

    @property
    def strategies(self) -> list[str]:
        """The strategies by seat; empty if the question names none."""
        text = self.lineup.strip(",")
        return split_strategies(text) if text else []


@dataclass(frozen=True)
class RuleEffectAnswer:
    """The results of both rulesets, so far or as many as were asked for; their intervals count blocks."""

    question: RuleEffectQuestion
    effect: RulesEffect

    @property
    def is_finished(self) -> bool:
        """Whether all blocks were played that the question asks for."""
        return self.effect.blocks == self.question.blocks

    @property
    def basis(self) -> Basis:
        effect = self.effect
        return Basis(
            rulesets=(effect.a.design.rules.name, effect.b.design.rules.name),
            lineups=(effect.a.design.labels,),
            games=2 * effect.blocks * effect.games_per_block,
            blocks=effect.blocks,
        )


def iter_rule_effect_answers(
    question: RuleEffectQuestion,
    catalogue: Catalogue,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[RuleEffectAnswer]:
    """Yield the answer while it becomes more precise, until all blocks are played or `stopped` returns True.

    Raises InvalidError for a ruleset that does not exist, and for rulesets and strategies that cannot be compared.
    """
    a, b = order_compared_rulesets(question, catalogue)
    lineup = question.strategies or ["random"] * a.players
    for effect in play_rules_effect(
        a, b, lineup, blocks=question.blocks, seed=question.seed, stopped=stopped
    ):
        yield RuleEffectAnswer(question, effect)


def order_compared_rulesets(question: RuleEffectQuestion, catalogue: Catalogue) -> tuple[Ruleset, Ruleset]:
    """Return both rulesets, the one from which the other is derived first: the answer says what the other one changes.

    If neither is, one's own ruleset comes last, or else that to which the question compares. Raises InvalidError for a ruleset
    that does not exist.
    """
    rulesets = catalogue.rulesets
    a, b = (find_named_ruleset(rulesets, name) for name in (question.ruleset, question.against))
    return (b, a) if catalogue.derivation_order(a) > catalogue.derivation_order(b) else (a, b)


def answer_rule_effect(question: RuleEffectQuestion, source: QuestionSource) -> RuleEffectAnswer:
    """Return the answer of all blocks. Raises InvalidError as `iter_rule_effect_answers` does."""
    *_, answer = iter_rule_effect_answers(question, source.library.catalogue)
    return answer
