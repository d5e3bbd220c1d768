"""A question for the card of a ruleset as a value: the ruleset, how it is played, and how many blocks."""

from __future__ import annotations

import shlex
from typing import Annotated, ClassVar, Final

from pydantic import Field

from pipelines.design.design import MAX_SEED
from pipelines.questions.address import Question
from pipelines.questions.rule_effect.question import RulesPart

DEFAULT_STYLE: Final = "greedy"
"""Every game has this strategy."""


class CardQuestion(Question):
    """What kind of game a ruleset is."""

    page: ClassVar[str] = "rules"
    marks: ClassVar[frozenset[str]] = frozenset({"style"})

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    part: Annotated[RulesPart, Field(title="part of the page")] = "card"
    style: Annotated[str, Field(title="playing style", max_length=500)] = ""
    """The strategy in every seat; `greedy` if empty."""
    blocks: Annotated[int, Field(title="blocks", ge=10, le=20_000)] = 400
    seed: Annotated[int, Field(title="seed", ge=0, le=MAX_SEED)] = 0

    @property
    def title(self) -> str:
        return f"Card of {self.ruleset}"

    @property
    def command(self) -> str:
        words = ["reroll", "card", self.ruleset, "--style", self.style or DEFAULT_STYLE]
        return shlex.join([*words, "--blocks", str(self.blocks), "--seed", str(self.seed)])
