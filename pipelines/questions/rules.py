"""The questions of the page Rules about a ruleset as values, and the rules themselves: a ruleset, and those beside it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from engine.errors import InvalidError
from pipelines.questions.address import Question, describe_unknown, shorten_value

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource


RulesPart: TypeAlias = Literal["rules", "side-by-side", "effect", "card", "openings", "own"]
MAX_BESIDE: Final = 5
"""Rulesets beside another one."""
_DRAFT_PARTS: Final = ("options", "tables")


class RulesetQuestion(Question):
    """A question about a ruleset, which a part of the page Rules answers."""

    page: ClassVar[str] = "rules"

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    part: Annotated[RulesPart, Field(title="part of the page")] = "rules"


class RulesQuestion(RulesetQuestion):
    """The rules of a ruleset, alone or beside others, and the form that changes them."""

    display_keys: ClassVar[frozenset[str]] = frozenset({"blocks", "strategies", "seed"})

    beside: Annotated[tuple[str, ...], Field(title="ruleset", alias="with", max_length=MAX_BESIDE)] = ()
    """The rulesets in the other columns."""
    draft: Annotated[str, Field(title="draft", max_length=6000)] = ""
    """What differs from the base ruleset, as JSON."""

    @property
    def draft_document(self) -> dict[str, Any]:
        """The draft; an empty dict without a draft or if it cannot be read."""
        return self._parse_draft() or {}

    def _parse_draft(self) -> dict[str, Any] | None:
        try:
            draft = json.loads(self.draft or "{}")
        except (ValueError, RecursionError):
            return None
        if not isinstance(draft, dict) or not isinstance(draft.get("players", []), list):
            return None
        return draft if all(isinstance(draft.get(part, {}), dict) for part in _DRAFT_PARTS) else None

    def find_problems(self, base: Ruleset, rulesets: Mapping[str, Ruleset]) -> tuple[str, ...]:
        """Return a sentence on each ruleset that cannot stand beside `base`, and on what a draft of it cannot have."""
        problems = [
            describe_unknown("ruleset", name, f"of the game of {base.name}")
            for name in self.beside
            if name and (name not in rulesets or rulesets[name].game != base.game)
        ]
        draft = self._parse_draft()
        if draft is None:
            return (*problems, "The draft in the address cannot be read.")
        unknown = [key for key in draft if key not in {"name", "title", "players", *_DRAFT_PARTS}]
        unknown += [
            key for part in _DRAFT_PARTS for key in draft.get(part, {}) if key not in base.document[part]
        ]
        unknown += [
            f"{count} players" for count in draft.get("players", []) if count not in base.player_counts()
        ]
        names = ", ".join(map(shorten_value, unknown))
        return (
            *problems,
            *([f"The draft in the address holds what {base.name} does not have: {names}."] if names else []),
        )

    @property
    def title(self) -> str:
        return f"Rules of {self.ruleset or 'the games'}"

    @property
    def command(self) -> str:
        return shlex.join(["reroll", "rulesets", *([self.ruleset] if self.ruleset else [])])


def find_named_ruleset(rulesets: Mapping[str, Ruleset], name: str) -> Ruleset:
    """Return a ruleset by its name only: an address must not open files. Raises InvalidError if it does not exist."""
    if name not in rulesets:
        raise InvalidError(f"there is no ruleset {shorten_value(name)!r} in the library")
    return rulesets[name]


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
        raise InvalidError("the address names no ruleset; open something on its page first")
    ruleset = find_named_ruleset(source.rulesets, question.ruleset)
    others = list_others(ruleset, source.rulesets)
    names = question.beside
    if question.part == "side-by-side" and not names:
        names = tuple(name for name, other in others.items() if other.players == ruleset.players)[:MAX_BESIDE]
    beside = tuple(others[name] for name in names if name in others)
    return RulesAnswer(question, ruleset, beside, question.find_problems(ruleset, source.rulesets))


def list_others(ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> dict[str, Ruleset]:
    """Return the other rulesets of a game by name, last those that are all somebody's own: these have little in common with it."""
    names = sorted(rulesets, key=lambda name: {*rulesets[name].provenance.values()} == {"own"})
    return {
        name: rulesets[name] for name in names if rulesets[name].game == ruleset.game and name != ruleset.name
    }
