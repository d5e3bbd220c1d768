"""The tables of one game: its players with their results, and its moves in notation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.runs.game_queries import LoggedPly
    from pipelines.runs.summary import Seat


def tabulate_seats(seats: Sequence[Seat]) -> Table:
    """Return a row for each player of a game."""
    return Table(
        "Players",
        ("player", "strategy", "score", "rank"),
        tuple((seat.seat + 1, seat.strategy, seat.score, seat.rank) for seat in seats),
    )


def tabulate_plies(plies: Sequence[LoggedPly]) -> Table:
    """Return a row for each move of a game and for each roll of its dice."""
    return Table(
        "Moves",
        ("move", "round", "player", "notation", "options", "score"),
        tuple(
            (ply + 1, round_ + 1, "dice" if seat < 0 else seat + 1, *others)
            for ply, round_, seat, *others in plies
        ),
    )
