"""The SQL behind maps of squares and lists of games: roll-ups, or plies of no more games than are named.

Like `dashboard.queries.scores`: questions to a connection over several runs, answers as small lists of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import duckdb
    import pandas as pd


class SquareCount(NamedTuple):
    """How often a strategy did something at a square."""

    strategy: str
    cell: int
    n: int
    rounds: float
    """Sum of the rounds in which it happened, the first one 0."""
    squares: float
    """Sum of the squared rounds."""


def covered_square_counts(con: duckdb.DuckDBPyConnection, sha256: str, piece: str) -> list[SquareCount]:
    """Count the plies that covered each square, in all logged games; with any piece if none is named."""
    rows = con.execute(
        """SELECT strategy, cell, sum(t.plies)::BIGINT
           FROM squares AS t JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset
           WHERE r.sha256 = $sha256 AND ($piece = '' OR piece = $piece)
           GROUP BY ALL ORDER BY ALL""",
        {"sha256": sha256, "piece": piece},
    ).fetchall()
    return [SquareCount(strategy, cell, n, 0.0, 0.0) for strategy, cell, n in rows]


def covering_pieces(con: duckdb.DuckDBPyConnection, sha256: str) -> list[str]:
    """Name the pieces that covered squares."""
    rows = con.execute(
        """SELECT DISTINCT piece
           FROM squares AS t JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset
           WHERE r.sha256 = $sha256 AND piece IS NOT NULL ORDER BY ALL""",
        {"sha256": sha256},
    ).fetchall()
    return [piece for (piece,) in rows]


class GameSample(NamedTuple):
    """The first logged games of a run, in whole blocks."""

    end: int
    """Games below this number are in it."""
    games: int
    blocks: int


def first_games_sample(con: duckdb.DuckDBPyConnection, most: int) -> GameSample:
    """Choose logged games of one run: about so many, whole blocks from the first on.

    Blocks differ by their luck alone, so the first ones are as good a sample as any.
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
    """Count the plies that covered each square in the games below `end` of one run, with their rounds.

    With `counted` = "first" only each seat's first ply that covers anything counts; on all seats if none is named.
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
    """Count the results of each strategy in the logged games of one run, below `end` if that is said."""
    rows = con.execute(
        """SELECT strategy, count(*) FROM seats JOIN (SELECT game_id FROM games WHERE logged) USING (game_id)
           WHERE ($end IS NULL OR game_id < $end) AND (len($seats) = 0 OR seat = ANY($seats))
           GROUP BY ALL ORDER BY ALL""",
        {"end": end, "seats": list(seats)},
    ).fetchall()
    return dict(rows)


def logged_games(con: duckdb.DuckDBPyConnection, most: int) -> list[int]:
    """Name the first logged games of one run."""
    rows = con.execute("SELECT game_id FROM games WHERE logged ORDER BY game_id LIMIT ?", [most]).fetchall()
    return [game for (game,) in rows]


MAX_RESULTS_SEARCHED = 4000
"""Results that are looked through for a list: enough for any page of it, and no scan of a whole run."""


_RESULTS_BY_SCORE_SQL: Final = """SELECT game_id, seat, strategy, score, rank FROM seats
    WHERE score BETWEEN $low AND $high AND strategy = ANY($strategies)"""
_RESULTS_BY_PART_SQL: Final = (
    "SELECT game_id, seat FROM parts WHERE part = $part AND points BETWEEN $low AND $high"
)
_RESULTS_NEAR_FOUND_SQL: Final = """SELECT game_id, seat, strategy, score, rank FROM seats SEMI JOIN found USING (game_id, seat)
    WHERE game_id BETWEEN (SELECT min(game_id) FROM found) AND (SELECT max(game_id) FROM found)"""


def results_between(  # noqa: PLR0913, PLR0917 - the filters of the page
    con: duckdb.DuckDBPyConnection,
    strategies: tuple[str, ...],
    seats: tuple[int, ...],
    part: str,
    low: int,
    high: int,
    most: int,
) -> pd.DataFrame:
    """List results of one run whose score, or points of a part, lie from `low` to `high`, both included.

    The first `most` in the order of the games; `logged` says whether the game can be replayed.
    """
    found = f"{_RESULTS_BY_PART_SQL if part else _RESULTS_BY_SCORE_SQL} AND (len($seats) = 0 OR seat = ANY($seats)) LIMIT {MAX_RESULTS_SEARCHED}"
    near = (
        _RESULTS_NEAR_FOUND_SQL if part else "SELECT * FROM found"
    )  # a score stands beside all else that is listed
    asked = {"strategies": list(strategies), "seats": list(seats), "low": low, "high": high, "most": most}
    return con.execute(
        f"""WITH found AS MATERIALIZED ({found}), near AS ({near}),
            chosen AS (FROM near WHERE strategy = ANY($strategies) ORDER BY game_id, seat LIMIT $most)
            SELECT game_id AS game, seat, strategy, score, rank, rounds, plies, logged
            FROM chosen JOIN games USING (game_id) ORDER BY game_id, seat""",  # noqa: S608 - one of two texts of ours
        asked | ({"part": part} if part else {}),
    ).df()
