"""What squares are worth to a seat for one turn, in LANES games at once, to the noisy player and to the builder.

A *plan* is (rows x LANES), like the values of one seat in `LaneBoards.worth`: thousandths of a point, from 0 to
MAX_WORTH, and 0 for a square that is not free. The plan of the greedy player is in `LaneBoards.worth` itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.spexxx.kernel.position import (
    OUTLOOK_BLOCK,
    OUTLOOK_FAR,
    OUTLOOK_FAR_LIKELY,
    OUTLOOK_NEAR,
    OUTLOOK_NEAR_LIKELY,
    OUTLOOK_NOW,
    TALLY_CUBES_LEFT,
)
from engine.games.spexxx.kernel.rules import THOUSANDTHS_PER_POINT
from engine.games.spexxx.kernel.tables import CHANCE_SCALE, LANES
from engine.kernels.bits import clear_lowest_bit, lowest_bit
from engine.kernels.compiling import jit_entry, jit_internal, jit_merged
from engine.kernels.luck import counter_key, normal_number, random_word
from engine.luck import PURPOSE_STRATEGY

MAX_WORTH: Final = 16_000_000
"""Thousandths of a point: turns with squares of this worth and four throws are still solved in 64 bits."""
FIRST_ERROR_DRAW: Final = 1
"""As in `strategies.py`."""
BLOCK_SQUARES: Final = 9

_u64 = np.uint64


@jit_internal
def make_noisy_plan(tables, boards, game, seat, round_, sigma, workspace):
    """Plan a turn in one lane with the greedy player's values and errors, as `strategies.add_value_errors` does.

    `game` is a `dice_rolls.LaneGame`.
    """
    lane, seed, block = game
    plan = workspace.turn.plan
    key, scale = counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1)), THOUSANDTHS_PER_POINT * sigma
    for i in range(_u64(tables.cells.shape[0])):
        plan[i * _u64(LANES) + lane] = 0
    for i in range(boards.free.shape[1]):
        bits = boards.free[lane, i]
        while bits:
            square = _u64(64) * _u64(i) + lowest_bit(bits)
            bits = clear_lowest_bit(bits)
            at = square * _u64(LANES) + lane
            word = random_word(seed, block, key, round_, _u64(FIRST_ERROR_DRAW) + square)
            error = normal_number(workspace.quantiles, word)
            value = np.int64(boards.worth[seat, at]) + np.int64(scale * error)  # the fraction is cut off
            plan[at] = max(value, 0)


@jit_merged
def _add_weighted_row(weight, row, values):
    """Add a row of an outlook, times a weight, to the values."""
    factor = np.float32(weight)
    for i in range(_u64(values.shape[0])):
        values[i] += factor * np.float32(row[i])


@jit_merged
def _remaining_share(left, half):
    """Return the share of a value that counts if it needs more cubes and `left` cubes are left."""
    return left / (left + half) if left > 0 else 0.0


@jit_entry
def make_builder_plan(tables, boards, seat, weights, values, plan):
    """Plan a turn with the values of the builder: points now, what they lead to, and what they spoil for other seats.

    `weights` are the builder's of `weights.toml`, in their order. `values`, (squares x LANES), is room. All lanes are
    in the same turn.
    """
    near, near_likely, far, far_likely, block = weights[:5]
    deny_now, deny_now_likely, deny_near, deny_far, deny_block = weights[5:10]
    half_near, half_far = weights[10], weights[11]
    players = boards.potential.shape[0]
    left = boards.tally[0, seat, TALLY_CUBES_LEFT] - 1.0
    near_share, far_share = (
        THOUSANDTHS_PER_POINT * _remaining_share(left, half_near),
        THOUSANDTHS_PER_POINT * _remaining_share(left, half_far),
    )
    bonus = tables.block_bonus / (BLOCK_SQUARES * BLOCK_SQUARES * BLOCK_SQUARES)
    own = boards.outlook[:, seat]
    for i in range(_u64(values.shape[0])):
        values[i] = 0
    _add_weighted_row(THOUSANDTHS_PER_POINT, own[OUTLOOK_NOW], values)
    _add_weighted_row(near_share * near, own[OUTLOOK_NEAR], values)
    _add_weighted_row(near_share * near_likely / CHANCE_SCALE, own[OUTLOOK_NEAR_LIKELY], values)
    _add_weighted_row(far_share * far, own[OUTLOOK_FAR], values)
    _add_weighted_row(far_share * far_likely / CHANCE_SCALE, own[OUTLOOK_FAR_LIKELY], values)
    _add_weighted_row(far_share * block * bonus, own[OUTLOOK_BLOCK], values)
    for other in range(players):
        left = np.float64(boards.tally[0, other, TALLY_CUBES_LEFT])
        if other != np.int64(seat) and left > 0:
            theirs, share = boards.outlook[:, other], 1.0 / (players - 1)
            near_share, far_share = (
                share * THOUSANDTHS_PER_POINT * _remaining_share(left, half_near),
                share * THOUSANDTHS_PER_POINT * _remaining_share(left, half_far),
            )
            _add_chance_weighted_row(
                tables,
                share * THOUSANDTHS_PER_POINT * deny_now,
                share * THOUSANDTHS_PER_POINT * deny_now_likely,
                theirs[OUTLOOK_NOW],
                values,
            )
            _add_weighted_row(near_share * deny_near / CHANCE_SCALE, theirs[OUTLOOK_NEAR_LIKELY], values)
            _add_weighted_row(far_share * deny_far / CHANCE_SCALE, theirs[OUTLOOK_FAR_LIKELY], values)
            _add_weighted_row(far_share * deny_block * bonus, theirs[OUTLOOK_BLOCK], values)
    for i in range(_u64(values.shape[0])):
        plan[i] = np.int32(min(max(values[i], np.float32(0)), np.float32(MAX_WORTH)))


@jit_merged
def _add_chance_weighted_row(tables, weight, likely_weight, row, values):
    """Add a row of an outlook times `weight`, and times `likely_weight` and the chance to fill the square."""
    for square in range(_u64(tables.cells.shape[0])):
        chance = np.float64(tables.chances[tables.spots[square]]) / CHANCE_SCALE
        factor = np.float32(weight + likely_weight * chance)
        for lane in range(_u64(LANES)):
            i = square * _u64(LANES) + lane
            values[i] += factor * np.float32(row[i])
