"""The SQL of the maps of squares, from roll-ups or from the plies of a limited number of games."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import duckdb


class SquareCount(NamedTuple):
    """How often a strategy covered a square."""

    strategy: str
    cell: int
    n: int
    """Plies that covered it."""
    rounds: float
    """Sum of the rounds of these plies, counted from 0."""
    squares: float
    """Sum of the squared rounds."""


def covered_square_counts(con: duckdb.DuckDBPyConnection, sha256: str, piece: str) -> list[SquareCount]:
    """Count the plies that covered each square in all logged games, with the given piece or, if it is empty, any piece."""
    rows = con.execute(
        """SELECT strategy, cell, sum(t.plies)::BIGINT
           FROM squares AS t JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset
           WHERE r.sha256 = $sha256 AND ($piece = '' OR piece = $piece)
           GROUP BY ALL ORDER BY ALL""",
        {"sha256": sha256, "piece": piece},
    ).fetchall()
    return [SquareCount(strategy, cell, n, 0.0, 0.0) for strategy, cell, n in rows]


def covering_pieces(con: duckdb.DuckDBPyConnection, sha256: str) -> list[str]:
    """Return the names of the pieces that covered squares."""
    rows = con.execute(
        """SELECT DISTINCT piece
           FROM squares AS t JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset
           WHERE r.sha256 = $sha256 AND piece IS NOT NULL ORDER BY ALL""",
        {"sha256": sha256},
    ).fetchall()
    return [piece for (piece,) in rows]


class GameSample(NamedTuple):
    """The first logged games of a run; only whole blocks."""

    end: int
    """The games with a smaller number are in the sample."""
    games: int
    blocks: int


def first_games_sample(con: duckdb.DuckDBPyConnection, most: int) -> GameSample:
    """Return a sample of about `most` logged games of one run: whole blocks, from the first one on.

    Blocks differ only by their luck, so the first blocks are as good a sample as any others.
    """
    end = con.execute(
        """SELECT coalesce(
             (SELECT game_id - rotation FROM games WHERE logged ORDER BY game_id LIMIT 1 OFFSET $most),
             (SELECT max(game_id) + 1 FROM games WHERE logged), 0)""",
        {"most": most},
    ).fetchall()[0][0]
    row = con.execute(
        "SELECT count(*), count(DISTINCT block) FROM games WHERE logged AND game_id < ?", [end]
    ).fetchall()[0]
    return GameSample(int(end), *row)


def sampled_square_counts(
    con: duckdb.DuckDBPyConnection, end: int, seats: tuple[int, ...], counted: str
) -> list[SquareCount]:
    """Count the plies that covered each square in the games of one run with a number below `end`.

    `seats` are the seats that count; all if empty. With `counted` = "first", only the first ply of each seat that
    covers a square counts.
    """
    rows = con.execute(
        """WITH placed AS (
             SELECT game_id, seat, ply, round, action FROM ply_rows
             WHERE game_id < $end AND seat >= 0 AND (len($seats) = 0 OR seat = ANY($seats))
               AND action IN (SELECT action FROM actions WHERE len(cells) > 0)),
           wanted AS (
             FROM placed WHERE $counted != 'first'
             UNION ALL
             SELECT game_id, seat, min(ply), arg_min(round, ply), arg_min(action, ply)
             FROM placed WHERE $counted = 'first' GROUP BY game_id, seat),
           counted AS (
             SELECT strategy, action, round, count(*) AS n
             FROM wanted JOIN (SELECT game_id, seat, strategy FROM seats WHERE game_id < $end) USING (game_id, seat)
             GROUP BY ALL),
           spread AS (
             SELECT strategy, round, n, unnest(cells) AS cell FROM counted JOIN actions USING (action))
           SELECT strategy, cell, sum(n)::BIGINT, sum(n * round)::DOUBLE, sum(n * round * round)::DOUBLE
           FROM spread GROUP BY ALL ORDER BY ALL""",
        {"end": end, "seats": list(seats), "counted": counted},
    ).fetchall()
    return [SquareCount(*row) for row in rows]


def result_counts(con: duckdb.DuckDBPyConnection, end: int | None, seats: tuple[int, ...]) -> dict[str, int]:
    """Count the results of each strategy in the logged games with a number below `end`, all if it is None.

    `seats` are the seats that count; all if empty.
    """
    rows = con.execute(
        """SELECT strategy, count(*) FROM seats JOIN (SELECT run, game_id FROM games WHERE logged) USING (run, game_id)
           WHERE ($end IS NULL OR game_id < $end) AND (len($seats) = 0 OR seat = ANY($seats))
           GROUP BY ALL ORDER BY ALL""",
        {"end": end, "seats": list(seats)},
    ).fetchall()
    return dict(rows)


def logged_games(con: duckdb.DuckDBPyConnection, most: int) -> list[int]:
    """Return the numbers of the first `most` logged games of one run."""
    rows = con.execute("SELECT game_id FROM games WHERE logged ORDER BY game_id LIMIT ?", [most]).fetchall()
    return [game for (game,) in rows]
