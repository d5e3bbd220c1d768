"""The answer to what the rules of a ruleset are: it, and those beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.questions.rule_effect.question import find_named_ruleset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from pipelines.questions.rule_effect.question import RulesQuestion
    from pipelines.questions.source import QuestionSource

MAX_BESIDE: Final = 5
"""Rulesets beside another one."""


@dataclass(frozen=True)
class RulesAnswer:
    """A ruleset, alone or beside others of its game."""

    question: RulesQuestion
    ruleset: Ruleset
    beside: tuple[Ruleset, ...]
    problems: tuple[str, ...]
    """A sentence on everything that the question names and that does not exist."""

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        return (self.ruleset, *self.beside)


def answer_rules(question: RulesQuestion, source: QuestionSource) -> RulesAnswer:
    """Return a ruleset with those beside it: the ones that the question names, or those of as many players.

    Raises InvalidError if there is no such ruleset.
    """
    if not question.ruleset:
        raise InvalidError(
            "the address of the page rules says nothing in particular; open something on it first"
        )
    ruleset = find_named_ruleset(source.rulesets, question.ruleset)
    others = list_others(ruleset, source.rulesets)
    names = question.beside
    if question.part == "side-by-side" and not names:
        names = tuple(name for name, one in others.items() if one.players == ruleset.players)[:MAX_BESIDE]
    beside = tuple(others[name] for name in names if name in others)
    return RulesAnswer(question, ruleset, beside, question.find_problems(ruleset, source.rulesets))


def list_others(ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> dict[str, Ruleset]:
    """Return the other rulesets of a game by name, last those that are all somebody's own: these have little in common with it."""
    names = sorted(rulesets, key=lambda name: {*rulesets[name].provenance.values()} == {"own"})
    return {
        name: rulesets[name] for name in names if rulesets[name].game == ruleset.game and name != ruleset.name
    }
