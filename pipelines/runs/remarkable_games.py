"""Remarkable games of a run: the closest finish, the winner who was furthest behind, and the most changes of the lead."""

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


MAX_GAMES_SEARCHED: Final = 5000
"""Games that are searched for the wildest one: the search reads plies, of which a large run has too many."""
_ROUND_SCORES_SQL: Final = """
    WITH ends AS (
      SELECT game_id, round, seat, arg_max(score, ply) * if(any_value(lowest_wins), -1, 1) AS score
      FROM (SELECT game_id, ruleset FROM games WHERE logged ORDER BY game_id LIMIT $most)
      JOIN ply_rows USING (game_id) JOIN rulesets USING (ruleset)
      WHERE seat >= 0 GROUP BY ALL),
    scores AS (
      SELECT m.game_id, m.round, s.seat,
        last_value(e.score IGNORE NULLS) OVER (PARTITION BY m.game_id, s.seat ORDER BY m.round) AS score
      FROM (SELECT DISTINCT game_id, round FROM ends) AS m
      JOIN seats AS s USING (game_id) LEFT JOIN ends AS e USING (game_id, round, seat))"""
"""The score of each seat after each round of the first `$most` logged games, higher the better."""
_COMEBACK_SQL: Final = f"""{_ROUND_SCORES_SQL},
    winners AS (SELECT game_id, min(seat) AS seat FROM seats WHERE rank = 1 GROUP BY ALL HAVING count(*) = 1),
    deficits AS (
      SELECT game_id, p.round,
        max(p.score) FILTER (p.seat <> w.seat) - max(p.score) FILTER (p.seat = w.seat) AS points
      FROM scores AS p JOIN winners AS w USING (game_id) GROUP BY ALL)
    SELECT game_id, arg_max(round, points), max(points) FROM deficits JOIN games USING (game_id)
    WHERE round >= rounds / 2 GROUP BY game_id HAVING max(points) > 0 ORDER BY max(points) DESC, game_id LIMIT 1"""
_WILDEST_SQL: Final = f"""{_ROUND_SCORES_SQL},
    firsts AS (
      SELECT game_id, round, seat FROM scores
      QUALIFY rank() OVER (PARTITION BY game_id, round ORDER BY score DESC NULLS LAST) = 1),
    leaders AS (SELECT game_id, round, any_value(seat) AS seat FROM firsts GROUP BY ALL HAVING count(*) = 1),
    changes AS (
      SELECT game_id, seat <> lag(seat) OVER (PARTITION BY game_id ORDER BY round) AS is_change FROM leaders)
    SELECT game_id FROM changes GROUP BY game_id ORDER BY count(*) FILTER (is_change) DESC, game_id LIMIT 1"""


def find_largest_comeback(connection: duckdb.DuckDBPyConnection) -> Comeback | None:
    """Return the logged game whose only winner was furthest behind in its second half; None if nobody was behind.

    The query reads all plies, so it is for small runs.
    """
    row = connection.execute(_COMEBACK_SQL, {"most": 2**40}).fetchone()
    return Comeback(*map(int, row)) if row else None


def find_wildest_game(connection: duckdb.DuckDBPyConnection, most: int) -> int | None:
    """Return the game with the most changes of the lead among the first `most` logged games; None if none is logged.

    The leader of a round is the seat that is alone in the first place at its end. After a tie the leader stays.
    """
    row = connection.execute(_WILDEST_SQL, {"most": most}).fetchone()
    return int(row[0]) if row else None
