"""The strongest strategy of BLOXX!, compiled: it plays imagined games to their end and chooses what went best."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.bloxx.kernel.planner import rank_placements, rank_placements_ahead, store_rivals
from engine.games.bloxx.kernel.position import TURN_FACE_A, TURN_IS_OVER, TURN_SEAT
from engine.games.bloxx.kernel.rules import copy_position, play_ply, roll_dice, score
from engine.kernels.compiling import forbid_inlining, jit_internal
from engine.kernels.halving import halve_candidates
from engine.kernels.luck import fork_seed

PRIOR_PLAYOUTS: Final = 32.0
"""The planner's worth of a placement counts as much as the results of this number of playouts."""


@jit_internal
def choose_rollout(position, tables, planner, imagined, playouts, candidates, luck):
    """Return the planner's candidate with the best playouts, and the number of legal actions.

    `imagined` is the planner of the imagined games. Equal candidates stay in the planner's order.
    """
    forbid_inlining()
    count, total = rank_placements_ahead(position, tables, planner, candidates)
    actions, worths = planner.workspace.actions, planner.workspace.worths
    seed, block, key, round_, index = luck
    game = (position, tables, imagined, fork_seed(seed, block, key, round_, index))
    for n in range(count):
        worths[n] *= PRIOR_PLAYOUTS
    return halve_candidates(add_playouts, game, actions, worths, count, playouts), total


@jit_internal
def add_playouts(game, action, worth, first, end):
    """Return the worth of an action with the results of its playouts from `first` to `end` - 1 added."""
    forbid_inlining()
    position, tables, imagined, seed = game
    for playout in range(first, end):
        worth += play_playout(position, tables, imagined, action, seed, np.uint64(playout))
    return worth


@jit_internal
def play_playout(start, tables, imagined, action, seed, block):
    """Play an action and then the game to its end, every seat by the planner; return the lead of the acting seat.

    The lead is in points, over the mean of the other seats.
    """
    forbid_inlining()
    position = imagined.workspace.position
    copy_position(start, position)
    seat = position.turn[TURN_SEAT]
    while True:
        play_ply(position, tables, action)
        if position.turn[TURN_IS_OVER]:
            break
        if position.turn[TURN_FACE_A] < 0:
            action = roll_dice(position, tables, seed, block)
        else:
            store_rivals(position, tables, imagined)
            rank_placements(position, tables, imagined, 1)
            action = imagined.workspace.actions[0]
    others = 0
    for other in range(tables.players):
        if other != seat:
            others += score(position, tables, other)
    return score(position, tables, seat) - others / np.float64(tables.players - 1)
