"""The strategy `rollout` of Blokus Dice, compiled: it plays the best candidates of `keeper` on in playouts.

Boards affect one another only through the dice that are left. So a playout has one board, the own: the seats that are
in stay in, and the dice that they leave are as good as rolled afresh. It ends when the seat drops out, and costs a
quarter of a game of four. All candidates meet the same dice.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus_dice.kernel.keeper import value_candidates
from engine.games.blokus_dice.kernel.policies import choose_greedy
from engine.games.blokus_dice.kernel.position import BOARD_STRIKES, BOARD_UNFILLED, TURN_ROLL, TURN_ROUND
from engine.games.blokus_dice.kernel.rules import draw_placement, roll_dice, store_fitting
from engine.games.blokus_dice.kernel.tables import SPOT_STRIDE
from engine.kernels.compiling import copy_array, jit_inlined, jit_internal
from engine.kernels.halving import halve_candidates
from engine.kernels.luck import counter_key, fork_seed, random_word
from engine.luck import PURPOSE_STRATEGY

# Places of the parameters; the weights of `keeper` follow them
ROLLOUT_PLAYOUTS, ROLLOUT_CANDIDATES, ROLLOUT_TRUST = range(3)
ROLLOUT_WEIGHTS: Final = ROLLOUT_TRUST + 1

_UNFILLED_PER_STRIKE: Final = 1 / 64
"""A used strike counts as this part of an unfilled square: it decides only between equal results (BD-13)."""


@jit_internal
def choose_rollout(position, tables, workspace, seat, settings, luck):
    """Return the candidate that does best in playouts, in `workspace.keeper`, or -1.

    `settings` are the parameters of `rollout`; `luck` is (seed, block, key, round, index) of the first draw.
    """
    weights = settings[ROLLOUT_WEIGHTS:]
    count = value_candidates(position, tables, workspace.decision, workspace.keeper, weights, seat)
    count = _choose_candidates(tables, workspace, count, np.int64(settings[ROLLOUT_CANDIDATES]))
    if count == 0:
        return -1
    workspace.values[:] = 0.0
    game = (position, tables, workspace, seat, settings[ROLLOUT_TRUST], fork_seed(*luck))
    playouts = np.int64(settings[ROLLOUT_PLAYOUTS])
    return halve_candidates(_play_candidate, game, workspace.candidates, workspace.values, count, playouts)


@jit_inlined
def _choose_candidates(tables, workspace, count, wanted):
    """Choose `wanted` candidates with the highest values, the best first; return how many there are.

    Of equal shapes with equal values only the first is chosen: nearly always they are mirror images.
    """
    keeper, chosen, worths = workspace.keeper, workspace.candidates, workspace.values
    values, placements, shapes = keeper.values, keeper.placements, tables.shapes
    chosen_count = 0
    while chosen_count < wanted:
        best = _best_candidate_left(values, count)
        if best < 0:
            break
        value, shape = values[best], shapes[placements[best] % SPOT_STRIDE]
        for n in range(best, count):
            if values[n] == value and shapes[placements[n] % SPOT_STRIDE] == shape:
                values[n] = -np.inf
        chosen[chosen_count], worths[chosen_count] = best, value
        chosen_count += 1
    for n in range(chosen_count):
        values[chosen[n]] = worths[n]
    return chosen_count


@jit_inlined
def _best_candidate_left(values, count):
    """Return the candidate with the highest value above minus infinity, the first of equal ones; -1 if none is left."""
    best = -1
    for n in range(count):
        if values[n] > -np.inf and (best < 0 or values[n] > values[best]):
            best = n
    return best


@jit_internal
def _play_candidate(game, candidate, value, first, end):
    """Add the results of the playouts from `first` to `end` - 1 to a candidate's value, for `halve_candidates`.

    A result is minus the unfilled squares at the end, plus a share of what `keeper` thinks of the candidate: the greedy
    player of the playouts takes too little care of the colours.
    """
    position, tables, workspace, seat, trust, seed = game
    keeper, after = workspace.keeper, workspace.after
    copy_board(position, after, seat)
    draw_placement(after, tables, seat, np.int64(keeper.placements[candidate]))
    after.boards[seat, BOARD_STRIKES] += keeper.strikes[candidate]
    for playout in range(first, end):
        copy_board(after, workspace.imagined, seat)
        value -= play_playout(tables, workspace, seat, seed, np.uint64(playout))
    return value + (end - first) * trust * keeper.values[candidate]


@jit_inlined
def copy_board(source, target, seat):
    """Copy one board of a position to another, and the turn."""
    copy_array(source.planes[seat], target.planes[seat])
    copy_array(source.filled[seat], target.filled[seat])
    copy_array(source.boards[seat], target.boards[seat])
    copy_array(source.turn, target.turn)


@jit_internal
def play_playout(tables, workspace, seat, seed, block):
    """Play one board of `workspace.imagined` to its end by `greedy`; return its unfilled squares and strikes, in squares.

    The seat starts in the next round; `workspace.keeper.next_round` holds the order.
    """
    position, decision, next_round = workspace.imagined, workspace.decision, workspace.keeper.next_round
    turn = position.turn
    before = next_round[1]
    key = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(seat + 1))
    position.takers[:] = -1
    while True:
        turn[TURN_ROUND] += 1
        round_ = np.uint64(turn[TURN_ROUND])
        dice = next_round[0] - before
        before = next_round[0] - 1 if before == 0 else before - 1
        turn[TURN_ROLL] = roll_dice(tables, dice, seed, block, round_)
        store_fitting(position, seat, decision.fitting)
        bits = random_word(seed, block, key, round_, np.uint64(0))
        _, strike, placement = choose_greedy(position, tables, decision, seat, bits)
        if placement < 0:
            strikes = np.float64(position.boards[seat, BOARD_STRIKES])
            return np.float64(position.boards[seat, BOARD_UNFILLED]) + strikes * _UNFILLED_PER_STRIKE
        draw_placement(position, tables, seat, placement)
        position.boards[seat, BOARD_STRIKES] += strike
