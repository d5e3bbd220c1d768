"""How much of a result is luck: the variance between blocks and within them. All games of a block have the same luck."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipelines.statistics.bounded_means import SHARE_BOUNDS, ValueBounds, block_interval
from pipelines.statistics.intervals import MAX_ROUNDING_ERROR, Floats, Interval, check_blocks


class VarianceShares(NamedTuple):
    """Shares of the variance of a result; what is missing to 1 is luck that depends on who sits where."""

    luck: Interval
    """Explained by the block: the same in all seatings and for all players."""
    skill: Interval
    """Explained by whether it is the first seating or another one: the same in all blocks."""

    @property
    def skill_luck_index(self) -> Interval:
        """The skill-luck index, from -1 to 1: (K - L) / (K + L), where K is the share of skill and L all the rest."""
        return Interval(*(2 * end - 1 for end in self.skill))


def variance_shares(values: Floats) -> VarianceShares | None:
    """Return the shares of the variance of a result that blocks and the first seating explain; None if it does not vary.

    `values`, of shape (blocks, seatings), are one result of each game, such as the margin of the first seat; in the first
    seating another strategy has this seat than in the others. The share of the blocks is the intraclass correlation for
    absolute agreement (McGraw and Wong 1996, "Forming inferences about some intraclass correlation coefficients"), with the
    components of a two-way layout of random blocks and fixed seatings. The intervals are those of a jackknife that leaves out
    a block at a time (Miller 1974). Returns None for fewer than three blocks or two seatings.

    >>> luck = np.random.default_rng(1).normal(size=(500, 1))
    >>> [round(share.estimate, 2) for share in variance_shares(luck + [[1.0, -1.0]])]
    [0.46, 0.54]
    """
    blocks, seatings = values.shape
    check_blocks(values.ravel())
    if blocks < 3 or seatings < 2 or np.ptp(values) <= MAX_ROUNDING_ERROR:
        return None
    row_sums = values.sum(axis=1)
    squares, columns, rows = (values**2).sum(), values.sum(axis=0), (row_sums**2).sum()
    whole = np.full(1, blocks), squares[None], columns[None], rows[None]
    others = (
        np.full(blocks, blocks - 1),
        squares - (values**2).sum(axis=1),
        columns - values,
        rows - row_sums**2,
    )
    luck = jackknife(_luck_share(*whole), _luck_share(*others), SHARE_BOUNDS)
    angle = jackknife(_skill_angle(*whole), _skill_angle(*others), ValueBounds(-np.pi / 2, np.pi / 2))
    return VarianceShares(luck, _share_of_angle(angle)) if luck and angle else None


def part_shares(values: Floats) -> list[Interval] | None:
    """Return the share of the variance of a result that the luck of each part of a game explains; None if it does not vary.

    `values`, of shape (blocks, parts - 1, games), are results of games that begin alike: those at [b, p] go on from one position,
    at the end of part `p` of block `b`, with luck of their own. The variance that is left after a part is the mean variance of
    such games, and the share of a part is by how much it lessens what is left; so the shares have the sum 1 (law of total
    variance). The intervals are those of `variance_shares`. Returns None for fewer than three blocks.
    """
    blocks, _, games = values.shape
    check_blocks(values.ravel())
    if blocks < 3 or np.ptp(values) <= MAX_ROUNDING_ERROR:
        return None
    left, first = values.var(axis=2, ddof=1), values[:, 0].mean(axis=1)

    def find_shares(count: float, left: Floats, first: Floats, squares: Floats) -> Floats:
        """Return the shares, shape (parts, cases), from means over the blocks of several cases, shape (cases, ...)."""
        total = (squares - first**2) * count / (count - 1) + left[:, 0] * (games - 1) / games
        of_parts = left / np.where(total > 0, total, np.inf)[:, None]
        ends = np.column_stack([np.ones(len(total)), of_parts, np.zeros(len(total))])
        return np.asarray(-np.diff(ends, axis=1).T, np.float64)

    means = left.mean(axis=0), first.mean(), (first**2).mean()
    whole = find_shares(blocks, *(np.asarray(mean)[None] for mean in means))
    others = find_shares(
        blocks - 1,
        *(
            (blocks * mean - values_of_block) / (blocks - 1)
            for mean, values_of_block in zip(means, (left, first, first**2), strict=True)
        ),
    )
    shares = [jackknife(*pair, SHARE_BOUNDS) for pair in zip(whole, others, strict=True)]
    return [share for share in shares if share]


def jackknife(whole: Floats, others: Floats, bounds: ValueBounds) -> Interval | None:
    """Return the interval of a number that is computed from all blocks, shape (1,), and without each of them, (blocks,).

    Its ends lie within the bounds. An estimate outside of them counts as the bound that is next to it, and keeps the width of its
    interval: that a share is estimated below 0 does not prove that it is 0. None for fewer than two blocks.

    >>> jackknife(np.array([-0.5]), np.array([-0.5, -0.52, -0.48]), SHARE_BOUNDS).high > 0.05
    True
    """
    blocks, estimate = len(others), float(whole[0])
    interval = block_interval(blocks * estimate - (blocks - 1) * others, bounds)
    if interval is None:
        return None
    inside = float(np.clip(estimate, *bounds))
    return Interval(*(float(np.clip(inside + end - interval.estimate, *bounds)) for end in interval))


def _luck_share(blocks: Floats, squares: Floats, columns: Floats, rows: Floats) -> Floats:
    """Return the share of blocks, shape (cases,), from the sums of several cases, shape (cases, ...).

    It may be below 0: without a truncation its errors are symmetric.
    """
    seatings = columns.shape[-1]
    centre = columns.sum(axis=-1) ** 2 / (blocks * seatings)
    of_blocks = rows / seatings - centre
    of_seatings = (columns**2).sum(axis=-1) / blocks - centre
    rest = (squares - centre - of_blocks - of_seatings) / ((blocks - 1) * (seatings - 1))
    luck = (of_blocks / (blocks - 1) - rest) / seatings
    skill = (of_seatings - (seatings - 1) * rest) / (blocks * seatings)
    total = luck + skill + rest
    return np.asarray(luck / np.where(total > 0, total, np.inf), np.float64)


def _skill_angle(blocks: Floats, squares: Floats, columns: Floats, _rows: Floats) -> Floats:
    """Return the angle whose squared sine is the share of the first seating, shape (cases,); the arguments of `_luck_share`.

    The share is a square, so that its errors are not symmetric where it is near 0; those of the angle are.
    """
    seatings = columns.shape[-1]
    first, later = columns[..., 0] / blocks, columns[..., 1:].sum(axis=-1) / (blocks * (seatings - 1))
    within = squares / (blocks * seatings) - (first**2 + (seatings - 1) * later**2) / seatings
    between = (first - later) * np.sqrt(seatings - 1) / seatings
    rounding = MAX_ROUNDING_ERROR * np.maximum(1, squares / (blocks * seatings))
    spread = np.sqrt(np.where(within > rounding, within * blocks / (blocks - 1), 0))
    return np.asarray(np.arctan2(between, spread), np.float64)


def _share_of_angle(angle: Interval) -> Interval:
    """Return the squared sine of an angle between -pi/2 and pi/2; the estimate is corrected for the noise of the angle."""
    low, high = sorted((np.sin(angle.low) ** 2, np.sin(angle.high) ** 2))
    low = 0.0 if angle.low <= 0 <= angle.high else low
    noise = (angle.half_width / 1.96) ** 2 * np.cos(2 * angle.estimate)
    estimate = np.clip(np.sin(angle.estimate) ** 2 - noise, low, high)
    return Interval(float(estimate), float(low), float(high))
