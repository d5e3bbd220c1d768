"""Finished games as arrays: what compiled code writes, and the Batch that a kernel returns.

Nothing here is compiled, so that reading a Batch does not wait for Numba.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True)
class PlyLog:
    """The plies of games as columns, game after game. All arrays have the shape (plies,). The seat of chance is -1."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: IntArray
    options: IntArray
    """Number of legal actions; -1 for chance."""
    score: IntArray
    """Score of the acting seat after the ply; 0 for chance."""


@dataclass(frozen=True)
class Batch:
    """Finished games as columns, ordered by block and within a block by seating."""

    rounds: IntArray
    """(games,) number of rounds that have begun."""
    plies: IntArray
    """(games,) number of plies."""
    scores: IntArray
    """(games, seats)"""
    ranks: NDArray[np.uint8]
    """(games, seats)"""
    counts: IntArray
    """(games, seats, parts) count of each score part, in the order of `Game.parts`."""
    points: IntArray
    """(games, seats, parts) points of each score part."""
    log: PlyLog | None
    """All plies of all games, in the order of the games; None if plies were not logged."""


def join_batches(batches: Sequence[Batch]) -> Batch:
    """Return one batch with the games of all batches, in this order. The log is None if no batch has one."""
    if len(batches) == 1:
        return batches[0]
    columns = {
        field.name: np.concatenate([getattr(batch, field.name) for batch in batches])
        for field in fields(Batch)
        if field.name != "log"
    }
    logs = [batch.log for batch in batches if batch.log is not None]
    if not logs:
        return Batch(**columns, log=None)
    log_columns = {
        field.name: np.concatenate([getattr(log, field.name) for log in logs]) for field in fields(PlyLog)
    }
    return Batch(**columns, log=PlyLog(**log_columns))


class LogColumns(NamedTuple):
    """The columns of a PlyLog, for compiled code to write."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: IntArray
    options: IntArray
    score: IntArray


class Results(NamedTuple):
    """Finished games as columns, for compiled code to write, and their log; see Batch for what they mean.

    Some kernels write counts or points in a form of their own, from which Python works out the parts of the score.
    """

    rounds: IntArray
    """(games,)"""
    plies: IntArray
    """(games,)"""
    counts: IntArray
    """(games, seats, parts)"""
    points: IntArray
    """(games, seats, parts)"""
    log: LogColumns
    """Without room if nothing is logged."""


def make_log_columns(plies: int) -> LogColumns:
    """Return room for this number of plies; pages of memory that are never written cost nothing."""
    return LogColumns(
        round=np.empty(plies, np.uint16),
        seat=np.empty(plies, np.int8),
        action=np.empty(plies, np.int32),
        options=np.empty(plies, np.int32),
        score=np.empty(plies, np.int32),
    )


def make_results(games: int, seats: int, parts: int, plies: int) -> Results:
    """Return zeros for `games` games, and room for one log of `plies` plies of all games together."""
    return Results(
        rounds=np.zeros(games, np.int32),
        plies=np.zeros(games, np.int32),
        counts=np.zeros((games, seats, parts), np.int32),
        points=np.zeros((games, seats, parts), np.int32),
        log=make_log_columns(plies),
    )


def keep_plies(results: Results, plies: int) -> Results:
    """Return results whose log ends after `plies` plies. Nothing is copied."""
    return results._replace(log=LogColumns._make(column[:plies] for column in results.log))


def rank_seats(standings: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Return the ranks of the seats of each game by their standings, the higher the better: (games, seats), from 1.

    Seats with equal standings share the better rank.

    >>> rank_seats(np.array([[5, 7, 5], [1, 2, 3]]))
    array([[2, 1, 2],
           [3, 2, 1]], dtype=uint8)
    """
    of_seats = np.ascontiguousarray(standings.T)  # long rows: NumPy takes ten times as long for short ones
    ranks = np.ones(of_seats.shape, np.uint8)
    for seat, other in itertools.product(range(len(of_seats)), repeat=2):
        ranks[seat] += of_seats[other] > of_seats[seat]
    return np.ascontiguousarray(ranks.T)


def make_batch(results: Results, *, logged: bool, standings: NDArray[np.integer] | None = None) -> Batch:
    """Return finished games as a Batch. A score is the sum of the points of its parts.

    `standings`, (games, seats), decide the ranks, the higher the better; without them the scores do.
    """
    scores = results.points[:, :, 0].copy()
    for part in range(1, results.points.shape[2]):  # long rows, as above
        scores += results.points[:, :, part]
    return Batch(
        rounds=results.rounds,
        plies=results.plies,
        scores=scores,
        ranks=rank_seats(scores if standings is None else standings),
        counts=results.counts,
        points=results.points,
        log=PlyLog(*results.log) if logged else None,
    )
