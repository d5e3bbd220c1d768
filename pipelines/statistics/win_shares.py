"""Shares of the win of a game from the final ranks of its seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pipelines.statistics.intervals import Floats


def win_shares(ranks: ArrayLike) -> Floats:
    """Return what each seat has of the win: 1 for the only winner, 1/n for each of n seats that share rank 1.

    `ranks` and the result have the shape (..., seats). Every game must have a seat of rank 1.

    >>> win_shares([[1, 3, 1], [2, 1, 3]])
    array([[0.5, 0. , 0.5],
           [0. , 1. , 0. ]])
    """
    is_winner = np.equal(ranks, 1)
    return np.asarray(is_winner / is_winner.sum(axis=-1, keepdims=True), dtype=np.float64)
