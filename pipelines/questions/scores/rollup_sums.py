"""The SQL of the roll-ups of scores, the blocks behind them, and differences of means, paired by the luck in common.

Each function asks a connection over one or several runs and returns few rows.

Queries take the hashes of rulesets, because runs may use one name for different rules. A scan over plies would be slow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

from pipelines.questions.scores.scope import ScoresScope, find_shared_luck
from pipelines.statistics import Interval, block_sums_difference
from pipelines.statistics.intervals import BlockSum, count_equal_blocks

if TYPE_CHECKING:
    import duckdb

    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run

R = TypeVar("R")

_RULESETS_FILTER_SQL: Final = (
    "JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset WHERE r.sha256 = ANY($rulesets)"
)
LUCK_SQL: Final = "SELECT run, CASE WHEN kind IN ('simulate', 'compare') THEN seed::VARCHAR ELSE 'of ' || run END AS luck FROM run"
"""For each run what its luck comes from: blocks of equal luck and numbers count as one. No other two runs have the same games."""
_SEATS_FILTER_SQL: Final = "(len($seats) = 0 OR seat = ANY($seats))"


class ScoreCount(NamedTuple):
    """How many results had a score, or points of a part."""

    sha256: str
    strategy: str
    seat: int | None
    """None for all seats together."""
    score: int
    results: int


class BlockSums(NamedTuple):
    """Sums over `blocks` blocks with `seats_per_block` results each."""

    sha256: str
    strategy: str
    seats_per_block: int
    blocks: int
    total: float
    """Sum of the scores."""
    squares: float
    """Sum of the squares of the block sums."""


class PlaceSums(NamedTuple):
    """Sums over n results at one place: a part of the score or a round."""

    sha256: str
    strategy: str
    at: str | int
    n: int
    total: float
    """Sum of the scores or points."""
    squares: float
    """Sum of their squares."""


def score_counts(
    con: duckdb.DuckDBPyConnection,
    rulesets: tuple[str, ...],
    seats: tuple[int, ...],
    *,
    by_seat: bool = False,
) -> list[ScoreCount]:
    """Count the results of each final score, ascending. `seats` are the seats that count; all if empty."""
    query = f"""SELECT sha256, strategy, {"seat" if by_seat else "NULL"}, score, sum(games)::BIGINT
        FROM score_histogram AS t {_RULESETS_FILTER_SQL} AND {_SEATS_FILTER_SQL}
        GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, ScoreCount, query, rulesets=rulesets, seats=seats)


def part_counts(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...], part: str) -> list[ScoreCount]:
    """Count the results of each number of points of a part of the score, ascending; all seats together."""
    query = f"""SELECT sha256, strategy, NULL, points, sum(seats)::BIGINT
        FROM part_histogram AS t {_RULESETS_FILTER_SQL} AND list_contains($parts, part)
        GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, ScoreCount, query, rulesets=rulesets, parts=(part,))


class SeatWins(NamedTuple):
    """The wins of a strategy in a seat; shared wins count in parts."""

    sha256: str
    strategy: str
    seat: int
    results: int
    wins: float


def seat_wins(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[SeatWins]:
    """Sum the wins of each strategy in each seat. This reads all games."""
    query = f"""SELECT sha256, strategy, seat, count(*), sum(win_share)::DOUBLE
        FROM seats AS s JOIN games AS t USING (run, game_id) {_RULESETS_FILTER_SQL}
        GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, SeatWins, query, rulesets=rulesets)


def seat_blocks(con: duckdb.DuckDBPyConnection, ruleset: str) -> dict[str, Any]:
    """Sum the scores and wins of each strategy in each seat of a block, as columns of equal length. This reads all games.

    Blocks of equal luck and numbers are one, in whichever run they are; they are counted from 0.
    """
    query = f"""SELECT dense_rank() OVER (ORDER BY l.luck, g.block) - 1 AS block, s.strategy, s.seat,
          sum(s.score)::DOUBLE AS score, sum(s.win_share)::DOUBLE AS wins, count(*)::DOUBLE AS results
        FROM seats AS s JOIN games AS g USING (run, game_id) JOIN rulesets AS r USING (run, ruleset)
        JOIN ({LUCK_SQL}) AS l USING (run)
        WHERE r.sha256 = $ruleset GROUP BY l.luck, g.block, s.strategy, s.seat"""
    return con.execute(query, {"ruleset": ruleset}).fetchnumpy()


class LengthCount(NamedTuple):
    """How many games had these numbers of rounds and plies."""

    sha256: str
    rounds: int
    plies: int
    games: int


def game_lengths(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[LengthCount]:
    """Count games by their length."""
    query = f"""SELECT sha256, rounds, plies, sum(games)::BIGINT
        FROM game_lengths AS t {_RULESETS_FILTER_SQL}
        GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, LengthCount, query, rulesets=rulesets)


def block_sums(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[BlockSums]:
    """Sum the scores of each strategy over blocks, the independent units of the statistics."""
    query = f"""SELECT sha256, strategy, seats_per_block, sum(n)::BIGINT,
          sum(score_sum)::DOUBLE, sum(score_square_sum)::DOUBLE
        FROM block_scores AS t {_RULESETS_FILTER_SQL}
        GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, BlockSums, query, rulesets=rulesets)


def single_block_sums(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[BlockSums]:
    """Return the same for runs whose blocks are all copies of one: these count as one block."""
    return [
        row._replace(blocks=1, total=row.total / row.blocks, squares=row.squares / row.blocks)
        for row in block_sums(con, rulesets)
    ]


def shared_block_sums(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[BlockSums]:
    """Return the same for runs that share luck: their blocks with equal luck and numbers are one block. This reads all games."""
    query = f"""WITH blocks AS (
          SELECT r.sha256, s.strategy, l.luck, g.block, count(*) AS results, sum(s.score)::BIGINT AS score
          FROM seats AS s
          JOIN games AS g ON g.run = s.run AND g.game_id = s.game_id
          JOIN rulesets AS r ON r.run = g.run AND r.ruleset = g.ruleset
          JOIN ({LUCK_SQL}) AS l ON l.run = g.run
          WHERE list_contains($rulesets, r.sha256) GROUP BY ALL)
        SELECT sha256, strategy, results, count(*), sum(score)::DOUBLE, sum(score::HUGEINT * score)::DOUBLE
        FROM blocks GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, BlockSums, query, rulesets=rulesets)


def part_points(
    con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...], seats: tuple[int, ...]
) -> list[PlaceSums]:
    """Sum the points of every part of the score. `seats` are the seats that count; all if empty."""
    query = f"""SELECT sha256, strategy, part, sum(n)::BIGINT, sum(points_sum)::DOUBLE, sum(points_square_sum)::DOUBLE
        FROM part_totals AS t {_RULESETS_FILTER_SQL} AND {_SEATS_FILTER_SQL}
        GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, PlaceSums, query, rulesets=rulesets, seats=seats)


def scores_by_round(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[PlaceSums]:
    """Sum the scores after each round."""
    query = f"""SELECT sha256, strategy, round, sum(n)::BIGINT, sum(score_sum)::DOUBLE, sum(score_square_sum)::DOUBLE
        FROM score_by_round AS t {_RULESETS_FILTER_SQL}
        GROUP BY ALL ORDER BY ALL"""
    return _query_rows(con, PlaceSums, query, rulesets=rulesets)


def _query_rows(
    con: duckdb.DuckDBPyConnection, row: Callable[..., R], query: str, **values: tuple[Any, ...]
) -> list[R]:
    """Execute a query and return its rows as named tuples."""
    parameters = {key: list(value) for key, value in values.items()}
    return [row(*fields) for fields in con.execute(query, parameters).fetchall()]


class CountedBlocks(NamedTuple):
    """The blocks of a strategy, or of all games, under a ruleset."""

    sums: tuple[BlockSum, ...] = ()
    """By the number of results, or of games, that a block has."""

    @property
    def blocks(self) -> int:
        """Number of different blocks."""
        return sum(block_sum.blocks for block_sum in self.sums)

    def count_units(self, results: int, blocks: int | None = None) -> int:
        """Return what an interval counts that does not know which results share a block, so that it is never too narrow.

        `results` is the number of results, and `blocks` the number of blocks that they are of, all if None.
        """
        if not self.blocks:
            return 0
        blocks = self.blocks if blocks is None else min(blocks, self.blocks)
        return min(blocks * count_equal_blocks(self.sums) // self.blocks, results)


def read_strategy_blocks(
    scope: ScoresScope, source: QuestionSource
) -> defaultdict[tuple[str, str], CountedBlocks]:
    """Return the blocks of the strategies, by the hash of the ruleset and the strategy.

    Roll-ups answer it, but for runs of one ruleset with equal seeds and other line-ups: their games are read.
    """
    sums: defaultdict[tuple[str, str], dict[int, BlockSum]] = defaultdict(dict)
    for sha256, runs in scope.runs_by_ruleset.items():
        shared = find_shared_luck(runs)
        unshared = [run for run in runs if run not in shared]
        copied = [run for run in scope.copied if run in unshared]
        varied = [run for run in unshared if run not in copied]
        for read_sums, chosen in (
            (block_sums, varied),
            (shared_block_sums, shared),
            (single_block_sums, copied),
        ):
            for row in source.query(read_sums, chosen, (sha256,)) if chosen else ():
                sums_by_size = sums[sha256, row.strategy]
                known = sums_by_size.get(row.seats_per_block, BlockSum(row.seats_per_block, 0, 0, 0))
                sums_by_size[row.seats_per_block] = BlockSum(
                    row.seats_per_block,
                    known.blocks + row.blocks,
                    known.total + row.total,
                    known.squares + row.squares,
                )
    return defaultdict(
        CountedBlocks,
        {key: CountedBlocks(tuple(sums_by_size.values())) for key, sums_by_size in sums.items()},
    )


def count_game_blocks(runs: Sequence[Run]) -> CountedBlocks:
    """Return the blocks of all games of some runs, without sums of scores."""
    by_luck: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_luck[run.summary.played.luck].append(run)
    sums, start = [], 0
    for runs_of_luck in by_luck.values():
        for end in sorted({run.summary.played.blocks for run in runs_of_luck}):
            games = [
                summary.games // summary.played.blocks
                for run in runs_of_luck
                if (summary := run.summary).played.blocks >= end
            ]
            sums.append(BlockSum(sum(games), end - start, 0, 0))
            start = end
        start = 0
    return CountedBlocks(tuple(sums))


class ScoreGroup(NamedTuple):
    """The results of a strategy under a ruleset."""

    ruleset: str
    """Hash."""
    strategy: str


class PairedDifference(NamedTuple):
    """How two groups differ, a minus b, with 95 % intervals."""

    score: Interval
    """Of the mean scores."""
    wins: Interval | None
    """Of the shares of the wins; None if all blocks are equal."""
    win_shares: tuple[float, float]


def difference_of_means(
    con: duckdb.DuckDBPyConnection, a: ScoreGroup, b: ScoreGroup, seats: tuple[int, ...]
) -> PairedDifference | None:
    """Return how the results of a differ from those of b; None if there are too few blocks.

    Blocks of equal luck and numbers count as one, in whichever run they are. `seats` are the
    seats that count; all if empty.
    """
    columns = con.execute(
        f"""SELECT
             coalesce(sum(s.score) FILTER (r.sha256 = $ruleset_a AND s.strategy = $strategy_a), 0)::DOUBLE AS sum_a,
             count(*) FILTER (r.sha256 = $ruleset_a AND s.strategy = $strategy_a)::DOUBLE AS count_a,
             coalesce(sum(s.score) FILTER (r.sha256 = $ruleset_b AND s.strategy = $strategy_b), 0)::DOUBLE AS sum_b,
             count(*) FILTER (r.sha256 = $ruleset_b AND s.strategy = $strategy_b)::DOUBLE AS count_b,
             coalesce(sum(s.win_share) FILTER (r.sha256 = $ruleset_a AND s.strategy = $strategy_a), 0)::DOUBLE AS wins_a,
             coalesce(sum(s.win_share) FILTER (r.sha256 = $ruleset_b AND s.strategy = $strategy_b), 0)::DOUBLE AS wins_b
           FROM seats AS s JOIN games AS g USING (run, game_id) JOIN rulesets AS r USING (run, ruleset)
           JOIN ({LUCK_SQL}) AS l USING (run)
           WHERE r.sha256 IN ($ruleset_a, $ruleset_b) AND s.strategy IN ($strategy_a, $strategy_b)
             AND (len($seats) = 0 OR s.seat = ANY($seats))
           GROUP BY l.luck, g.block ORDER BY l.luck, g.block""",
        {
            "ruleset_a": a.ruleset,
            "strategy_a": a.strategy,
            "ruleset_b": b.ruleset,
            "strategy_b": b.strategy,
            "seats": list(seats),
        },
    ).fetchnumpy()
    scores, counts, wins = (
        (np.asarray(columns[f"{name}_a"], np.float64), np.asarray(columns[f"{name}_b"], np.float64))
        for name in ("sum", "count", "wins")
    )
    score, won = block_sums_difference(scores, counts), block_sums_difference(wins, counts)
    if score is None:
        return None
    share_a, share_b = (float(won.sum() / count.sum()) for won, count in zip(wins, counts, strict=True))
    return PairedDifference(score.difference, won and won.difference, (share_a, share_b))
