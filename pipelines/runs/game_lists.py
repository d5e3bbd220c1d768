"""Queries over the games of one run: lists of games, and how the scores and the finish of one game compare with all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import duckdb
    import pandas as pd


def first_logged_game(con: duckdb.DuckDBPyConnection) -> int:
    """Return the number of the first game that can be replayed; 0 if there is none."""
    rows = con.execute("SELECT coalesce(min(game_id), 0) FROM games WHERE logged").fetchall()
    return int(rows[0][0])


def logged_games(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Return the numbers of the games that can be replayed, in order."""
    rows = con.execute("SELECT game_id FROM games WHERE logged ORDER BY game_id").fetchall()
    return [int(game_id) for (game_id,) in rows]


_RANKS: Final = {"all": (1, 255), "won": (1, 1), "lost": (2, 255)}


def logged_games_of_seat(con: duckdb.DuckDBPyConnection, seat: int, how: str) -> list[tuple[int, int]]:
    """Return block and number of the logged games that a seat won or lost, in order; `how` is `all`, `won` or `lost`.

    A shared first rank counts as won.
    """
    rows = con.execute(
        "SELECT block, game_id FROM games JOIN seats USING (game_id) "
        "WHERE logged AND seat = ? AND rank BETWEEN ? AND ? ORDER BY game_id",
        [seat, *_RANKS[how]],
    ).fetchall()
    return [(int(block), int(game_id)) for block, game_id in rows]


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


class ScoreStanding(NamedTuple):
    """How a final score compares with all final scores of the same ruleset in one run."""

    beaten: float
    """Share of the final scores that are worse. Equal scores count half, the score itself included."""
    n: int
    """Number of final scores."""


def score_standings(con: duckdb.DuckDBPyConnection, game_id: int) -> list[ScoreStanding]:
    """Return the standing of the final score of every seat of a game, in the order of the seats."""
    rows = con.execute(
        """SELECT sum(h.games * CASE WHEN h.score = s.score THEN 0.5
                 WHEN (h.score < s.score) <> r.lowest_wins THEN 1 ELSE 0 END)::DOUBLE / sum(h.games),
             sum(h.games)::BIGINT
           FROM seats AS s JOIN games AS g USING (game_id) JOIN rulesets AS r USING (ruleset)
           JOIN score_histogram AS h USING (ruleset)
           WHERE s.game_id = $game GROUP BY s.seat ORDER BY s.seat""",
        {"game": game_id},
    ).fetchall()
    return [ScoreStanding(*row) for row in rows]


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
    row = con.execute(
        """WITH margins AS (
             SELECT game_id, abs(coalesce(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2), 0)) AS margin
             FROM seats JOIN games AS g USING (game_id)
             WHERE g.ruleset = (SELECT ruleset FROM games WHERE game_id = $game)
             GROUP BY game_id HAVING count(*) > 1)
           SELECT avg(CASE WHEN m.margin > own.margin THEN 1 WHEN m.margin = own.margin THEN 0.5 ELSE 0 END)::DOUBLE,
             count(*)::BIGINT
           FROM margins AS m, (SELECT margin FROM margins WHERE game_id = $game) AS own
           HAVING count(*) >= $least""",
        {"game": game_id, "least": MIN_GAMES_FOR_CLOSENESS},
    ).fetchone()
    return FinishCloseness(*row) if row else None
