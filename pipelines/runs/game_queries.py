"""Queries over the games of one run: its scores, its plies, and what the games of a comparison begin with.

Queries over the games of one comparison: how its blocks begin, what its dice show, and the points of each part of a score.
They also read the finished shards of an unfinished run. Game `b * rotations + r` is the game of block b with seating r.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.actions import CHANCE

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray


def first_logged_game(con: duckdb.DuckDBPyConnection) -> int:
    """Return the number of the first game that can be replayed, or 0."""
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


class GamePlies(NamedTuple):
    """The length of a logged game, and two of its places."""

    plies: int
    round_start: int | None
    """The first ply of the round that was asked for, or None."""
    last_roll: int | None
    """The last ply at which chance acted."""
    strategies: list[str]
    """By seat."""


def measure_logged_games(
    con: duckdb.DuckDBPyConnection, game_ids: Sequence[int], round_number: int
) -> dict[int, GamePlies]:
    """Return how long each of some logged games is, and where it reaches a round, from 0."""
    query = """SELECT game_id, count(*), min(ply) FILTER (round = $round), max(ply) FILTER (plies.seat = -1), any_value(names)
       FROM plies JOIN (SELECT game_id, list(strategy ORDER BY seat) AS names FROM seats GROUP BY game_id) USING (game_id)
       WHERE game_id IN (SELECT unnest($games)) GROUP BY game_id"""
    rows = con.execute(query, {"round": round_number, "games": list(game_ids)}).fetchall()
    return {int(game_id): GamePlies(*measured) for game_id, *measured in rows}


class ScoreStanding(NamedTuple):
    """How a final score compares with all final scores of the same ruleset in one run."""

    beaten: float
    """Share of the final scores that are worse. Equal scores count half, the score itself included."""
    n: int
    """Number of final scores."""


def score_standings(con: duckdb.DuckDBPyConnection, game_id: int) -> list[ScoreStanding]:
    """Return the standing of the final score of every seat of a game, in the order of the seats."""
    query = """SELECT sum(h.games * CASE WHEN h.score = s.score THEN 0.5
             WHEN (h.score < s.score) <> r.lowest_wins THEN 1 ELSE 0 END)::DOUBLE / sum(h.games),
         sum(h.games)::BIGINT
       FROM seats AS s JOIN games AS g USING (game_id) JOIN rulesets AS r USING (ruleset)
       JOIN score_histogram AS h USING (ruleset)
       WHERE s.game_id = $game GROUP BY s.seat ORDER BY s.seat"""
    rows = con.execute(query, {"game": game_id}).fetchall()
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
    query = """WITH margins AS (
         SELECT game_id, abs(coalesce(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2), 0)) AS margin
         FROM seats JOIN games AS g USING (game_id)
         WHERE g.ruleset = (SELECT ruleset FROM games WHERE game_id = $game)
         GROUP BY game_id HAVING count(*) > 1)
       SELECT avg(CASE WHEN m.margin > own.margin THEN 1 WHEN m.margin = own.margin THEN 0.5 ELSE 0 END)::DOUBLE,
         count(*)::BIGINT
       FROM margins AS m, (SELECT margin FROM margins WHERE game_id = $game) AS own
       HAVING count(*) >= $least"""
    row = con.execute(query, {"game": game_id, "least": MIN_GAMES_FOR_CLOSENESS}).fetchone()
    return FinishCloseness(*row) if row else None


class LoggedPly(NamedTuple):
    """A row of the view `log`: a ply in writing."""

    ply: int
    round: int
    seat: int
    """The acting seat, or -1 for chance."""
    notation: str
    options: int | None
    score: int | None
    """Both are None for chance."""


class PlayedAction(NamedTuple):
    """A row of the view `plies`."""

    ply: int
    round: int
    seat: int
    """The acting seat, or -1 for chance."""
    action: int


def read_log(con: duckdb.DuckDBPyConnection, game_id: int) -> list[LoggedPly]:
    """Return the plies of a game in writing, in order; none if they were not logged."""
    rows = con.execute(
        "SELECT ply, round, seat, notation, options, score FROM log WHERE game_id = ? ORDER BY ply", [game_id]
    ).fetchall()
    return [LoggedPly(*row) for row in rows]


def read_played_actions(con: duckdb.DuckDBPyConnection, game_id: int) -> list[PlayedAction]:
    """Return the plies of a game as numbers of actions, in order; none if they were not logged."""
    rows = con.execute(
        "SELECT ply, round, seat, action FROM plies WHERE game_id = ? ORDER BY ply", [game_id]
    ).fetchall()
    return [PlayedAction(*row) for row in rows]


class BranchRows(NamedTuple):
    """The games of one rotation, in order, as arrays over the games, their seats, and their plies."""

    plies: NDArray[Any]
    """(games,) Plies from the first one that is read."""
    scores: NDArray[Any]
    """(games * seats,)"""
    ranks: NDArray[Any]
    """(games * seats,)"""
    actions: NDArray[Any]
    """(sum of plies,)"""


def read_branch(con: duckdb.DuckDBPyConnection, rotation: int, first_ply: int) -> BranchRows:
    """Return the games of a rotation from a ply on."""

    def read_columns(sql: str, values: list[int]) -> dict[str, NDArray[Any]]:
        return {name: np.asarray(column) for name, column in con.execute(sql, values).fetchnumpy().items()}

    games = read_columns("SELECT plies FROM games WHERE rotation = ? ORDER BY game_id", [rotation])
    seats = read_columns(
        "SELECT score, rank FROM seats SEMI JOIN (FROM games WHERE rotation = ?) USING (game_id) ORDER BY game_id, seat",
        [rotation],
    )
    actions = read_columns(
        "SELECT action FROM ply_rows SEMI JOIN (FROM games WHERE rotation = ?) USING (game_id) WHERE ply >= ? "
        "ORDER BY game_id, ply",
        [rotation, first_ply],
    )
    return BranchRows(
        games["plies"].astype("int64") - first_ply, seats["score"], seats["rank"], actions["action"]
    )


class SeatWeight(NamedTuple):
    """What the points of a seat count for the difference of two strategies, in the games of one seating."""

    pair: int
    rotation: int
    seat: int
    weight: int


class PartSums(NamedTuple):
    """The weighted points of one part of the score, summed in each block: their moments over all blocks."""

    pair: int
    part: str
    points: int
    squares: int
    cubes: int
    blocks: int
    lowest: int
    highest: int
    """The lowest and the highest points of a seat."""


def count_beginnings(con: duckdb.DuckDBPyConnection, rotations: int, opening: int) -> tuple[int, int]:
    """Return in how many of the first plies the games of a block differ, and how many first plies there are.

    Those are the first roll and the plies of the random opening, of each block.
    """
    (counts,) = con.execute(
        f"""
        SELECT count(*) FILTER (ways > 1), count(*) FROM (
          SELECT count(DISTINCT action) AS ways FROM plies
          WHERE ply < {max(1, opening)} AND (seat = {CHANCE} OR ply < {opening})
          GROUP BY game_id // {rotations}, ply)
        """
    ).fetchall()
    return counts[0], counts[1]


def count_rolls(con: duckdb.DuckDBPyConnection, rotations: int, *, every_round: bool) -> dict[int, int]:
    """Return how often each roll occurs as the first of its game, or of each round, in the first game of each block."""
    rows = con.execute(
        f"""
        SELECT action, count(*) FROM (
          SELECT action, row_number() OVER (PARTITION BY game_id, round ORDER BY ply) AS place, seat, round, ply
          FROM plies WHERE game_id % {rotations} = 0 AND seat = {CHANCE})
        WHERE place = 1 AND {"true" if every_round else "ply = 0"}
        GROUP BY action
        """
    ).fetchall()
    return dict(rows)


def sum_parts(
    con: duckdb.DuckDBPyConnection, rotations: int, weights: Iterable[SeatWeight]
) -> list[PartSums]:
    """Return the moments of the weighted points of each part of the score for each pair, in any order."""
    rows = ", ".join(f"({pair}, {rotation}, {seat}, {weight})" for pair, rotation, seat, weight in weights)
    return [
        PartSums(*row)
        for row in con.execute(
            f"""
            WITH weights(pair, rotation, seat, weight) AS (VALUES {rows}),
              blocks AS (
                SELECT pair, part, sum(weight * points) AS points, min(points) AS low, max(points) AS high
                FROM parts JOIN weights ON weights.rotation = game_id % {rotations} AND weights.seat = parts.seat
                GROUP BY pair, part, game_id // {rotations})
            SELECT pair, part, sum(points), sum(points * points), sum(points::HUGEINT * points * points), count(*),
              min(low), max(high)
            FROM blocks GROUP BY ALL
            """
        ).fetchall()
    ]
