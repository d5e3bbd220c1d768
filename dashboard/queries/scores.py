"""The SQL of scores and games: each function asks a connection over one or several runs and returns few rows.

Queries over several runs take the hashes of rulesets, because runs may use one name for different rules. They read
roll-ups, which are small; a scan over plies would be slow. Queries about squares are in `dashboard.queries.squares`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    import pandas as pd

R = TypeVar("R")

_RULESETS_FILTER_SQL: Final = (
    "JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset WHERE r.sha256 = ANY($rulesets)"
)
_SEATS_FILTER_SQL: Final = "(len($seats) = 0 OR seat = ANY($seats))"


class ScoreCount(NamedTuple):
    """How many results had a score, or points of a part."""

    sha256: str
    strategy: str
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
    """Sums over n results at one place: a part of the score, a round or a seat."""

    sha256: str
    strategy: str
    at: str | int
    n: int
    total: float
    """Sum of the scores or points."""
    squares: float
    """Sum of their squares."""


def score_counts(
    con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...], seats: tuple[int, ...]
) -> list[ScoreCount]:
    """Count the results of each final score, ascending. `seats` are the seats that count; all if empty."""
    return _query_rows(
        con,
        ScoreCount,
        f"""SELECT sha256, strategy, score, sum(games)::BIGINT
            FROM score_histogram AS t {_RULESETS_FILTER_SQL} AND {_SEATS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
        seats=seats,
    )


class SeatScoreCount(NamedTuple):
    """How many results of a seat had a final score."""

    sha256: str
    strategy: str
    seat: int
    score: int
    results: int


def score_counts_by_seat(
    con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...], seats: tuple[int, ...]
) -> list[SeatScoreCount]:
    """Count the results of each final score by seat, ascending. `seats` are the seats that count; all if empty."""
    return _query_rows(
        con,
        SeatScoreCount,
        f"""SELECT sha256, strategy, seat, score, sum(games)::BIGINT
            FROM score_histogram AS t {_RULESETS_FILTER_SQL} AND {_SEATS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
        seats=seats,
    )


def part_counts(
    con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...], parts: tuple[str, ...]
) -> list[ScoreCount]:
    """Count the results of each number of points of some parts of the score, ascending; all seats together."""
    return _query_rows(
        con,
        ScoreCount,
        f"""SELECT sha256, strategy, points, sum(seats)::BIGINT
            FROM part_histogram AS t {_RULESETS_FILTER_SQL} AND part = ANY($parts)
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
        parts=parts,
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


def scores_by_seat(con: duckdb.DuckDBPyConnection, rulesets: tuple[str, ...]) -> list[PlaceSums]:
    """Sum the final scores of each seat."""
    return _query_rows(
        con,
        PlaceSums,
        f"""SELECT sha256, strategy, seat, sum(games)::BIGINT,
              sum(score * games)::DOUBLE, sum(score::DOUBLE * score * games)
            FROM score_histogram AS t {_RULESETS_FILTER_SQL}
            GROUP BY ALL ORDER BY ALL""",
        rulesets=rulesets,
    )


def first_logged_game(con: duckdb.DuckDBPyConnection) -> int:
    """Return the number of the first game that can be replayed; 0 if there is none."""
    rows = con.execute("SELECT coalesce(min(game_id), 0) FROM games WHERE logged").fetchall()
    return int(rows[0][0])


_ORDER_BY_SCORE_SQL: Final = "SELECT game_id, {0}(score) AS place FROM (SELECT game_id, score FROM seats SEMI JOIN fitting USING (game_id) ORDER BY score {1}, game_id LIMIT $rows) GROUP BY ALL"
_ORDER_BY_MARGIN_SQL: Final = """SELECT game_id, abs(coalesce(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2), 0)) AS place
    FROM seats SEMI JOIN fitting USING (game_id) GROUP BY game_id"""
GAME_ORDERS: Final = {
    "in order": ("SELECT game_id, 0 AS place FROM fitting", ""),
    "highest score": (_ORDER_BY_SCORE_SQL.format("max", "DESC"), "DESC"),
    "lowest score": (_ORDER_BY_SCORE_SQL.format("min", ""), ""),
    "closest finish": (_ORDER_BY_MARGIN_SQL, ""),
    "widest margin": (_ORDER_BY_MARGIN_SQL, "DESC"),
    "longest": ("SELECT game_id, plies AS place FROM fitting", "DESC"),
    "shortest": ("SELECT game_id, plies AS place FROM fitting", ""),
}
"""By the name of an order: the SQL of the number to sort games by, and "DESC" if the largest comes first.

A run may hold millions of games, so only this number is read for all of them. To sort by a score it is enough to sort
results: a game has at most one result a seat, so the first n games are among the first n * seats results.
"""


def games_of_run(  # noqa: PLR0913, PLR0917 - the filters of the list on the page Replay
    con: duckdb.DuckDBPyConnection,
    order: str,
    winner: str,
    scores: tuple[int, int] | None,
    most: int,
    games: tuple[int, ...] | None = None,
) -> pd.DataFrame:
    """Return logged games of one run with the columns game_id, result, winners, margin, rounds and plies.

    `order` is a key of `GAME_ORDERS`. `winner` keeps the games that this strategy won; all if it is empty. `scores`
    keeps the games in which the score of a seat is in this range, both ends included, and `games` these games.
    The margin is the difference between the first two places. At most `most` rows.
    """
    low, high = scores or (0, 0)
    filters = ["SELECT game_id, plies FROM games"]
    if winner:
        filters.append(
            "SEMI JOIN (SELECT game_id FROM seats WHERE rank = 1 AND strategy = $winner) USING (game_id)"
        )
    if scores:
        filters.append(
            "SEMI JOIN (SELECT game_id FROM seats WHERE score BETWEEN $low AND $high) USING (game_id)"
        )
    if games is not None:
        filters.append("SEMI JOIN (SELECT unnest($games::BIGINT[]) AS game_id) USING (game_id)")
    sort_key, direction = GAME_ORDERS[order]
    (players,) = con.execute("SELECT max(players) FROM rulesets").fetchall()[0]
    values = {"winner": winner, "low": low, "high": high, "most": most, "rows": most * players}
    values |= {"games": list(games or ())}
    query = f"""WITH fitting AS ({" ".join(filters)} WHERE logged),
            sorted AS ({sort_key}),
            listed AS MATERIALIZED (SELECT game_id, place FROM sorted ORDER BY place {direction}, game_id LIMIT $most),
            ends AS (
              SELECT game_id, string_agg(score::VARCHAR, ' : ' ORDER BY seat) AS result,
                string_agg(strategy, ', ' ORDER BY seat) FILTER (rank = 1) AS winners,
                list(score ORDER BY rank, seat) AS placed
              FROM seats SEMI JOIN listed USING (game_id) GROUP BY game_id)
            SELECT game_id, result, winners, coalesce(abs(placed[1] - placed[2]), 0)::INTEGER AS margin, rounds, plies
            FROM listed JOIN ends USING (game_id) JOIN games USING (game_id)
            ORDER BY place {direction}, game_id"""
    return con.execute(query, {name: value for name, value in values.items() if f"${name}" in query}).df()


MAX_GAMES_SEARCHED: Final = 5000
"""Games that are searched for the wildest one: the search reads plies, of which a large run has too many."""


def wildest_game(con: duckdb.DuckDBPyConnection, most: int) -> int | None:
    """Return the game with the most changes of the lead among the first `most` logged games; None if none is logged.

    The leader of a round is the seat that is alone in the first place at its end. After a tie the leader stays.
    """
    row = con.execute(
        """WITH ends AS (
             SELECT p.game_id, p.round, p.seat,
               arg_max(p.score, p.ply) * if(any_value(r.lowest_wins), -1, 1) AS score
             FROM (SELECT game_id, ruleset FROM games WHERE logged ORDER BY game_id LIMIT $most) AS g
             JOIN ply_rows AS p USING (game_id) JOIN rulesets AS r USING (ruleset)
             WHERE p.seat >= 0 GROUP BY ALL),
           places AS (
             SELECT m.game_id, m.round, s.seat,
               last_value(e.score IGNORE NULLS) OVER (PARTITION BY m.game_id, s.seat ORDER BY m.round) AS score
             FROM (SELECT DISTINCT game_id, round FROM ends) AS m
             JOIN seats AS s USING (game_id) LEFT JOIN ends AS e USING (game_id, round, seat)),
           firsts AS (
             SELECT game_id, round, seat FROM places
             QUALIFY rank() OVER (PARTITION BY game_id, round ORDER BY score DESC NULLS LAST) = 1),
           leaders AS (SELECT game_id, round, any_value(seat) AS seat FROM firsts GROUP BY ALL HAVING count(*) = 1),
           changes AS (
             SELECT game_id, seat <> lag(seat) OVER (PARTITION BY game_id ORDER BY round) AS is_change FROM leaders)
           SELECT game_id FROM changes GROUP BY game_id ORDER BY count(*) FILTER (is_change) DESC, game_id LIMIT 1""",
        {"most": most},
    ).fetchone()
    return int(row[0]) if row else None


class ScoreStanding(NamedTuple):
    """How a final score compares with all final scores of the same ruleset in one run."""

    beaten: float
    """Share of the final scores that are worse. Equal scores count half, the score itself included."""
    n: int
    """Number of final scores."""


def score_standings(con: duckdb.DuckDBPyConnection, game_id: int) -> list[ScoreStanding]:
    """Return the standing of the final score of every seat of a game, in the order of the seats."""
    return _query_rows(
        con,
        ScoreStanding,
        """SELECT sum(h.games * CASE WHEN h.score = s.score THEN 0.5
                 WHEN (h.score < s.score) <> r.lowest_wins THEN 1 ELSE 0 END)::DOUBLE / sum(h.games),
             sum(h.games)::BIGINT
           FROM seats AS s JOIN games AS g USING (game_id) JOIN rulesets AS r USING (ruleset)
           JOIN score_histogram AS h USING (ruleset)
           WHERE s.game_id = $game[1] GROUP BY s.seat ORDER BY s.seat""",
        game=(game_id,),
    )


class FinishCloseness(NamedTuple):
    """How close the finish of a game was, beside the other games under the same rules in one run."""

    share: float
    """Share of the games with a wider margin between the first two places. Equal margins count half."""
    n: int
    """Number of games, this one included."""


MIN_GAMES_FOR_CLOSENESS: Final = 100
"""Games of a run below which nothing is said about how close a finish was: a share of fewer games is too rough."""


def finish_closeness(con: duckdb.DuckDBPyConnection, game_id: int) -> FinishCloseness | None:
    """Return how close the finish of a game was; None if the run has too few games, or games of one seat.

    The margin is that of `games_of_run`: the difference of the scores of the first two places, 0 if the win is shared.
    """
    found = _query_rows(
        con,
        FinishCloseness,
        """WITH margins AS (
             SELECT game_id, abs(coalesce(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2), 0)) AS margin
             FROM seats JOIN games AS g USING (game_id)
             WHERE g.ruleset = (SELECT ruleset FROM games WHERE game_id = $game[1])
             GROUP BY game_id HAVING count(*) > 1)
           SELECT avg(CASE WHEN m.margin > own.margin THEN 1 WHEN m.margin = own.margin THEN 0.5 ELSE 0 END)::DOUBLE,
             count(*)::BIGINT
           FROM margins AS m, (SELECT margin FROM margins WHERE game_id = $game[1]) AS own
           HAVING count(*) >= $least[1]""",
        game=(game_id,),
        least=(MIN_GAMES_FOR_CLOSENESS,),
    )
    return found[0] if found else None


def _query_rows(
    con: duckdb.DuckDBPyConnection, row: Callable[..., R], query: str, **values: tuple[Any, ...]
) -> list[R]:
    """Execute a query and return its rows as named tuples."""
    parameters = {key: list(value) for key, value in values.items()}
    return [row(*fields) for fields in con.execute(query, parameters).fetchall()]
