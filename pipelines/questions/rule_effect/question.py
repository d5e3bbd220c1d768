"""Questions of the page Rules as values: what a rule changes, and the rules themselves."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from engine.errors import InvalidError
from pipelines.design.limits import LIVE_BLOCKS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.questions.address import Question, describe_unknown, shorten_value, write_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset

RulesPart: TypeAlias = Literal["rules", "side-by-side", "effect", "card", "own"]
_DRAFT_PARTS: Final = ("options", "tables")


class RulesetQuestion(Question):
    """A question about a ruleset, which a part of the page Rules answers."""

    page: ClassVar[str] = "rules"

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    part: Annotated[RulesPart, Field(title="part of the page")] = "rules"


class RuleEffectQuestion(RulesetQuestion):
    """What changes if a ruleset is played instead of another one."""

    marks: ClassVar[frozenset[str]] = frozenset({"against"})

    part: Annotated[RulesPart, Field(title="part of the page")] = "effect"
    against: Annotated[str, Field(title="ruleset")] = ""
    lineup: Annotated[str, Field(title="strategies", max_length=1000)] = ""
    """A strategy for each seat, separated by commas; `random` in all seats if empty."""
    blocks: Annotated[int, Field(title="blocks", ge=LIVE_BLOCKS.least, le=LIVE_BLOCKS.most)] = (
        LIVE_BLOCKS.default
    )
    seed: Annotated[int, Field(title="seed", ge=SEED.least, le=SEED.most)] = SEED.default

    @property
    def title(self) -> str:
        return f"What changes between {self.ruleset} and {self.against}"

    @property
    def command(self) -> str:
        return shlex.join(["reroll", "ask", write_path(self)])

    @property
    def strategies(self) -> list[str]:
        """The strategies by seat; empty if the question names none."""
        text = self.lineup.strip(",")
        return split_strategies(text) if text else []


class RulesQuestion(RulesetQuestion):
    """The rules of a ruleset, alone or beside others, and the form that changes them."""

    display_keys: ClassVar[frozenset[str]] = frozenset({"blocks", "lineup", "seed"})

    beside: Annotated[tuple[str, ...], Field(title="ruleset", alias="with", max_length=5)] = ()
    """The rulesets in the other columns."""
    draft: Annotated[str, Field(title="draft", max_length=6000)] = ""
    """What differs from the base ruleset, as JSON."""

    @property
    def drafted(self) -> dict[str, Any]:
        """The draft; an empty dict if there is none or if it cannot be read."""
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
        named = ", ".join(map(shorten_value, unknown))
        return (
            *problems,
            *([f"The draft in the address holds what {base.name} does not have: {named}."] if named else []),
        )

    @property
    def title(self) -> str:
        return f"Rules of {self.ruleset or 'the games'}"

    @property
    def command(self) -> str:
        return shlex.join(["reroll", "rulesets", *([self.ruleset] if self.ruleset else [])])


def find_named_ruleset(rulesets: Mapping[str, Ruleset], name: str) -> Ruleset:
    """Return a ruleset by its name only: an address must not open files. Raises InvalidError if there is none."""
    if name not in rulesets:
        raise InvalidError(f"there is no ruleset {shorten_value(name)!r} in the library")
    return rulesets[name]
