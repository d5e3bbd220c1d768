"""The answer of a run to the question who plays better: the comparison, its differences with their intervals, and its basis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.errors import GameError
from pipelines.experiments.compare.comparison import compare_strategies
from pipelines.experiments.compare.consequences import rank_strategies
from pipelines.questions.address import describe_unknown
from pipelines.questions.measured import Basis, Measured

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.pair_results import PairResult
    from pipelines.questions.comparison.question import KnownComparisonQuestion
    from pipelines.runs.run import Run
    from pipelines.runs.summary import RunSummary

MAX_LISTED_GAMES: Final = 50_000
"""Larger comparisons take seconds, for which a list of runs cannot wait."""


@dataclass(frozen=True)
class ComparisonAnswer:
    """A comparison of the strategies of a run."""

    question: KnownComparisonQuestion
    run: Run
    comparison: Comparison

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
        lineups = (one.strategies,)
        return Basis((self.run.name,), (one.ruleset,), lineups, one.games, one.blocks)

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
    question: KnownComparisonQuestion, run: Run, *, with_controls: bool = True
) -> ComparisonAnswer:
    """Return the answer of a run. The controls play some games again, which can take seconds.

    Raises InvalidError if the run compares nothing.
    """
    comparison = compare_strategies(run, metric=question.metric, with_controls=with_controls)
    return ComparisonAnswer(question, run, comparison)


def has_different_strategies(summary: RunSummary) -> bool:
    """Return whether a run can be compared: a comparison, or a simulation with another strategy for every player."""
    players = summary.rulesets[0].players
    return summary.is_comparison or (summary.plays_whole_games and len(summary.strategies) == players > 1)


def answer_for_list(question: KnownComparisonQuestion, run: Run) -> ComparisonAnswer | None:
    """Return the answer of a run without its controls; None if the run is too large for a list or cannot be compared."""
    if run.summary.games > MAX_LISTED_GAMES:
        return None
    try:
        return answer_comparison(question, run, with_controls=False)
    except GameError:
        return None
