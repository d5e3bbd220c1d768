"""What `rollout` does: it plays the best candidates of keeper on, in games that it only imagines.

Boards touch one another only through the dice that are left. So an imagined game has one board, the own: the seats
that are in stay in, and the dice that they leave are as good as rolled afresh. It ends when the seat drops out, and
costs a quarter of a game of four. All candidates meet the same dice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.keeper import KeeperWorkspace, make_keeper_workspace, value_candidates
from engine.games.blokus_dice.kernel.placement_sets import copy_array, jit_inlined, jit_internal
from engine.games.blokus_dice.kernel.policies import choose_greedy
from engine.games.blokus_dice.kernel.position import (
    BOARD_STRIKES,
    BOARD_UNFILLED,
    TURN_ROLL,
    TURN_ROUND,
    PolicyWorkspace,
    Position,
    make_policy_workspace,
    make_start_position,
)
from engine.games.blokus_dice.kernel.rules import draw_placement, fill_fitting
from engine.games.blokus_dice.kernel.tables import CELL_WORDS, WORD_BITS
from engine.games.blokus_dice.ruleset import FACE_COUNT
from engine.kernels.luck import counter_key, fork_seed, number_below, random_word
from engine.luck import PURPOSE_DICE, PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Tables

# the parameters of rollout; the weights of keeper follow
ROLLOUT_PLAYOUTS, ROLLOUT_CANDIDATES, ROLLOUT_TRUST = range(3)
MAX_CANDIDATES = 64


class Workspace(NamedTuple):
    """Room for all that a strategy may think of."""

    scratch: PolicyWorkspace
    mind: KeeperWorkspace
    after: Position
    """The own board after a candidate; the rest is of no meaning."""
    imagined: Position
    """The own board in an imagined game."""

    which: NDArray[np.int64]
    """(CANDIDATES_MOST,) candidates of keeper that are still compared."""
    totals: NDArray[np.float64]
    """(CANDIDATES_MOST,) sum of their results so far: fewer is better."""
    worths: NDArray[np.float64]
    """(CANDIDATES_MOST,) what keeper thinks of them."""


def make_workspace(tables: Tables) -> Workspace:
    """Return room to think, for one ruleset."""
    return Workspace(
        make_policy_workspace(tables),
        make_keeper_workspace(tables),
        make_start_position(tables),
        make_start_position(tables),
        np.empty(MAX_CANDIDATES, np.int64),
        np.empty(MAX_CANDIDATES, np.float64),
        np.empty(MAX_CANDIDATES, np.float64),
    )


@jit_internal
def choose_rollout(position, tables, room, settings, seed, block, who, round_, index, seat):
    """Return the candidate that does best in imagined games; -1 if there is none.

    Successive halving: the playouts are shared out over as many steps as it takes to halve the candidates down to one,
    in each step evenly over those that are left, and at least one for each. A result is the unfilled squares at the
    end, less a share of what keeper thinks: greedy imagines too little care for the colours.
    """
    mind, after = room.mind, room.after
    number = value_candidates(position, tables, room.scratch, mind, settings[ROLLOUT_TRUST + 1 :], seat)
    most = np.int64(settings[ROLLOUT_CANDIDATES])
    left = choose_candidates(mind.values, mind.spots, tables.shape, number, most, room.which, room.worths)
    room.totals[:] = 0.0
    if left <= 1:
        return room.which[0] if left else -1
    dreamt = fork_seed(seed, block, who, round_, index)
    steps = 0
    while 1 << steps < left:
        steps += 1
    played = 0
    for _ in range(steps):
        each = max(1, np.int64(settings[ROLLOUT_PLAYOUTS]) // (steps * left))
        for place in range(left):
            n = room.which[place]
            copy_board(position, after, seat)
            draw_placement(after, tables, seat, np.int64(mind.spots[n]))
            after.boards[seat, BOARD_STRIKES] += mind.struck[n]
            for playout in range(played, played + each):
                copy_board(after, room.imagined, seat)
                room.totals[place] += play_playout(
                    room.imagined, tables, room.scratch, mind.ahead, seat, dreamt, np.uint64(playout)
                )
            room.totals[place] -= each * settings[ROLLOUT_TRUST] * mind.values[n]
        played += each
        left = halve_candidates(room.which, room.totals, left)
    return room.which[0]


@jit_inlined
def copy_board(position, other, seat):
    """Copy one board to another position, and the time."""
    copy_array(position.planes[seat], other.planes[seat])
    copy_array(position.filled[seat], other.filled[seat])
    copy_array(position.boards[seat], other.boards[seat])
    copy_array(position.turn, other.turn)


@jit_inlined
def choose_candidates(values, spots, shape, number, most, which, worths):
    """Choose the candidates of the highest values, and return how many.

    Of equal shapes with equal values only the first: they are mirror images, nearly always.
    """
    found = 0
    while found < most:
        best = -1
        for n in range(number):
            if values[n] > -np.inf and (best < 0 or values[n] > values[best]):
                best = n
        if best < 0:
            break
        worth, mirrored = values[best], shape[spots[best] % (WORD_BITS * CELL_WORDS)]
        for n in range(best, number):
            if values[n] == worth and shape[spots[n] % (WORD_BITS * CELL_WORDS)] == mirrored:
                values[n] = -np.inf
        which[found], worths[found] = best, worth
        found += 1
    for place in range(found):
        values[which[place]] = worths[place]
    return found


@jit_inlined
def halve_candidates(which, totals, left):
    """Sort the candidates by their results, the better half first, and return how many stay. Of equals the first."""
    for place in range(1, left):
        total, candidate = totals[place], which[place]
        before = place
        while before > 0 and totals[before - 1] > total:
            totals[before] = totals[before - 1]
            which[before] = which[before - 1]
            before -= 1
        totals[before], which[before] = total, candidate
    return (left + 1) // 2


@jit_internal
def play_playout(position, tables, scratch, ahead, seat, seed, block):
    """Play one board to its end by greedy, and return its unfilled squares, and a little for each strike. BD-13."""
    turn = position.turn
    index = ahead[1]
    who = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(seat + 1))
    position.takers[:] = -1
    while True:
        turn[TURN_ROUND] += 1
        round_ = np.uint64(turn[TURN_ROUND])
        dice = ahead[0] - index
        index = ahead[0] - 1 if index == 0 else index - 1
        code = 0
        for die in range(dice):
            bits = random_word(
                seed, block, counter_key(np.uint64(PURPOSE_DICE), np.uint64(0)), round_, np.uint64(die)
            )
            code += np.int64(number_below(bits, np.uint64(FACE_COUNT))) * FACE_COUNT**die
        turn[TURN_ROLL] = tables.rolls[dice, code]
        fill_fitting(position, seat, scratch.fitting)
        bits = random_word(seed, block, who, round_, np.uint64(0))
        _, struck, spot = choose_greedy(position, tables, scratch, seat, bits)
        if spot < 0:
            strikes = np.float64(position.boards[seat, BOARD_STRIKES])
            return np.float64(position.boards[seat, BOARD_UNFILLED]) + strikes / 64.0
        draw_placement(position, tables, seat, spot)
        position.boards[seat, BOARD_STRIKES] += struck
