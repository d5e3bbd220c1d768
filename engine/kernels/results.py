"""What all kernels do with their results: columns of a log, scores and ranks, and the Batch that they return."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.kernels.compiling import jit_merged
from engine.kernels.contract import Batch, PlyLog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.kernels.contract import IntArray


class LogColumns(NamedTuple):
    """The columns of `engine.kernels.contract.PlyLog`, for compiled code to write."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: IntArray
    options: IntArray
    score: IntArray


def make_log_columns(plies: int) -> LogColumns:
    """Return room for so many plies; pages of memory that are never written cost nothing."""
    return LogColumns(
        round=np.empty(plies, np.uint16),
        seat=np.empty(plies, np.int8),
        action=np.empty(plies, np.int32),
        options=np.empty(plies, np.int32),
        score=np.empty(plies, np.int32),
    )


def first_plies(log: LogColumns, plies: int) -> LogColumns:
    """Return the first plies of a log, as views."""
    return LogColumns._make(column[:plies] for column in log)


def join_logs(logs: Sequence[LogColumns]) -> PlyLog:
    """Return logs one behind the other. One log is not copied."""
    if len(logs) == 1:
        return PlyLog(*logs[0])
    return PlyLog(*map(np.concatenate, zip(*logs, strict=True)))


@jit_merged
def write_ply(log, row, round_, seat, action, options, score):
    """Write a row of a log; see `engine.kernels.contract.PlyLog`."""
    log.round[row] = round_
    log.seat[row] = seat
    log.action[row] = action
    log.options[row] = options
    log.score[row] = score


def rank_seats(standings: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Return the ranks of the seats of each game by their standings, the higher the better: (games, seats), from 1.

    Seats with equal standings share the better rank.

    >>> rank_seats(np.array([[5, 7, 5], [1, 2, 3]]))
    array([[2, 1, 2],
           [3, 2, 1]], dtype=uint8)
    """
    better = standings[:, np.newaxis, :] > standings[:, :, np.newaxis]
    ranks: NDArray[np.uint8] = 1 + better.sum(axis=2, dtype=np.uint8)
    return ranks


def make_batch(
    rounds: IntArray,
    plies: IntArray,
    counts: IntArray,
    points: IntArray,
    log: PlyLog | None,
    *,
    standings: NDArray[np.integer] | None = None,
) -> Batch:
    """Return finished games as a Batch. A score is the sum of the points of its parts.

    `rounds` and `plies` are (games,), `counts` and `points` (games, seats, parts). `standings`, (games, seats), decide
    the ranks, the higher the better; without them the scores do.
    """
    scores = points.sum(axis=2, dtype=np.int32)
    ranks = rank_seats(scores if standings is None else standings)
    return Batch(
        rounds=rounds, plies=plies, scores=scores, ranks=ranks, counts=counts, points=points, log=log
    )
