"""The questions of the page Strategies as values: a new comparison, and one that a run of the library answers."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from pipelines.design.designs import design_comparison
from pipelines.design.limits import COMPARISON_BLOCKS
from pipelines.design.lineups import FIRST_LOOK_BLOCKS, MetricName, short_names
from pipelines.design.metrics import DEFAULT_METRIC
from pipelines.questions.address import Question, describe_unknown
from pipelines.questions.lineups import find_unknown_strategies
from pipelines.questions.seeds import find_seed_problem, parse_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.ruleset import Ruleset
    from pipelines.design.designs import ComparisonDesign

MAX_STRATEGIES: Final = 6
MAX_PAIRS: Final = 300
DrawerState: TypeAlias = Literal["", "true", "false"]
"""Whether a drawer of the page is open."""


class NewComparisonQuestion(Question):
    """Strategies that are to play each other. Without a field, it is the page with all comparisons."""

    page: ClassVar[str] = "strategies"
    form_fields: ClassVar[tuple[str, ...]] = ("ruleset", "lineup", "metric", "blocks", "until", "seed")
    """The keys of the form in the address."""

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    lineup: Annotated[tuple[str, ...], Field(title="strategies", max_length=MAX_STRATEGIES)] = ()
    metric: Annotated[MetricName, Field(title="measure")] = DEFAULT_METRIC
    blocks: Annotated[int, Field(title="blocks", ge=COMPARISON_BLOCKS.least, le=COMPARISON_BLOCKS.most)] = (
        COMPARISON_BLOCKS.default
    )
    until_decided: Annotated[bool, Field(title="value of until", alias="until")] = False
    """Stop as soon as the answer is certain; `blocks` is then the largest number."""
    seed: Annotated[str, Field(title="seed")] = ""
    """A whole number, or empty for any."""
    perfect_play: Annotated[DrawerState, Field(title="value of perfect-play", alias="perfect-play")] = ""
    calibration: Annotated[DrawerState, Field(title="value of calibration")] = ""

    @property
    def title(self) -> str:
        names = " against ".join(short_names(self.lineup).values())
        return f"Comparison: {names or 'strategies'}, {self.ruleset or 'any ruleset'}"

    @property
    def command(self) -> str:
        words = ["reroll", "compare", self.ruleset, *self.lineup, "--metric", self.metric]
        words += ["--until-decided"] if self.until_decided else []
        words += ["--blocks", str(self.played_blocks)]
        return shlex.join([*words, *(["--seed", self.seed] if self.seed else [])])

    @property
    def played_blocks(self) -> int:
        """The number of blocks, which is not below that of the first test if the comparison stops early."""
        return max(self.blocks, FIRST_LOOK_BLOCKS) if self.until_decided else self.blocks

    def design(self, ruleset: Ruleset) -> ComparisonDesign:
        """Return what is to be played under the ruleset of the question, on any luck if it names no seed.

        Raises InvalidError for an impossible comparison and for a text that is no seed.
        """
        return design_comparison(
            ruleset,
            self.lineup,
            blocks=self.played_blocks,
            until_decided=self.until_decided,
            metric=self.metric,
            seed=parse_seed(self.seed),
        )


def resolve_new_comparison(
    question: NewComparisonQuestion,
    rulesets: Mapping[str, Ruleset],
    offer: Callable[[Ruleset], Sequence[str]],
) -> tuple[NewComparisonQuestion, tuple[str, ...]]:
    """Return the question with a ruleset and strategies, and a sentence on each of its values that does not exist.

    `rulesets` are those of the library, `offer` returns the strategies of a ruleset, of which the first two are the default.
    A strategy that does not exist stays, so that it can be corrected.
    """
    problems: list[str] = []
    playable = comparable_rulesets(rulesets)
    name = question.ruleset
    if name not in playable:
        problems += [describe_unknown("ruleset", name)] if name else []
        name = next(iter(playable))
    lineup = tuple(dict.fromkeys(question.lineup))
    problems += find_unknown_strategies(playable[name], lineup)
    problems += find_seed_problem(question.seed)
    lineup = lineup or tuple(offer(playable[name])[:2])
    return question.model_copy(update={"ruleset": name, "lineup": lineup}), tuple(problems)


def comparable_rulesets(rulesets: Mapping[str, Ruleset]) -> dict[str, Ruleset]:
    """Return the rulesets for at least two players by name."""
    return {name: one for name, one in rulesets.items() if one.players > 1}


class KnownComparisonQuestion(Question):
    """The comparison that a run answers."""

    page: ClassVar[str] = "strategies"
    marks: ClassVar[frozenset[str]] = frozenset({"run"})

    run: Annotated[str, Field(title="comparison")] = ""
    pair: Annotated[int | None, Field(title="pair", ge=0, le=MAX_PAIRS)] = None
    """The number of the pair that is described; None for the two best strategies."""
    metric: Annotated[MetricName | None, Field(title="measure")] = None
    """None for the measure that the run was played for."""
    statistics: Annotated[DrawerState, Field(title="value of statistics")] = ""

    @property
    def title(self) -> str:
        return f"Comparison: {self.run}"

    @property
    def command(self) -> str:
        words = ["reroll", "compare", "--run", self.run]
        return shlex.join([*words, *(["--metric", self.metric] if self.metric else [])])
