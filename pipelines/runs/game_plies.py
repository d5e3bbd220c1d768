"""Queries over the plies of single games of one run. All but `read_log` also read the finished shards of an unfinished run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray


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
