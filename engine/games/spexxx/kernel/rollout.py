"""The rollout's view of the squares: the builder's, corrected by games that are played out in the imagination.

Once a turn, before its dice are known, the turn is solved for the builder's values. That tells how likely each square
is to be filled, and the likeliest `candidates` are looked at: a cube is placed there and the rest of the game played
by builders, LANES games side by side, playout i with the luck of block i of an imagined seed for every candidate. What
counts is the margin over the best other seat.

A candidate's value moves from the builder's towards what the playouts say, by playouts / (playouts + `trust`): both
are taken from their means over the candidates that were compared. Then the turn is solved again, and the half of the
candidates that is now likelier to be filled is compared by further playouts, until the budget is spent.

The whole vector of values is settled before the first throw. So all decisions of a turn fit together, and a decision
in the middle of it, thought through again from the start, comes out the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.spexxx.dice import FIRST_THROW, HANDS
from engine.games.spexxx.kernel.dice_rolls import complete_throw, roll_dice
from engine.games.spexxx.kernel.lines import jit_internal, jit_merged
from engine.games.spexxx.kernel.position import TALLY_SCORE, LaneBoards, make_boards
from engine.games.spexxx.kernel.rules import (
    THOUSANDTHS_PER_POINT,
    copy_lane,
    count_keeps,
    count_open_squares,
    discard_cube,
    lowest_bit,
    place_cube,
)
from engine.games.spexxx.kernel.square_values import MAX_WORTH, make_builder_plan
from engine.games.spexxx.kernel.tables import LANES, aligned_zeros
from engine.games.spexxx.kernel.turns import SolvedTurn, choose_action, solve_turn
from engine.games.spexxx.ruleset import FIRST_PLACEMENT
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.luck import counter_key, fork_seed
from engine.luck import MAX_DRAWS_PER_DECISION, PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.spexxx.kernel.tables import Tables

PLAYOUT_DRAW_INDEX: Final = 1
"""Of a turn's first decision: index 0 breaks its ties."""

_u64 = np.uint64
_THROW_COUNT: Final = len(HANDS) - FIRST_THROW


class Workspace(NamedTuple):
    """Where plans are made and games imagined."""

    plan: NDArray[np.int32]
    """(rows x LANES) The plan of the turn that is played."""
    values: NDArray[np.float32]
    """(squares x LANES)"""
    solved: SolvedTurn
    """The turn that is played."""
    table: LaneBoards
    """Of imagined games; without squares if nobody imagines any."""
    thrown: NDArray[np.uint16]
    """(LANES, throws, turns) Their dice."""
    imagined: SolvedTurn
    """A turn in them."""
    imagined_plan: NDArray[np.int32]
    """(rows x LANES)"""
    mass: NDArray[np.float64]
    """(hands,) How likely it is to come to a hand."""
    filled: NDArray[np.float64]
    """(squares,) How likely a square is to be filled."""
    estimates: NDArray[np.float64]
    """(squares,) What it is worth, in points."""
    margins: NDArray[np.float64]
    """(squares,) Sum over the playouts of one comparison."""
    candidates: NDArray[np.intp]
    """(squares,) The squares compared, first of all those that are left."""


def make_workspace(b: Tables, players: int, turns: int, *, imagines: bool) -> Workspace:
    """Return room for one batch."""
    squares = len(b.cells)
    return Workspace(
        aligned_zeros((b.rows * LANES,), np.int32),
        aligned_zeros((squares * LANES,), np.float32),
        _make_solved_turn(b),
        make_boards(b, players, LANES * imagines, valued=True, surveyed=True),
        np.zeros((LANES, b.throws, turns * imagines), dtype=np.uint16),
        _make_solved_turn(b),
        aligned_zeros((b.rows * LANES,), np.int32),
        np.zeros(len(HANDS)),
        np.zeros(squares),
        np.zeros(squares),
        np.zeros(squares),
        np.zeros(squares, dtype=np.intp),
    )


def _make_solved_turn(b: Tables) -> SolvedTurn:
    return SolvedTurn(
        aligned_zeros((b.throws - 1, len(HANDS) * LANES), np.int64),
        aligned_zeros((int(b.raising.max()) + LANES,), np.int64),
    )


@jit_merged
def _store_fill_chances(b, t, lane, near, room):
    """Fill in how likely each square is to be filled in the turn, for the plan in the first lane.

    Squares that come next to the best count too, the less the more points they lack: by 1 / (1 + (lack / near)**2).
    """
    mass, filled, plan = room.mass, room.filled, room.imagined_plan
    solve_turn(b, plan, room.imagined)
    filled[:] = 0
    mass[:] = 0
    mass[0] = 1
    for throw in range(b.throws):
        for hand in range(FIRST_THROW):
            for face in range(b.plus.shape[1]):
                mass[b.plus[hand, face]] += mass[hand] / b.plus.shape[1]
            mass[hand] = 0
        to_come = b.throws - 1 - throw
        for hand in range(FIRST_THROW, len(HANDS)):
            row = _u64(hand - FIRST_THROW)
            chance, mass[hand] = mass[hand], 0.0
            if chance == 0:
                continue
            stop = np.int64(plan[(_u64(b.rows - _THROW_COUNT) + row) * _u64(LANES)])
            squares = count_open_squares(b, t, lane, _u64(hand))
            if to_come:
                sums = room.imagined.sums[to_come - 1]
                best, keep = np.int64(-1), 0
                for k in range(b.keep_counts[row]):
                    one = b.keeps[row, k]
                    value = sums[one * _u64(LANES)] * b.ways[one]
                    keep = one if value > best else keep
                    best = max(value, best)
                if not squares or stop * THROW_SCALE**to_come < best:
                    mass[keep] += chance
                    continue
            for i in range(t.free.shape[1]):
                bits = t.free[lane, i] & b.matches[row, i]
                while bits:
                    square = _u64(64) * _u64(i) + lowest_bit(bits)
                    bits &= bits - _u64(1)
                    lack = (stop - plan[square * _u64(LANES)]) / (THOUSANDTHS_PER_POINT * near)
                    filled[square] += chance / (1 + lack * lack)


@jit_merged
def _select_likeliest(room, count, left):
    """Put the likeliest of the first `count` candidates in front, `left` of them, the lower square first if equal."""
    candidates, filled = room.candidates, room.filled
    for i in range(left):
        best = i
        for j in range(i + 1, count):
            one, other = candidates[j], candidates[best]
            if filled[one] > filled[other] or (filled[one] == filled[other] and one < other):
                best = j
        candidates[i], candidates[best] = candidates[best], candidates[i]


@jit_merged
def _set_imagined_games(b, t, lane, seat, square, room):
    """Set all lanes of the imagined table to a game, with one cube more."""
    into, players = room.table, t.potential.shape[0]
    for one in range(_u64(LANES)):
        copy_lane(into, one, t, lane)
    for row in range(t.outlook.shape[0]):
        for who in range(players):
            source, target = t.outlook[row, who], into.outlook[row, who]
            for i in range(_u64(b.cells.shape[0])):
                value = source[i * _u64(LANES) + lane]
                for one in range(_u64(LANES)):
                    target[i * _u64(LANES) + one] = value
    for one in range(_u64(LANES)):
        place_cube(b, into, one, seat, square)


@jit_internal
def _play_playouts(b, room, turns, first, seed, block, weights):
    """Play the imagined games to their end by builders, from a turn on; lane i has the luck of block + i."""
    t, solved, plan = room.table, room.imagined, room.imagined_plan
    for turn in range(first, turns.rounds.shape[0]):
        round_, seat = turns.rounds[turn], turns.seats[turn]
        make_builder_plan(b, t, seat, weights, room.values, plan)
        solve_turn(b, plan, solved)
        for lane in range(_u64(LANES)):
            hand = throws = decision = _u64(0)
            while True:
                hand = complete_throw(b, room.thrown[lane, throws, turn], hand)
                throws += _u64(1)
                keeps, squares = count_keeps(b, hand, throws), count_open_squares(b, t, lane, hand)
                luck = (seed, block + lane, round_, decision * _u64(MAX_DRAWS_PER_DECISION))
                hand = choose_action(
                    b, t, plan, solved, lane, seat, hand, keeps, squares, b.throws - np.int64(throws), luck
                )
                decision += _u64(1)
                if hand >= FIRST_THROW:
                    break
            if hand >= FIRST_PLACEMENT:
                place_cube(b, t, lane, seat, hand - _u64(FIRST_PLACEMENT))
            else:
                discard_cube(t, lane, seat)


@jit_merged
def _score_margin(t, lane, seat):
    """Return by how much a seat is ahead of the best other."""
    best = np.int64(-(1 << 40))
    for other in range(t.potential.shape[0]):
        if other != np.int64(seat):
            best = max(best, np.int64(t.tally[lane, other, TALLY_SCORE]))
    return np.int64(t.tally[lane, seat, TALLY_SCORE]) - best


@jit_merged
def _sum_playout_margins(b, t, lane, turns, turn, seed, first, groups, count, weights, room):
    """Add up the margins of some candidates over groups of LANES playouts."""
    seat = turns.seats[turn]
    for i in range(count):
        room.margins[room.candidates[i]] = 0
    for group in range(groups):
        block = _u64((first + group) * LANES)
        for one in range(_u64(LANES)):
            roll_dice(turns, turn + 1, seed, block + one, room.thrown[one])
        for i in range(count):
            square = room.candidates[i]
            _set_imagined_games(b, t, lane, seat, _u64(square), room)
            _play_playouts(b, room, turns, turn + 1, seed, block, weights)
            for one in range(_u64(LANES)):
                room.margins[square] += _score_margin(room.table, one, seat)


@jit_merged
def _correct_estimates(room, count, before, playouts, trust):
    """Move the estimates of the candidates towards their margins."""
    thought = seen = 0.0
    for i in range(count):
        square = room.candidates[i]
        thought += room.estimates[square] / count
        seen += room.margins[square] / (playouts * count)
    for i in range(count):
        square = room.candidates[i]
        further = (room.margins[square] / playouts - seen) - (room.estimates[square] - thought)
        room.estimates[square] += further * playouts / (trust + before + playouts)


@jit_merged
def _spread_estimates(b, t, lane, room):
    """Let the estimates be the plan, in all lanes."""
    plan = room.imagined_plan
    for square in range(_u64(b.cells.shape[0])):
        worth = np.int64(0)
        if t.grid[lane, _u64(b.spots[square])] == 0:
            worth = np.int64(
                min(max(room.estimates[square] * THOUSANDTHS_PER_POINT, 0.0), np.float64(MAX_WORTH))
            )
        for one in range(_u64(LANES)):
            plan[square * _u64(LANES) + one] = worth


@jit_internal
def refine_plan(b, t, lane, turns, turn, settings, weights, seed, block, room):
    """Correct the builder's plan of one lane by playouts.

    `settings`: playouts, candidates, trust, near.
    """
    seat = turns.seats[turn]
    left, most, trust, near = int(settings[0]) // LANES, int(settings[1]), settings[2], settings[3]
    count = 0
    for square in range(_u64(b.cells.shape[0])):
        room.estimates[square] = room.plan[square * _u64(LANES) + lane] / THOUSANDTHS_PER_POINT
        if t.grid[lane, _u64(b.spots[square])] == 0:
            room.candidates[count] = square
            count += 1
    keep, done = min(most, count, left), 0
    own = counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1))
    imagined = fork_seed(seed, block, own, turns.rounds[turn], _u64(PLAYOUT_DRAW_INDEX))
    while True:
        _spread_estimates(b, t, lane, room)
        if keep < 2 or left < keep:
            break
        _store_fill_chances(b, t, lane, near, room)
        _select_likeliest(room, count, keep)
        count = keep
        halvings = 0
        while count > 1 << halvings:
            halvings += 1
        groups = max(1, left // (halvings * count))
        _sum_playout_margins(b, t, lane, turns, turn, imagined, done, groups, count, weights, room)
        _correct_estimates(room, count, done * LANES, groups * LANES, trust)
        left -= groups * count
        done += groups
        keep = (count + 1) // 2
    for square in range(_u64(b.cells.shape[0])):
        room.plan[square * _u64(LANES) + lane] = room.imagined_plan[square * _u64(LANES)]
