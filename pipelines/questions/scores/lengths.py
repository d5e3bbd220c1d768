"""How long games are, by ruleset, in rounds or in plies."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pipelines.questions.measured import Basis, Measured
from pipelines.questions.scores import rollup_sums
from pipelines.questions.scores.rollup_sums import count_game_blocks
from pipelines.statistics import Distribution, mean_interval

if TYPE_CHECKING:
    from pipelines.questions.scores.question import LengthUnit, ScoresQuestion
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource


@dataclass(frozen=True)
class GameLengths:
    """The lengths of the games of a ruleset."""

    ruleset: str
    """The label of the ruleset."""
    lengths: Distribution
    mean: Measured


@dataclass(frozen=True)
class LengthsAnswer:
    """The lengths of all games of the chosen runs, with all strategies."""

    question: ScoresQuestion
    scope: ScoresScope
    lengths: tuple[GameLengths, ...]
    basis: Basis
    problems: tuple[str, ...] = ()


def answer_lengths(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> LengthsAnswer:
    """Return the lengths of games for each ruleset that has games."""
    found = read_lengths(scope, source, question.length)
    basis = scope.describe_basis(max((one.mean.n for one in found), default=0))
    return LengthsAnswer(question, scope, found, basis)


def read_lengths(scope: ScoresScope, source: QuestionSource, unit: LengthUnit) -> tuple[GameLengths, ...]:
    """Return the lengths of games in rounds or plies. The interval of a mean counts each block as one game."""
    counts: dict[str, Counter[int]] = {sha256: Counter() for sha256 in scope.hashes}
    for row in source.query(rollup_sums.game_lengths, scope.runs, scope.hashes):
        counts[row.sha256][row.rounds if unit == "rounds" else row.plies] += row.games
    runs = scope.runs_by_ruleset
    found = []
    for sha256, games in counts.items():
        if games:
            lengths = Distribution(
                np.array(sorted(games), dtype=np.int64),
                np.array([games[length] for length in sorted(games)], dtype=np.int64),
            )
            own = count_game_blocks(runs[sha256])
            mean = mean_interval(lengths.mean, lengths.sd, own.count_units(lengths.n))
            measured = Measured(mean, min(own.blocks, lengths.n), "block")
            found.append(GameLengths(scope.labels[sha256], lengths, measured))
    return tuple(found)
