"""Comparisons of strategies: a new one and one that a run answers as questions, their answer, and what is known of the strategies."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from engine.errors import GameError
from pipelines.design.designs import ComparisonDesign, design_comparison
from pipelines.design.limits import COMPARISON_BLOCKS
from pipelines.design.lineups import FIRST_LOOK_BLOCKS, MetricName
from pipelines.design.metrics import DEFAULT_METRIC
from pipelines.design.short_names import short_names
from pipelines.experiments.comparison import (
    Comparison,
    FirstDifference,
    TwinGames,
    compare_strategies,
    find_first_difference,
    twin_games,
)
from pipelines.experiments.pair_results import PairResult, rank_strategies
from pipelines.questions.address import Question, describe_unknown, number_field
from pipelines.questions.lineups import find_seed_problem, find_unknown_strategies, parse_seed
from pipelines.questions.measured import Basis, Measured
from pipelines.questions.scores.distributions import GroupScores, read_score_groups
from pipelines.questions.scores.scope import scope_of_run
from pipelines.runs.schema import PROGRAM_FAILED

if TYPE_CHECKING:
    import duckdb

    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run
    from pipelines.runs.summary import RunSummary


MAX_STRATEGIES: Final = 6
MAX_PAIRS: Final = 300
DrawerState: TypeAlias = Literal["", "true", "false"]
"""Whether a drawer of the page is open."""


class NewComparisonQuestion(Question):
    """Strategies that are to play each other. Without a field, it is the page with all comparisons."""

    page: ClassVar[str] = "strategies"
    form_fields: ClassVar[tuple[str, ...]] = (
        "ruleset",
        "strategies",
        "metric",
        "blocks",
        "until-decided",
        "seed",
    )
    """The keys of the form in the address."""

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    strategies: Annotated[tuple[str, ...], Field(title="strategies", max_length=MAX_STRATEGIES)] = ()
    metric: Annotated[MetricName, Field(title="measure", description="The quantity to compare.")] = (
        DEFAULT_METRIC
    )
    blocks: Annotated[int, number_field("blocks", COMPARISON_BLOCKS)] = COMPARISON_BLOCKS.default
    until_decided: Annotated[
        bool,
        Field(
            title="value of until-decided",
            description="Stop as soon as the answer is settled.",
            alias="until-decided",
        ),
    ] = False
    """`blocks` is then the largest number."""
    seed: Annotated[str, Field(title="seed")] = ""
    """A whole number, or empty for any."""
    perfect_play: Annotated[DrawerState, Field(title="value of perfect-play", alias="perfect-play")] = ""
    calibration: Annotated[DrawerState, Field(title="value of calibration")] = ""

    @property
    def title(self) -> str:
        names = " against ".join(short_names(self.strategies).values())
        return f"Comparison: {names or 'strategies'}, {self.ruleset or 'any ruleset'}"

    @property
    def command(self) -> str:
        words = ["reroll", "compare", self.ruleset, *self.strategies, "--metric", self.metric]
        words += ["--until-decided"] if self.until_decided else []
        words += ["--blocks", str(self.played_blocks)]
        return shlex.join([*words, *(["--seed", self.seed] if self.seed else [])])

    @property
    def played_blocks(self) -> int:
        """The number of blocks, which is not below that of the first test if the comparison stops early."""
        return max(self.blocks, FIRST_LOOK_BLOCKS) if self.until_decided else self.blocks

    def design(self, ruleset: Ruleset) -> ComparisonDesign:
        """Return what is to be played under the ruleset of the question, on any luck if it names no seed.

        Raises InvalidError for an impossible comparison and for an invalid seed.
        """
        return design_comparison(
            ruleset,
            self.strategies,
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

    `rulesets` are those of the library, `offer` returns the strategies of a ruleset; the first two are the default.
    A strategy that does not exist stays, so that it can be corrected.
    """
    problems: list[str] = []
    playable = comparable_rulesets(rulesets)
    name = question.ruleset
    if name not in playable:
        problems += [describe_unknown("ruleset", name)] if name else []
        name = next(iter(playable))
    lineup = tuple(dict.fromkeys(question.strategies))
    problems += find_unknown_strategies(playable[name], lineup)
    problems += find_seed_problem(question.seed)
    lineup = lineup or tuple(offer(playable[name])[:2])
    return question.model_copy(update={"ruleset": name, "strategies": lineup}), tuple(problems)


def comparable_rulesets(rulesets: Mapping[str, Ruleset]) -> dict[str, Ruleset]:
    """Return the rulesets for at least two players by name."""
    return {name: ruleset for name, ruleset in rulesets.items() if ruleset.players > 1}


class KnownComparisonQuestion(Question):
    """The comparison that a run answers."""

    page: ClassVar[str] = "strategies"
    marks: ClassVar[frozenset[str]] = frozenset({"run"})

    run: Annotated[str, Field(title="comparison")] = ""
    pair: Annotated[int | None, Field(title="pair", ge=0, le=MAX_PAIRS)] = None
    """The number of the pair that is described; None for the two best strategies."""
    metric: Annotated[
        MetricName | None,
        Field(
            title="measure",
            description=f"The quantity to compare; {DEFAULT_METRIC} by default, for a run the one that it was played for.",
        ),
    ] = None
    statistics: Annotated[DrawerState, Field(title="value of statistics")] = ""

    @property
    def title(self) -> str:
        return f"Comparison: {self.run}"

    @property
    def command(self) -> str:
        words = ["reroll", "compare", "--run", self.run]
        return shlex.join([*words, *(["--metric", self.metric] if self.metric else [])])


class PlayedStrategy(NamedTuple):
    """A strategy of a run."""

    strategy: str
    """Its full name, as all tables of the run call it."""
    notation: str
    """Its name with every parameter; the command line takes it."""
    title: str
    """What it does, in a sentence."""
    decisions: int
    """Number of decisions that were timed; 0 if the run timed none."""
    seconds: float
    """Seconds that these decisions took together."""
    program: str | None
    """For a program, what it calls itself, and in how many games it failed."""

    @property
    def has_failed(self) -> bool:
        """True for a program that failed in some games, which random moves finished."""
        return PROGRAM_FAILED in (self.program or "")


def played_strategies(con: duckdb.DuckDBPyConnection) -> list[PlayedStrategy]:
    """Return the strategies of the runs, in the order of their names."""
    rows = con.execute(
        """
        SELECT strategy, any_value(notation), any_value(title), coalesce(sum(t.decisions), 0)::BIGINT,
          coalesce(sum(t.seconds), 0)::DOUBLE, any_value(program)
        FROM strategies LEFT JOIN (
          SELECT run, strategy, sum(decisions) AS decisions, sum(seconds) AS seconds FROM decision_times GROUP BY ALL
        ) AS t USING (run, strategy)
        GROUP BY strategy ORDER BY strategy
        """
    ).fetchall()
    return [PlayedStrategy(*row) for row in rows]


MAX_LISTED_GAMES: Final = 50_000
"""Larger comparisons take seconds, for which a list of runs cannot wait."""
MAX_TWINS: Final = 200


@dataclass(frozen=True)
class ComparisonAnswer:
    """A comparison of the strategies of a run, with what its games show beside it."""

    question: KnownComparisonQuestion
    comparison: Comparison
    run: Run | None = None
    """None for a run that is still played; the fields below are then empty."""
    scores: tuple[GroupScores, ...] = ()
    played: tuple[PlayedStrategy, ...] = ()
    twins: tuple[TwinGames, ...] = ()
    """The twin games of the pair, those with the greatest difference first."""
    parting: FirstDifference | None = None
    """Where the opened twin games part; None if this was not logged."""
    opened_twin: int = 0
    """The index of these twin games."""

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset of the run."""
        if self.run is None:
            raise ValueError("A run that is still played has no ruleset to read.")
        return next(iter(self.run.rulesets.values()))

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence on everything that the question names and the comparison does not have."""
        number = self.question.pair
        if number is None or number < len(self.comparison.pairs):
            return ()
        return (describe_unknown("pair", str(number), "in this comparison"),)

    @property
    def basis(self) -> Basis:
        comparison = self.comparison
        return Basis(
            (comparison.run,),
            (comparison.ruleset,),
            (comparison.strategies,),
            comparison.games,
            comparison.blocks,
        )

    @property
    def differences(self) -> tuple[Measured, ...]:
        """The difference of each pair, A - B, in the unit of the measure."""
        return tuple(Measured(pair.difference, pair.blocks) for pair in self.comparison.pairs)

    @property
    def pair_number(self) -> int:
        """The number of the pair that the question names, else of the two best strategies."""
        pairs, number = self.comparison.pairs, self.question.pair
        if number is not None and number < len(pairs):
            return number
        best = set(rank_strategies(pairs)[:2])
        return next((at for at, pair in enumerate(pairs) if {pair.a, pair.b} == best), 0)

    @property
    def pair(self) -> PairResult:
        return self.comparison.pairs[self.pair_number]

    def open_twin(self, index: int) -> ComparisonAnswer:
        """Return the answer that tells where other twin games part."""
        twin = self.twins[index]
        parting = find_first_difference(self.run, twin.game_a, twin.game_b) if self.run else None
        return replace(self, opened_twin=index, parting=parting)


def answer_comparison(
    question: KnownComparisonQuestion, source: QuestionSource, *, with_controls: bool = True
) -> ComparisonAnswer:
    """Return the answer of a run. The controls play some games again, which can take seconds.

    Raises InvalidError if the run compares nothing.
    """
    run = source.find_run(question.run)
    comparison = compare_strategies(run, metric=question.metric, with_controls=with_controls)
    pair = ComparisonAnswer(question, comparison).pair
    twins: tuple[TwinGames, ...] = ()
    parting = None
    with suppress(GameError):  # a simulation may have no twin games, and games without moves have no parting
        twins = tuple(twin_games(run, pair.sides, limit=MAX_TWINS))
        parting = find_first_difference(run, twins[0].game_a, twins[0].game_b) if twins else None
    scope = scope_of_run(run, comparison.sha256)
    return ComparisonAnswer(
        question,
        comparison,
        run,
        read_score_groups(scope, source),
        tuple(source.query(played_strategies, [run])),
        twins,
        parting,
    )


def has_different_strategies(summary: RunSummary) -> bool:
    """Return whether a run can be compared: a comparison, or a simulation with another strategy for every player."""
    players = summary.rulesets[0].players
    return summary.is_comparison or (summary.plays_whole_games and len(summary.strategies) == players > 1)


def answer_for_list(question: KnownComparisonQuestion, run: Run) -> ComparisonAnswer | None:
    """Return the comparison of a run alone; None if the run is too large for a list or cannot be compared."""
    if run.summary.games > MAX_LISTED_GAMES:
        return None
    try:
        return ComparisonAnswer(
            question, compare_strategies(run, metric=question.metric, with_controls=False)
        )
    except GameError:
        return None
