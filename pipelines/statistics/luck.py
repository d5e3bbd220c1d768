"""How much of a result is luck: the variance between blocks, all games of which have the same luck, and within them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.statistics.bounded_means import SHARE_BOUNDS, block_interval
from pipelines.statistics.intervals import MAX_ROUNDING_ERROR, Interval, check_blocks

if TYPE_CHECKING:
    from pipelines.statistics.arrays import Floats


class VarianceShares(NamedTuple):
    """Shares of the variance of a result; what is missing to 1 is luck that depends on who sits where."""

    luck: Interval
    """Explained by the block: the same in all seatings, whoever plays."""
    skill: Interval
    """Explained by the seating: the same in all blocks."""


def variance_shares(values: Floats) -> VarianceShares | None:
    """Return the shares of the variance of a result that blocks and seatings explain; None if it does not vary.

    `values`, of shape (blocks, seatings), are one result of each game, such as the margin of the first seat. The components
    are those of a two-way layout with random blocks and fixed seatings; the share of the blocks is the intraclass correlation
    for absolute agreement (McGraw and Wong 1996, "Forming inferences about some intraclass correlation coefficients"). The
    intervals are those of a jackknife that leaves out a block at a time (Miller 1974). Returns None for fewer than three
    blocks or two seatings.

    >>> luck = np.random.default_rng(1).normal(size=(500, 1))
    >>> [round(share.estimate, 2) for share in variance_shares(luck + [[1.0, -1.0]])]
    [0.46, 0.54]
    """
    blocks, seatings = values.shape
    check_blocks(values.ravel())
    if blocks < 3 or seatings < 2 or np.ptp(values) <= MAX_ROUNDING_ERROR:
        return None
    one = values.sum(axis=1)
    squares, columns, rows = (values**2).sum(), values.sum(axis=0), (one**2).sum()
    whole = _estimate_shares(np.full(1, blocks), squares[None], columns[None], rows[None])
    others = _estimate_shares(
        np.full(blocks, blocks - 1),
        squares - (values**2).sum(axis=1),
        columns - values,
        rows - one**2,
    )
    pseudo = blocks * whole - (blocks - 1) * others
    shares = []
    for estimate, found in zip(whole[:, 0], pseudo, strict=True):
        interval = block_interval(found, SHARE_BOUNDS)
        if interval is None:
            return None
        ends = (float(np.clip(estimate + end - interval.estimate, 0, 1)) for end in interval)
        shares.append(Interval(*ends))
    return VarianceShares(*shares)


def _estimate_shares(blocks: Floats, squares: Floats, columns: Floats, rows: Floats) -> Floats:
    """Return the shares of blocks and seatings, shape (2, cases), from the sums of several cases, shape (cases, ...).

    They may be below 0: without a truncation their errors are symmetric.
    """
    seatings = columns.shape[-1]
    centre = columns.sum(axis=-1) ** 2 / (blocks * seatings)
    of_blocks = rows / seatings - centre
    of_seatings = (columns**2).sum(axis=-1) / blocks - centre
    rest = (squares - centre - of_blocks - of_seatings) / ((blocks - 1) * (seatings - 1))
    luck = (of_blocks / (blocks - 1) - rest) / seatings
    skill = (of_seatings - (seatings - 1) * rest) / (blocks * seatings)
    total = luck + skill + rest
    return np.asarray(np.array([luck, skill]) / np.where(total > 0, total, np.inf), np.float64)
