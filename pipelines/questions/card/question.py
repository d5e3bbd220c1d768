"""A question for the card of a ruleset as a value: the ruleset, how it is played, and how many blocks."""

from __future__ import annotations

import shlex
from typing import Annotated, ClassVar

from pydantic import Field

from pipelines.design.limits import LIVE_BLOCKS, MAX_STRATEGY_CHARACTERS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.questions.card.measures import DEFAULT_STYLE
from pipelines.questions.rule_effect.question import RulesetQuestion, RulesPart


class CardQuestion(RulesetQuestion):
    """What kind of game a ruleset is."""

    marks: ClassVar[frozenset[str]] = frozenset({"style"})

    part: Annotated[RulesPart, Field(title="part of the page")] = "card"
    style: Annotated[str, Field(title="playing styles", max_length=MAX_STRATEGY_CHARACTERS)] = ""
    """The strategy in every seat, or several, separated by commas; `greedy` if empty."""
    blocks: Annotated[int, Field(title="blocks", ge=LIVE_BLOCKS.least, le=LIVE_BLOCKS.most)] = (
        LIVE_BLOCKS.default
    )
    seed: Annotated[int, Field(title="seed", ge=SEED.least, le=SEED.most)] = SEED.default

    @property
    def styles(self) -> list[str]:
        """The playing styles, each once."""
        return list(dict.fromkeys(split_strategies(self.style.strip(",") or DEFAULT_STYLE)))

    @property
    def title(self) -> str:
        return f"Card of {self.ruleset}"

    @property
    def command(self) -> str:
        words = ["reroll", "card", self.ruleset, "--style", self.style or DEFAULT_STYLE]
        return shlex.join([*words, "--blocks", str(self.blocks), "--seed", str(self.seed)])
