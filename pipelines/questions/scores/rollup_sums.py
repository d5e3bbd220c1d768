"""The SQL of the roll-ups of scores: each function asks a connection over one or several runs and returns few rows.

Queries take the hashes of rulesets, because runs may use one name for different rules. A scan over plies would be slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

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
    return _query_rows(
        con,
        ScoreCount,
        f"""SELECT sha256, strategy, {"seat" if by_seat else "NULL"}, score, sum(games)::BIGINT
            FROM score_histogram AS t {_RULESETS_FILTER_SQL} AND {_SEATS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
        seats=seats,
    )


def part_counts(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...], part: str) -> list[ScoreCount]:
    """Count the results of each number of points of a part of the score, ascending; all seats together."""
    return _query_rows(
        con,
        ScoreCount,
        f"""SELECT sha256, strategy, NULL, points, sum(seats)::BIGINT
            FROM part_histogram AS t {_RULESETS_FILTER_SQL} AND list_contains($parts, part)
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
        parts=(part,),
    )


class LengthCount(NamedTuple):
    """How many games had these numbers of rounds and plies."""

    sha256: str
    rounds: int
    plies: int
    games: int


def game_lengths(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[LengthCount]:
    """Count games by their length."""
    return _query_rows(
        con,
        LengthCount,
        f"""SELECT sha256, rounds, plies, sum(games)::BIGINT
            FROM game_lengths AS t {_RULESETS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
    )


def block_sums(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[BlockSums]:
    """Sum the scores of each strategy over blocks, the independent units of the statistics."""
    return _query_rows(
        con,
        BlockSums,
        f"""SELECT sha256, strategy, seats_per_block, sum(n)::BIGINT,
              sum(score_sum)::DOUBLE, sum(score_square_sum)::DOUBLE
            FROM block_scores AS t {_RULESETS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
    )


def shared_block_sums(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[BlockSums]:
    """Return the same for runs that share luck: their blocks with equal luck and numbers are one block. This reads all games."""
    return _query_rows(
        con,
        BlockSums,
        f"""WITH blocks AS (
              SELECT r.sha256, s.strategy, l.luck, g.block, count(*) AS results, sum(s.score)::BIGINT AS score
              FROM seats AS s
              JOIN games AS g ON g.run = s.run AND g.game_id = s.game_id
              JOIN rulesets AS r ON r.run = g.run AND r.ruleset = g.ruleset
              JOIN ({LUCK_SQL}) AS l ON l.run = g.run
              WHERE list_contains($rulesets, r.sha256) GROUP BY ALL)
            SELECT sha256, strategy, results, count(*), sum(score)::DOUBLE, sum(score::HUGEINT * score)::DOUBLE
            FROM blocks GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
    )


def part_points(
    con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...], seats: tuple[int, ...]
) -> list[PlaceSums]:
    """Sum the points of every part of the score. `seats` are the seats that count; all if empty."""
    return _query_rows(
        con,
        PlaceSums,
        f"""SELECT sha256, strategy, part, sum(n)::BIGINT, sum(points_sum)::DOUBLE, sum(points_square_sum)::DOUBLE
            FROM part_totals AS t {_RULESETS_FILTER_SQL} AND {_SEATS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
        seats=seats,
    )


def scores_by_round(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[PlaceSums]:
    """Sum the scores after each round."""
    return _query_rows(
        con,
        PlaceSums,
        f"""SELECT sha256, strategy, round, sum(n)::BIGINT, sum(score_sum)::DOUBLE, sum(score_square_sum)::DOUBLE
            FROM score_by_round AS t {_RULESETS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
    )


def _query_rows(
    con: duckdb.DuckDBPyConnection, row: Callable[..., R], query: str, **values: tuple[Any, ...]
) -> list[R]:
    """Execute a query and return its rows as named tuples."""
    parameters = {key: list(value) for key, value in values.items()}
    return [row(*fields) for fields in con.execute(query, parameters).fetchall()]
