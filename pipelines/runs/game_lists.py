"""Queries over the games of one run: how the scores and the finish of one game compare with all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import duckdb


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

    The margin is the difference of the scores of the first two places, 0 if the win is shared.
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
