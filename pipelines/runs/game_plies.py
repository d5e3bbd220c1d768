"""Queries over the plies of single games of one run. All but `read_log` also read the finished shards of an unfinished run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.actions import CHANCE

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


def count_plies(con: duckdb.DuckDBPyConnection) -> int:
    """Return the number of logged plies of all games."""
    return int(con.execute("SELECT count(*) FROM plies").fetchall()[0][0])


def first_ply_of_round(con: duckdb.DuckDBPyConnection, game_id: int, number: int) -> int | None:
    """Return the first ply of a round, counted from 0; None if the game has no such round or was not logged."""
    return _find_ply(con, "SELECT min(ply) FROM plies WHERE game_id = ? AND round = ?", game_id, number)


def last_roll(con: duckdb.DuckDBPyConnection, game_id: int) -> int | None:
    """Return the last ply of chance in a game; None if there is none or it was not logged."""
    return _find_ply(con, "SELECT max(ply) FROM plies WHERE game_id = ? AND seat = ?", game_id, CHANCE)


def _find_ply(con: duckdb.DuckDBPyConnection, query: str, *values: int) -> int | None:
    ply = con.execute(query, values).fetchall()[0][0]
    return None if ply is None else int(ply)
