"""What squares are worth to a seat for one turn, in LANES games at once: the noisy and the builder's view of them.

A *plan* is (rows x LANES) like one seat's `Table.worth`: thousandths of a point, from 0 to MOST_WORTH, and 0 if a
square is not free. The greedy player's own is kept in `Table.worth` itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.spexxx.kernel.lines import jit_entry, jit_internal, jit_merged
from engine.games.spexxx.kernel.position import (
    OUTLOOK_BLOCK,
    OUTLOOK_FAR,
    OUTLOOK_FAR_LIKELY,
    OUTLOOK_NEAR,
    OUTLOOK_NEAR_LIKELY,
    OUTLOOK_NOW,
    TALLY_CUBES_LEFT,
)
from engine.games.spexxx.kernel.rules import THOUSANDTHS_PER_POINT, lowest_bit
from engine.games.spexxx.kernel.tables import CHANCE_SCALE, LANES
from engine.kernels.luck import counter_key, normal_number, random_word
from engine.luck import PURPOSE_STRATEGY

MAX_WORTH: Final = 16_000_000
"""Thousandths of a point: four throws of it are still solved in 64 bits."""
FIRST_ERROR_DRAW: Final = 1
"""As in `strategies.py`."""
BLOCK_SQUARES: Final = 9

_u64 = np.uint64


@jit_internal
def make_noisy_plan(b, t, seat, lane, sigma, quantiles, seed, block, round_, plan):
    """Plan with a greedy player's values in error, as `strategies.misjudged`: the same in all of a turn."""
    own, scale = counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1)), THOUSANDTHS_PER_POINT * sigma
    for i in range(_u64(b.cells.shape[0])):
        plan[i * _u64(LANES) + lane] = 0
    for i in range(t.free.shape[1]):
        bits = t.free[lane, i]
        while bits:
            square = _u64(64) * _u64(i) + lowest_bit(bits)
            bits &= bits - _u64(1)
            at = square * _u64(LANES) + lane
            error = normal_number(
                quantiles, random_word(seed, block, own, round_, _u64(FIRST_ERROR_DRAW) + square)
            )
            value = np.int64(t.worth[seat, at]) + np.int64(scale * error)  # the fraction is cut off
            plan[at] = max(value, 0)


@jit_merged
def _add_weighted_row(weight, row, values):
    """Add a weighed row of an outlook to the values."""
    factor = np.float32(weight)
    for i in range(_u64(values.shape[0])):
        values[i] += factor * np.float32(row[i])


@jit_merged
def _remaining_share(left, half):
    """Return the share that counts of what needs more cubes."""
    return left / (left + half) if left > 0 else 0.0


@jit_entry
def make_builder_plan(b, t, seat, weights, values, plan):
    """Plan with the values of the builder: points now, what they lead to, and what they spoil for others.

    `weights`: those of `weights.toml`, in their order. `values`: (squares x LANES), room. All lanes are equally far.
    """
    near, near_likely, far, far_likely, block = weights[:5]
    deny_now, deny_now_likely, deny_near, deny_far, deny_block = weights[5:10]
    half_near, half_far = weights[10], weights[11]
    players = t.potential.shape[0]
    left = t.tally[0, seat, TALLY_CUBES_LEFT] - 1.0
    one, further = (
        THOUSANDTHS_PER_POINT * _remaining_share(left, half_near),
        THOUSANDTHS_PER_POINT * _remaining_share(left, half_far),
    )
    bonus = b.block_bonus / (BLOCK_SQUARES * BLOCK_SQUARES * BLOCK_SQUARES)
    own = t.outlook[:, seat]
    for i in range(_u64(values.shape[0])):
        values[i] = 0
    _add_weighted_row(THOUSANDTHS_PER_POINT, own[OUTLOOK_NOW], values)
    _add_weighted_row(one * near, own[OUTLOOK_NEAR], values)
    _add_weighted_row(one * near_likely / CHANCE_SCALE, own[OUTLOOK_NEAR_LIKELY], values)
    _add_weighted_row(further * far, own[OUTLOOK_FAR], values)
    _add_weighted_row(further * far_likely / CHANCE_SCALE, own[OUTLOOK_FAR_LIKELY], values)
    _add_weighted_row(further * block * bonus, own[OUTLOOK_BLOCK], values)
    for other in range(players):
        left = np.float64(t.tally[0, other, TALLY_CUBES_LEFT])
        if other != np.int64(seat) and left > 0:
            theirs, share = t.outlook[:, other], 1.0 / (players - 1)
            one, further = (
                share * THOUSANDTHS_PER_POINT * _remaining_share(left, half_near),
                share * THOUSANDTHS_PER_POINT * _remaining_share(left, half_far),
            )
            _add_chance_weighted_row(
                b,
                share * THOUSANDTHS_PER_POINT * deny_now,
                share * THOUSANDTHS_PER_POINT * deny_now_likely,
                theirs[OUTLOOK_NOW],
                values,
            )
            _add_weighted_row(one * deny_near / CHANCE_SCALE, theirs[OUTLOOK_NEAR_LIKELY], values)
            _add_weighted_row(further * deny_far / CHANCE_SCALE, theirs[OUTLOOK_FAR_LIKELY], values)
            _add_weighted_row(further * deny_block * bonus, theirs[OUTLOOK_BLOCK], values)
    for i in range(_u64(values.shape[0])):
        plan[i] = np.int32(min(max(values[i], np.float32(0)), np.float32(MAX_WORTH)))


@jit_merged
def _add_chance_weighted_row(b, weight, likely, row, values):
    """Add what squares score to another, weighed once as it is and once by the chance to fill the square."""
    for square in range(_u64(b.cells.shape[0])):
        chance = np.float64(b.chances[b.spots[square]]) / CHANCE_SCALE
        factor = np.float32(weight + likely * chance)
        for lane in range(_u64(LANES)):
            i = square * _u64(LANES) + lane
            values[i] += factor * np.float32(row[i])
