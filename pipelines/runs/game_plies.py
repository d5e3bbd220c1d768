"""Queries over the plies of single games of one run. All but `read_log` also read the finished shards of an unfinished run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import duckdb


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
