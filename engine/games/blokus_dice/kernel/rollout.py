"""What `rollout` does: it plays the best candidates of keeper on, in games that it only imagines.

Boards touch one another only through the dice that are left. So an imagined game has one board, the own: the seats
that are in stay in, and the dice that they leave are as good as rolled afresh. It ends when the seat drops out, and
costs a quarter of a game of four. All candidates meet the same dice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.keeper import Candidates, candidates, weigh
from engine.games.blokus_dice.kernel.placement_sets import called, copy, inlined
from engine.games.blokus_dice.kernel.policies import best_placement
from engine.games.blokus_dice.kernel.position import (
    ROLL,
    ROUND,
    STRIKES,
    UNFILLED,
    Position,
    Scratch,
    beginning,
    scratch,
)
from engine.games.blokus_dice.kernel.rules import draw, fit
from engine.games.blokus_dice.kernel.tables import BITS, DEPTH
from engine.games.blokus_dice.ruleset import FACES
from engine.kernels.luck import below, fork, key, word
from engine.luck import DICE, STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Tables

# the parameters of rollout; the weights of keeper follow
PLAYOUTS, CANDIDATES, TRUST = range(3)
CANDIDATES_MOST = 64


class Room(NamedTuple):
    """Room for all that a strategy may think of."""

    scratch: Scratch
    mind: Candidates
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


def room(tables: Tables) -> Room:
    """Return room to think, for one ruleset."""
    return Room(
        scratch(tables),
        candidates(tables),
        beginning(tables),
        beginning(tables),
        np.empty(CANDIDATES_MOST, np.int64),
        np.empty(CANDIDATES_MOST, np.float64),
        np.empty(CANDIDATES_MOST, np.float64),
    )


@called
def rollout_candidate(position, tables, room, settings, seed, block, who, round_, index, seat):
    """Return the candidate that does best in imagined games; -1 if there is none.

    Successive halving: the playouts are shared out over as many steps as it takes to halve the candidates down to one,
    in each step evenly over those that are left, and at least one for each. A result is the unfilled squares at the
    end, less a share of what keeper thinks: greedy imagines too little care for the colours.
    """
    mind, after = room.mind, room.after
    number = weigh(position, tables, room.scratch, mind, settings[TRUST + 1 :], seat)
    most = np.int64(settings[CANDIDATES])
    left = choose(mind.values, mind.spots, tables.shape, number, most, room.which, room.worths)
    room.totals[:] = 0.0
    if left <= 1:
        return room.which[0] if left else -1
    dreamt = fork(seed, block, who, round_, index)
    steps = 0
    while 1 << steps < left:
        steps += 1
    played = 0
    for _ in range(steps):
        each = max(1, np.int64(settings[PLAYOUTS]) // (steps * left))
        for place in range(left):
            n = room.which[place]
            copy_board(position, after, seat)
            draw(after, tables, seat, np.int64(mind.spots[n]))
            after.boards[seat, STRIKES] += mind.struck[n]
            for playout in range(played, played + each):
                copy_board(after, room.imagined, seat)
                room.totals[place] += imagine(
                    room.imagined, tables, room.scratch, mind.ahead, seat, dreamt, np.uint64(playout)
                )
            room.totals[place] -= each * settings[TRUST] * mind.values[n]
        played += each
        left = halve(room.which, room.totals, left)
    return room.which[0]


@inlined
def copy_board(position, other, seat):
    """Copy one board to another position, and the time."""
    copy(position.planes[seat], other.planes[seat])
    copy(position.filled[seat], other.filled[seat])
    copy(position.boards[seat], other.boards[seat])
    copy(position.turn, other.turn)


@inlined
def choose(values, spots, shape, number, most, which, worths):
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
        worth, mirrored = values[best], shape[spots[best] % (BITS * DEPTH)]
        for n in range(best, number):
            if values[n] == worth and shape[spots[n] % (BITS * DEPTH)] == mirrored:
                values[n] = -np.inf
        which[found], worths[found] = best, worth
        found += 1
    for place in range(found):
        values[which[place]] = worths[place]
    return found


@inlined
def halve(which, totals, left):
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


@called
def imagine(position, tables, scratch, ahead, seat, seed, block):
    """Play one board to its end by greedy, and return its unfilled squares, and a little for each strike. BD-13."""
    turn = position.turn
    index = ahead[1]
    who = key(np.uint64(STRATEGY), np.uint64(seat + 1))
    position.takers[:] = -1
    while True:
        turn[ROUND] += 1
        round_ = np.uint64(turn[ROUND])
        dice = ahead[0] - index
        index = ahead[0] - 1 if index == 0 else index - 1
        code = 0
        for die in range(dice):
            bits = word(seed, block, key(np.uint64(DICE), np.uint64(0)), round_, np.uint64(die))
            code += np.int64(below(bits, np.uint64(FACES))) * FACES**die
        turn[ROLL] = tables.rolls[dice, code]
        fit(position, seat, scratch.fitting)
        bits = word(seed, block, who, round_, np.uint64(0))
        _, struck, spot = best_placement(position, tables, scratch, seat, bits)
        if spot < 0:
            strikes = np.float64(position.boards[seat, STRIKES])
            return np.float64(position.boards[seat, UNFILLED]) + strikes / 64.0
        draw(position, tables, seat, spot)
        position.boards[seat, STRIKES] += struck
