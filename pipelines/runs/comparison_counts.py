"""Queries over the games of one comparison: how its blocks begin, what its dice show, and the points of each part of a score.

They also read the finished shards of an unfinished run. Game `b * rotations + r` is the game of block b with seating r.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.actions import CHANCE

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb


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
        """  # noqa: S608 - numbers of ours
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
        """  # noqa: S608 - numbers of ours
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
            """  # noqa: S608 - numbers of ours
        ).fetchall()
    ]
