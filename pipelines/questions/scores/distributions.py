"""The distributions of scores or of the points of one part, by ruleset and strategy, and the results in a range of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

import numpy as np

from engine.errors import InvalidError
from pipelines.questions.measured import Measured
from pipelines.questions.scores import rollup_sums
from pipelines.questions.scores.question import Comparison, ScoresQuestion
from pipelines.questions.scores.scope import ScoresScope, can_compare_strategies, scope_of_run
from pipelines.questions.source import QuestionSource
from pipelines.statistics import Distribution, Interval, mean_interval, share_interval
from pipelines.statistics.intervals import Floats, block_sums_mean

if TYPE_CHECKING:
    import duckdb

    from pipelines.runs.run import Run


@dataclass(frozen=True)
class GroupScores:
    """The scores of one strategy under one ruleset, of all its seats or of one."""

    ruleset: str
    """The label of the ruleset."""
    ruleset_name: str
    """What people call it beside the others."""
    sha256: str
    strategy: str
    name: str
    """The short name of the strategy."""
    scores: Distribution
    mean: Measured
    units: int
    """What intervals count that do not know which results share a block."""
    seat: int | None = None

    @property
    def blocks(self) -> int:
        return self.mean.n

    @property
    def estimate(self) -> float:
        return self.mean.interval.estimate if self.mean.interval else self.scores.mean


class MeansComparison(NamedTuple):
    """One mean and others beside it: of the same strategy under other rulesets, or of the next strategy of the same runs."""

    base: GroupScores
    others: tuple[tuple[GroupScores, Interval], ...]
    """With the difference: of rulesets, the other minus the base; of strategies, the base minus the other."""
    is_of_rulesets: bool
    opposite_wins: tuple[float, float] | None = None
    """The shares of the wins of the base and the other strategy, if wins clearly say the opposite of their means."""


def list_comparisons(scope: ScoresScope) -> list[Comparison]:
    """Return what can share a panel; the first one is the default."""
    ways: tuple[Comparison, ...] = get_args(Comparison)
    return [way for way in ways if way and (way != "Rulesets" or len(scope.rulesets) > 1)]


def find_comparison(question: ScoresQuestion, scope: ScoresScope) -> Comparison:
    """Return what shares a panel: what the question asks for if the rulesets allow it, else the default."""
    ways = list_comparisons(scope)
    return question.compared if question.compared in ways else ways[0]


def find_part(question: ScoresQuestion, scope: ScoresScope) -> str:
    """Return the name of the part of the score that is asked; empty for the whole score."""
    return next((name for name, title in scope.part_titles.items() if title == question.part), "")


def read_score_groups(
    scope: ScoresScope, source: QuestionSource, part: str = "", *, by_seat: bool = False
) -> tuple[GroupScores, ...]:
    """Return the scores of each ruleset and strategy, or the points of a part; also of each seat if wanted.

    Where the counts do not cover whole blocks (of some seats, or of a part), the interval counts each block as one result
    (`CountedBlocks.count_units`), which is never too narrow.
    """
    if part:
        counts = source.query(rollup_sums.part_counts, scope.runs, scope.hashes, part)
    else:
        counts = source.query(
            rollup_sums.score_counts, scope.runs, scope.hashes, scope.seats, by_seat=by_seat
        )
    blocks_held = rollup_sums.read_strategy_blocks(scope, source)
    labels, ruleset_names = scope.labels, scope.ruleset_names
    counts_in_scope = [row for row in counts if row.strategy in scope.names]
    groups = []
    for (sha256, strategy, seat), rows in groupby(
        counts_in_scope, lambda row: (row.sha256, row.strategy, row.seat)
    ):
        columns = np.array([(row.score, row.results) for row in rows], dtype=np.int64)
        scores = Distribution(columns[:, 0], columns[:, 1])
        blocks = blocks_held[sha256, strategy]
        units = blocks.count_units(scores.n)
        is_whole = not (part or scope.seats or by_seat)
        mean = block_sums_mean(blocks.sums) if is_whole else mean_interval(scores.mean, scores.sd, units)
        measured = Measured(mean, min(blocks.blocks, scores.n))
        name = scope.names[strategy]
        groups.append(
            GroupScores(
                labels[sha256], ruleset_names[sha256], sha256, strategy, name, scores, measured, units, seat
            )
        )
    order = list(labels)
    return tuple(
        sorted(groups, key=lambda group: (order.index(group.sha256), group.strategy, group.seat or 0))
    )


def compare_means(scope: ScoresScope, source: QuestionSource, part: str = "") -> tuple[MeansComparison, ...]:
    """Compare means: those of each strategy between the rulesets if there are several, else those of the best two strategies; none if unfair."""
    if not scope.is_comparable:
        return ()
    groups, lowest_wins = read_score_groups(scope, source, part), scope.rulesets[0].lowest_wins and not part
    if len(scope.rulesets) > 1:
        compared = choose_compared(groups, lowest_wins=lowest_wins)
    else:
        compared = [choose_best(groups, scope.runs, lowest_wins=lowest_wins)]
    return tuple(_compare_groups(chosen, scope, source, part) for chosen in compared if chosen)


def _compare_groups(
    chosen: Sequence[GroupScores], scope: ScoresScope, source: QuestionSource, part: str
) -> MeansComparison:
    """Compare the first group with all others."""
    base, *others = chosen
    is_of_rulesets = len(scope.rulesets) > 1
    differences, opposite_wins = [], None
    for other in others:
        a, b = (other, base) if is_of_rulesets else (base, other)
        paired = _pair_by_luck(scope, source, a, b) if not part else None
        difference = paired.score if paired else add_half_widths(a.mean.interval, b.mean.interval)
        differences.append((other, difference))
        if paired and not is_of_rulesets and scope.rulesets[0].players > 1:
            opposite_wins = _find_opposite_wins(paired, lowest_wins=scope.rulesets[0].lowest_wins)
    return MeansComparison(base, tuple(differences), is_of_rulesets, opposite_wins)


def choose_compared(groups: Sequence[GroupScores], *, lowest_wins: bool) -> list[list[GroupScores]]:
    """Return the groups of each strategy that played under every ruleset, in their order, the best strategy first."""
    by_strategy: dict[str, list[GroupScores]] = {}
    measured = [group for group in groups if group.mean.has_interval]
    for group in measured:
        by_strategy.setdefault(group.strategy, []).append(group)
    rulesets = dict.fromkeys(group.ruleset for group in measured)
    everywhere = [entries for entries in by_strategy.values() if len(entries) == len(rulesets) > 1]
    sign = 1 if lowest_wins else -1
    return sorted(everywhere, key=lambda entries: sign * entries[0].estimate)


def choose_best(
    groups: Sequence[GroupScores], runs: Sequence[Run], *, lowest_wins: bool
) -> list[GroupScores]:
    """Return the best group, and the best one of the other strategies if they can be compared."""
    sign = 1 if lowest_wins else -1
    measured = sorted(
        (group for group in groups if group.mean.has_interval), key=lambda group: sign * group.estimate
    )
    best, others = measured[:1], measured[1:]
    return best + (others[:1] if can_compare_strategies(runs) else [])


def _pair_by_luck(
    scope: ScoresScope, source: QuestionSource, a: GroupScores, b: GroupScores
) -> rollup_sums.PairedDifference | None:
    """Return how a and b differ, paired by luck; None if there are too few blocks. A run has no block sums of parts."""
    keys = (rollup_sums.ScoreGroup(a.sha256, a.strategy), rollup_sums.ScoreGroup(b.sha256, b.strategy))
    return source.query(rollup_sums.difference_of_means, scope.runs, *keys, scope.seats)


def _find_opposite_wins(
    paired: rollup_sums.PairedDifference, *, lowest_wins: bool
) -> tuple[float, float] | None:
    """Return the shares of the wins if these and the scores clearly name different strategies as the better one."""
    by_score, by_wins = find_sign(paired.score), find_sign(paired.wins) if paired.wins else 0
    return paired.win_shares if by_score * by_wins * (-1 if lowest_wins else 1) < 0 else None


def find_sign(difference: Interval) -> int:
    """Return 1 or -1 if an interval has only positive or only negative numbers, else 0."""
    return int(difference.low > 0) - int(difference.high < 0)


def add_half_widths(a: Interval | None, b: Interval | None) -> Interval:
    """Return the difference a - b of two means, with an interval that holds however the two depend on each other.

    Runs may share their luck. The standard deviation of a difference is at most the sum of both, so the half widths add up.

    >>> add_half_widths(Interval(5.0, 4.0, 6.0), Interval(3.0, 2.5, 3.5))
    Interval(estimate=2.0, low=0.5, high=3.5)
    """
    if a is None or b is None:
        raise ValueError("a mean without an interval has no difference")
    half, estimate = a.half_width + b.half_width, a.estimate - b.estimate
    return Interval(estimate, estimate - half, estimate + half)


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
    source, results = QuestionSource(only=(run,)), []
    shares = source.query(_read_block_win_shares, [run])
    for summary in run.summary.rulesets:
        for group in read_score_groups(scope_of_run(run, summary.sha256), source):
            block_shares = shares.get((summary.name, group.strategy))
            if block_shares is None:
                raise InvalidError(
                    f"{run.path}: the file is damaged: it counts scores of games that it does not hold"
                )
            blocks = 1 if run.repeats_one_block else len(block_shares)
            wins = Measured(share_interval(block_shares[:blocks]), blocks)
            results.append(StrategyResult(group, float(block_shares.mean()), wins))
    return sorted(results, key=lambda result: (result.group.ruleset, -result.win_share))


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


MAX_RESULTS_SEARCHED: Final = 4000
"""Results that are searched for a list: more than a list shows, and fewer than a large run has."""


class ResultInRange(NamedTuple):
    """A result whose score, or points of a part, lie in a range, and its game."""

    run: str
    game: int
    seat: int
    strategy: str
    score: int
    rank: int
    rounds: int
    plies: int
    is_logged: bool


_RESULTS_BY_SCORE_SQL: Final = """SELECT run, game_id, seat, strategy, score, rank FROM seats
    WHERE score BETWEEN $low AND $high AND strategy = ANY($strategies)"""
_RESULTS_BY_PART_SQL: Final = (
    "SELECT run, game_id, seat FROM parts WHERE part = $part AND points BETWEEN $low AND $high"
)
_RESULTS_NEAR_FOUND_SQL: Final = """SELECT run, game_id, seat, strategy, score, rank
    FROM seats SEMI JOIN found USING (run, game_id, seat)
    WHERE game_id BETWEEN (SELECT min(game_id) FROM found) AND (SELECT max(game_id) FROM found)"""


def count_results_by_run(
    con: duckdb.DuckDBPyConnection, strategies: tuple[str, ...], part: str, span: tuple[int, int]
) -> dict[str, int]:
    """Count the results in a span by run, of all seats; runs without one are left out."""
    table, value, count = (
        ("part_histogram", "points", "seats") if part else ("score_histogram", "score", "games")
    )
    rows = con.execute(
        f"""SELECT run, sum({count})::BIGINT FROM {table}
            WHERE {value} BETWEEN $low AND $high AND strategy = ANY($strategies) {"AND part = $part" if part else ""}
            GROUP BY run""",  # noqa: S608 - only texts of this file are put together
        {"low": span[0], "high": span[1], "strategies": list(strategies)} | ({"part": part} if part else {}),
    ).fetchall()
    return dict(rows)


def results_between(  # noqa: PLR0913, PLR0917 - the filters of the question
    con: duckdb.DuckDBPyConnection,
    strategies: tuple[str, ...],
    seats: tuple[int, ...],
    part: str,
    span: tuple[int, int],
    limit: int,
) -> list[ResultInRange]:
    """Return the results whose score, or points of `part` if it is not empty, are in `span`, both ends included.

    At most `limit` of each run in the order of the games.
    """
    found_sql = f"""FROM ({_RESULTS_BY_PART_SQL if part else _RESULTS_BY_SCORE_SQL} AND (len($seats) = 0 OR seat = ANY($seats)))
        LIMIT {MAX_RESULTS_SEARCHED}"""
    # The rows of a score hold everything that is listed; the points of a part stand in another table.
    near = _RESULTS_NEAR_FOUND_SQL if part else "SELECT * FROM found"
    values = {
        "strategies": list(strategies),
        "seats": list(seats),
        "low": span[0],
        "high": span[1],
        "most": limit,
    }
    rows = con.execute(
        f"""WITH found AS MATERIALIZED ({found_sql}), near AS ({near}),
            chosen AS (FROM near WHERE strategy = ANY($strategies)
              QUALIFY row_number() OVER (PARTITION BY run ORDER BY game_id, seat) <= $most)
            SELECT run, game_id, seat, strategy, score, rank, rounds, plies, logged
            FROM chosen JOIN games USING (run, game_id) ORDER BY run, game_id, seat""",  # noqa: S608 - only texts of this file are put together
        values | ({"part": part} if part else {}),
    ).fetchall()
    return [ResultInRange(*row) for row in rows]


def list_results_in_range(
    scope: ScoresScope, source: QuestionSource, part: str, span: tuple[int, int], limit: int
) -> list[ResultInRange]:
    """Return the results of a scope in a range, from the newest run on, at most `limit`."""
    runs = {run.name: run for runs_of_ruleset in scope.runs_by_ruleset.values() for run in runs_of_ruleset}
    counts = source.query(count_results_by_run, tuple(runs.values()), scope.strategies, part, span)
    waiting = [run for name, run in runs.items() if name in counts]
    results: list[ResultInRange] = []
    while waiting and len(results) < limit:
        # The runs that have too few results are asked together, and then one that may have very many.
        few, left = [], limit - len(results)
        while waiting and counts[waiting[0].name] < left:
            left -= counts[waiting[0].name]
            few.append(waiting.pop(0))
        for runs_together in filter(None, (few, waiting[:1])):
            order = [run.name for run in runs_together]
            query = (scope.strategies, scope.seats, part, span, limit)
            results += sorted(
                source.query(results_between, runs_together, *query),
                key=lambda result: order.index(result.run),
            )
        del waiting[:1]
    return results[:limit]
