"""The strongest player of BLOXX!, compiled: plays imagined games to their end and keeps to what went best.

The words of the functions of `kernel_rules` and `kernel_planner` hold here too.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.bloxx.kernel.compiling import forbid_inlining, jit_internal
from engine.games.bloxx.kernel.planner import (
    rank_placements,
    rank_placements_ahead,
    sort_candidates,
    store_rivals,
)
from engine.games.bloxx.kernel.position import TURN_FACE_A, TURN_IS_OVER, TURN_SEAT
from engine.games.bloxx.kernel.rules import copy_position, play_ply, roll_dice, score
from engine.kernels.luck import fork_seed

PRIOR_PLAYOUTS: Final = 32.0
"""The worth that the planner gives to a placement counts as much as so many playouts."""


@jit_internal
def choose_rollout(at, tables, plan, desk, table, playouts, candidates, luck):
    """Return the candidate with the best playouts, and the number of legal actions.

    Candidates are those of the planner. In stages every candidate left gets equally many playouts, with the same luck,
    and the better half stays: successive halving (Karnin, Koren and Somekh, ICML 2013). All stages together take
    about `playouts`. Equal candidates stay in the planner's order. `table` is the desk of the imagined games.
    """
    forbid_inlining()
    found, total = rank_placements_ahead(at, tables, plan, desk, candidates)
    if found == 1:
        return desk.actions[0], total
    imagined = fork_seed(luck[0], luck[1], luck[2], luck[3], luck[4])
    for n in range(found):
        desk.worths[n] *= PRIOR_PLAYOUTS
    stages = 0
    while 1 << stages < found:
        stages += 1
    left = found
    played = 0
    for _ in range(stages):
        each = max(1, playouts // (stages * left))
        for n in range(left):
            for i in range(played, played + each):
                desk.worths[n] += play_playout(
                    at, tables, plan, table, desk.actions[n], imagined, np.uint64(i)
                )
        played += each
        sort_candidates(desk, left)
        left = (left + 1) // 2
    return desk.actions[0], total


@jit_internal
def play_playout(start, tables, plan, table, action, seed, block):
    """Play an action and then on to the end, every seat by its best prospect; return the lead of the acting seat."""
    forbid_inlining()
    at = table.ahead
    copy_position(start, at)
    seat = at.turn[TURN_SEAT]
    play_ply(at, tables, action)
    while not at.turn[TURN_IS_OVER]:
        if at.turn[TURN_FACE_A] < 0:
            play_ply(at, tables, roll_dice(at, tables, seed, block))
        else:
            store_rivals(at, tables, plan, table)
            rank_placements(at, tables, plan, table, 1)
            play_ply(at, tables, table.actions[0])
    others = 0
    for other in range(tables.players):
        if other != seat:
            others += score(at, tables, other)
    return score(at, tables, seat) - others / np.float64(tables.players - 1)
