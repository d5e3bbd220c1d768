"""The answer of a run to the question who plays better: the comparison, its differences with their intervals, and its basis."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.errors import GameError
from pipelines.experiments.comparison import compare_strategies, find_first_difference, twin_games
from pipelines.experiments.pair_results import rank_strategies
from pipelines.questions.address import describe_unknown
from pipelines.questions.comparison.played_strategies import played_strategies
from pipelines.questions.measured import Basis, Measured
from pipelines.questions.scores.distributions import read_score_groups
from pipelines.questions.scores.scope import scope_of_run

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.experiments.comparison import Comparison, FirstDifference, TwinGames
    from pipelines.experiments.pair_results import PairResult
    from pipelines.questions.comparison.played_strategies import PlayedStrategy
    from pipelines.questions.comparison.question import KnownComparisonQuestion
    from pipelines.questions.scores.distributions import GroupScores
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run
    from pipelines.runs.summary import RunSummary

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
    """Where the first twin games part; None if this was not logged."""

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
        one = self.comparison
        return Basis((one.run,), (one.ruleset,), (one.strategies,), one.games, one.blocks)

    @property
    def differences(self) -> tuple[Measured, ...]:
        """The difference of each pair, A - B, in the unit of the measure."""
        return tuple(Measured(pair.difference, pair.blocks, "block") for pair in self.comparison.pairs)

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
        twins = tuple(twin_games(run, pair.sides, most=MAX_TWINS))
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
