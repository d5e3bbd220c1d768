"""The results of every strategy of one run: its scores as the page Scores gives them, and its share of the wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.errors import InvalidError
from pipelines.questions.measured import Measured
from pipelines.questions.scores.distributions import read_score_groups
from pipelines.questions.scores.scope import scope_of_run
from pipelines.questions.source import QuestionSource
from pipelines.statistics import share_interval

if TYPE_CHECKING:
    import duckdb

    from pipelines.questions.scores.distributions import GroupScores
    from pipelines.runs.run import Run
    from pipelines.statistics.intervals import Floats


class StrategyResult(NamedTuple):
    """The scores and the share of the wins of a strategy under a ruleset."""

    group: GroupScores
    win_share: float
    """Ties are split."""
    wins: Measured
    """The same with its interval."""


def answer_run(run: Run) -> list[StrategyResult]:
    """Return the results of every strategy, in the order of the names of rulesets and the shares of wins.

    Raises InvalidError if the file is damaged.
    """
    source, found = QuestionSource(only=(run,)), []
    shares = source.query(_read_block_win_shares, [run])
    for summary in run.summary.rulesets:
        for group in read_score_groups(scope_of_run(run, summary.sha256), source):
            own = shares.get((summary.name, group.strategy))
            if own is None:
                raise InvalidError(
                    f"{run.path}: the file is damaged: it counts scores of games that it does not hold"
                )
            wins = Measured(share_interval(own), len(own), "block")
            found.append(StrategyResult(group, float(own.mean()), wins))
    return sorted(found, key=lambda one: (one.group.ruleset, -one.win_share))


def _read_block_win_shares(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], Floats]:
    """Return the mean share of the wins in each block, by the names of ruleset and strategy."""
    rows = con.execute(
        "SELECT ruleset, strategy, list(wins ORDER BY block) FROM ("
        "SELECT ruleset, strategy, block, avg(win_share)::DOUBLE AS wins "
        "FROM seats JOIN games USING (run, game_id) GROUP BY ALL) GROUP BY ALL"
    ).fetchall()
    return {(ruleset, strategy): np.array(wins) for ruleset, strategy, wins in rows}


class ResultSoFar(NamedTuple):
    """The results of a strategy under a ruleset in a run that is not finished."""

    ruleset: str
    strategy: str
    results: int
    mean: float
    sd: float | None
    lowest: int
    highest: int
    wins: float


def read_results_so_far(con: duckdb.DuckDBPyConnection) -> list[ResultSoFar]:
    """Return the results of the games that are finished, from a connection to an unfinished run."""
    rows = con.execute(
        "SELECT ruleset, strategy, count(*), avg(score), stddev_samp(score), min(score), max(score), "
        "avg(win_share) FROM seats JOIN games USING (game_id) GROUP BY ruleset, strategy ORDER BY 1, 8 DESC"
    ).fetchall()
    return [ResultSoFar(*row) for row in rows]
