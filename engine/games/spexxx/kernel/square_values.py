"""What squares are worth to a seat for one turn, in LANES games at once: the noisy and the builder's view of them.

A *plan* is (rows x LANES) like one seat's `Table.worth`: thousandths of a point, from 0 to MOST_WORTH, and 0 if a
square is not free. The greedy player's own is kept in `Table.worth` itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.spexxx.kernel.lines import compiled, merged, within
from engine.games.spexxx.kernel.position import BLOCK, FAR, FAR_LIKELY, LEFT, NEAR, NEAR_LIKELY, NOW
from engine.games.spexxx.kernel.rules import POINT, lowest
from engine.games.spexxx.kernel.tables import CHANCE, LANES
from engine.kernels.luck import key, normal, word
from engine.luck import STRATEGY

MOST_WORTH: Final = 16_000_000
"""Thousandths of a point: four throws of it are still solved in 64 bits."""
FIRST_ERROR: Final = 1
"""As in `strategies.py`."""
BLOCK_SQUARES: Final = 9

_u64 = np.uint64


@within
def misjudge(b, t, seat, lane, sigma, quantiles, seed, block, round_, plan):
    """Plan with a greedy player's values in error, as `strategies.misjudged`: the same in all of a turn."""
    own, scale = key(_u64(STRATEGY), seat + _u64(1)), POINT * sigma
    for i in range(_u64(b.cells.shape[0])):
        plan[i * _u64(LANES) + lane] = 0
    for i in range(t.free.shape[1]):
        bits = t.free[lane, i]
        while bits:
            square = _u64(64) * _u64(i) + lowest(bits)
            bits &= bits - _u64(1)
            at = square * _u64(LANES) + lane
            error = normal(quantiles, word(seed, block, own, round_, _u64(FIRST_ERROR) + square))
            value = np.int64(t.worth[seat, at]) + np.int64(scale * error)  # the fraction is cut off
            plan[at] = max(value, 0)


@merged
def _add(weight, row, values):
    """Add a weighed row of an outlook to the values."""
    factor = np.float32(weight)
    for i in range(_u64(values.shape[0])):
        values[i] += factor * np.float32(row[i])


@merged
def _phase(left, half):
    """Return the share that counts of what needs more cubes."""
    return left / (left + half) if left > 0 else 0.0


@compiled
def build(b, t, seat, weights, values, plan):
    """Plan with the values of the builder: points now, what they lead to, and what they spoil for others.

    `weights`: those of `weights.toml`, in their order. `values`: (squares x LANES), room. All lanes are equally far.
    """
    near, near_likely, far, far_likely, block = weights[:5]
    deny_now, deny_now_likely, deny_near, deny_far, deny_block = weights[5:10]
    half_near, half_far = weights[10], weights[11]
    players = t.potential.shape[0]
    left = t.tally[0, seat, LEFT] - 1.0
    one, further = POINT * _phase(left, half_near), POINT * _phase(left, half_far)
    bonus = b.block_bonus / (BLOCK_SQUARES * BLOCK_SQUARES * BLOCK_SQUARES)
    own = t.outlook[:, seat]
    for i in range(_u64(values.shape[0])):
        values[i] = 0
    _add(POINT, own[NOW], values)
    _add(one * near, own[NEAR], values)
    _add(one * near_likely / CHANCE, own[NEAR_LIKELY], values)
    _add(further * far, own[FAR], values)
    _add(further * far_likely / CHANCE, own[FAR_LIKELY], values)
    _add(further * block * bonus, own[BLOCK], values)
    for other in range(players):
        left = np.float64(t.tally[0, other, LEFT])
        if other != np.int64(seat) and left > 0:
            theirs, share = t.outlook[:, other], 1.0 / (players - 1)
            one, further = share * POINT * _phase(left, half_near), share * POINT * _phase(left, half_far)
            _add_likely(b, share * POINT * deny_now, share * POINT * deny_now_likely, theirs[NOW], values)
            _add(one * deny_near / CHANCE, theirs[NEAR_LIKELY], values)
            _add(further * deny_far / CHANCE, theirs[FAR_LIKELY], values)
            _add(further * deny_block * bonus, theirs[BLOCK], values)
    for i in range(_u64(values.shape[0])):
        plan[i] = np.int32(min(max(values[i], np.float32(0)), np.float32(MOST_WORTH)))


@merged
def _add_likely(b, weight, likely, row, values):
    """Add what squares score to another, weighed once as it is and once by the chance to fill the square."""
    for square in range(_u64(b.cells.shape[0])):
        chance = np.float64(b.chances[b.spots[square]]) / CHANCE
        factor = np.float32(weight + likely * chance)
        for lane in range(_u64(LANES)):
            i = square * _u64(LANES) + lane
            values[i] += factor * np.float32(row[i])
