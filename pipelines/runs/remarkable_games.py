"""Remarkable games of a run: the closest finish, and the winner who was furthest behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import duckdb


class CloseFinish(NamedTuple):
    """A game that was won by few points."""

    ruleset: str
    game_id: int
    lead: int
    """Points between the winner and the next player."""


class Comeback(NamedTuple):
    """A game whose winner was far behind."""

    game_id: int
    round: int
    """The round, counted from 0, at whose end the winner was furthest behind."""
    deficit: int
    """Points between the winner and the best other player at that time."""


def find_closest_finish(connection: duckdb.DuckDBPyConnection) -> CloseFinish | None:
    """Return the closest logged game with one winner; None if the run has none.

    A shared win is no close finish, because nobody is behind.
    """
    row = connection.execute(
        "SELECT ruleset, game_id, abs(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2)) AS lead "
        "FROM games JOIN seats USING (game_id) WHERE logged GROUP BY ALL "
        "HAVING count(*) FILTER (rank = 1) = 1 AND lead IS NOT NULL ORDER BY lead, game_id LIMIT 1"
    ).fetchone()
    return CloseFinish(str(row[0]), int(row[1]), int(row[2])) if row else None


_COMEBACK_SQL: Final = """
    WITH ends AS (
      SELECT game_id, round, seat, arg_max(score, ply) * if(any_value(lowest_wins), -1, 1) AS score
      FROM games JOIN ply_rows USING (game_id) JOIN rulesets USING (ruleset)
      WHERE logged AND seat >= 0 GROUP BY ALL),
    winners AS (SELECT game_id, min(seat) AS seat FROM seats WHERE rank = 1 GROUP BY ALL HAVING count(*) = 1),
    scores AS (
      SELECT m.game_id, m.round, s.seat,
        last_value(e.score IGNORE NULLS) OVER (PARTITION BY m.game_id, s.seat ORDER BY m.round) AS score
      FROM (SELECT DISTINCT game_id, round FROM ends) AS m
      JOIN seats AS s USING (game_id) LEFT JOIN ends AS e USING (game_id, round, seat)),
    deficits AS (
      SELECT game_id, p.round,
        max(p.score) FILTER (p.seat <> w.seat) - max(p.score) FILTER (p.seat = w.seat) AS points
      FROM scores AS p JOIN winners AS w USING (game_id) GROUP BY ALL)
    SELECT game_id, arg_max(round, points), max(points) FROM deficits JOIN games USING (game_id)
    WHERE round >= rounds / 2 GROUP BY game_id HAVING max(points) > 0 ORDER BY max(points) DESC, game_id LIMIT 1"""


def find_largest_comeback(connection: duckdb.DuckDBPyConnection) -> Comeback | None:
    """Return the logged game whose only winner was furthest behind in its second half; None if nobody was behind.

    The query reads all plies, so it is for small runs.
    """
    row = connection.execute(_COMEBACK_SQL).fetchone()
    return Comeback(*map(int, row)) if row else None
