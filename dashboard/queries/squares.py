"""The SQL of the maps of squares and of the lists of games.

Like in `dashboard.queries.scores`, each function asks a connection over one or several runs and returns few rows. It
reads roll-ups, or the plies of a limited number of games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import duckdb
    import pandas as pd


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
    """Count the results of each strategy in the logged games of one run with a number below `end`, all if it is None.

    `seats` are the seats that count; all if empty.
    """
    rows = con.execute(
        """SELECT strategy, count(*) FROM seats JOIN (SELECT game_id FROM games WHERE logged) USING (game_id)
           WHERE ($end IS NULL OR game_id < $end) AND (len($seats) = 0 OR seat = ANY($seats))
           GROUP BY ALL ORDER BY ALL""",
        {"end": end, "seats": list(seats)},
    ).fetchall()
    return dict(rows)


def logged_games(con: duckdb.DuckDBPyConnection, most: int) -> list[int]:
    """Return the numbers of the first `most` logged games of one run."""
    rows = con.execute("SELECT game_id FROM games WHERE logged ORDER BY game_id LIMIT ?", [most]).fetchall()
    return [game for (game,) in rows]


MAX_RESULTS_SEARCHED: Final = 4000
"""Results that are searched for a list: more than a list shows, and fewer than a large run has."""


_RESULTS_BY_SCORE_SQL: Final = """SELECT game_id, seat, strategy, score, rank FROM seats
    WHERE score BETWEEN $low AND $high AND strategy = ANY($strategies)"""
_RESULTS_BY_PART_SQL: Final = (
    "SELECT game_id, seat FROM parts WHERE part = $part AND points BETWEEN $low AND $high"
)
_RESULTS_NEAR_FOUND_SQL: Final = """SELECT game_id, seat, strategy, score, rank FROM seats SEMI JOIN found USING (game_id, seat)
    WHERE game_id BETWEEN (SELECT min(game_id) FROM found) AND (SELECT max(game_id) FROM found)"""


def results_between(  # noqa: PLR0913, PLR0917 - the filters of the page Scores
    con: duckdb.DuckDBPyConnection,
    strategies: tuple[str, ...],
    seats: tuple[int, ...],
    part: str,
    low: int,
    high: int,
    most: int,
    games: tuple[int, ...] | None = None,
) -> pd.DataFrame:
    """Return the results of one run whose score, or points of `part` if it is not empty, are from `low` to `high`.

    At most `most` rows in the order of the games, of these `games` if they are given. The column `logged` is true if the game can be replayed.
    """
    found = f"{_RESULTS_BY_PART_SQL if part else _RESULTS_BY_SCORE_SQL} AND (len($seats) = 0 OR seat = ANY($seats)){' AND game_id = ANY($games)' if games is not None else ''} LIMIT {MAX_RESULTS_SEARCHED}"
    # The rows of a score hold everything that is listed; the points of a part stand in another table.
    near = _RESULTS_NEAR_FOUND_SQL if part else "SELECT * FROM found"
    values = {"strategies": list(strategies), "seats": list(seats), "low": low, "high": high, "most": most}
    return con.execute(
        f"""WITH found AS MATERIALIZED ({found}), near AS ({near}),
            chosen AS (FROM near WHERE strategy = ANY($strategies) ORDER BY game_id, seat LIMIT $most)
            SELECT game_id AS game, seat, strategy, score, rank, rounds, plies, logged
            FROM chosen JOIN games USING (game_id) ORDER BY game_id, seat""",  # noqa: S608 - only texts of this file are put together
        values | ({"part": part} if part else {}) | ({"games": list(games)} if games is not None else {}),
    ).df()
