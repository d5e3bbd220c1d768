"""The rollout's values of the squares: the builder's, corrected by imagined games.

Once in a turn, before its dice are known, the turn is solved for the builder's values. The solution tells how likely
each square is to be filled, and the likeliest squares, `candidates` of them, are compared: a cube is placed there and
the rest of the game is played by builders, LANES games side by side. Playout i has the luck of block i of an imagined
seed, the same for every candidate. Its result is the margin over the best other seat.

A candidate's value moves from the builder's towards that of the playouts, by playouts / (playouts + `trust`). Both
values are taken relative to their means over the candidates that were compared. Then the turn is solved again, and the
half of the candidates that is now likelier to be filled is compared by further playouts, until the budget is spent.

All values are settled before the first throw. So all decisions of a turn fit together, and a decision in the middle of
a turn that is computed from the start gives the same action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.spexxx.dice import FIRST_THROW, HANDS
from engine.games.spexxx.kernel.dice_rolls import Turns, complete_throw, roll_dice
from engine.games.spexxx.kernel.position import TALLY_SCORE
from engine.games.spexxx.kernel.rules import (
    THOUSANDTHS_PER_POINT,
    copy_lane,
    count_open_squares,
    discard_cube,
    place_cube,
)
from engine.games.spexxx.kernel.square_values import MAX_WORTH, make_builder_plan
from engine.games.spexxx.kernel.tables import LANES
from engine.games.spexxx.kernel.turns import THROW_COUNT, choose_action, open_throw, solve_turn
from engine.games.spexxx.ruleset import FIRST_PLACEMENT
from engine.games.spexxx.turn import THROW_SCALE
from engine.kernels.bits import clear_lowest_bit, lowest_bit
from engine.kernels.compiling import jit_internal, jit_merged
from engine.kernels.halving import count_halvings, half_of, playouts_each
from engine.kernels.luck import counter_key, fork_seed
from engine.luck import MAX_DRAWS_PER_DECISION, PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLAYOUT_DRAW_INDEX: Final = 1
"""Draw of a turn's first decision from which the imagined seed comes; draw 0 decides between equal actions."""

_u64 = np.uint64


class ImaginedTurn(NamedTuple):
    """The turn whose squares are compared by playouts."""

    lane: np.uint64
    """The game."""
    turns: Turns
    number: np.int64
    """Place in `turns`."""
    seed: np.uint64
    """Of the imagined games."""
    weights: NDArray[np.float64]
    """Those of the builders that play them."""


@jit_merged
def _store_fill_chances(tables, boards, lane, near, workspace):
    """Write how likely each square is to be filled in the turn, for the imagined plan in lane 0.

    Squares that are almost the best count too, by 1 / (1 + (lack / near)**2) for a lack in points.
    """
    hand_chances, fill_chances = workspace.hand_chances, workspace.fill_chances
    turn = workspace.imagined_turn
    solve_turn(tables, turn)
    fill_chances[:] = 0
    hand_chances[:] = 0
    hand_chances[0] = 1
    faces = tables.hand_plus_die.shape[1]
    for throw in range(tables.throws):
        for hand in range(FIRST_THROW):
            for face in range(faces):
                hand_chances[tables.hand_plus_die[hand, face]] += hand_chances[hand] / faces
            hand_chances[hand] = 0
        to_come = tables.throws - 1 - throw
        for hand in range(FIRST_THROW, len(HANDS)):
            row = _u64(hand - FIRST_THROW)
            chance, hand_chances[hand] = hand_chances[hand], 0.0
            if chance == 0:
                continue
            stop = np.int64(turn.plan[(_u64(tables.rows - THROW_COUNT) + row) * _u64(LANES)])
            squares = count_open_squares(tables, boards, lane, _u64(hand))
            if to_come:
                sums = turn.sums[to_come - 1]
                best, best_keep = np.int64(-1), 0
                for k in range(tables.keep_counts[row]):
                    keep = tables.keeps[row, k]
                    value = sums[keep * _u64(LANES)] * tables.ways[keep]
                    best_keep = keep if value > best else best_keep
                    best = max(value, best)
                if not squares or stop * THROW_SCALE**to_come < best:
                    hand_chances[best_keep] += chance
                    continue
            for i in range(boards.free.shape[1]):
                bits = boards.free[lane, i] & tables.matches[row, i]
                while bits:
                    square = _u64(64) * _u64(i) + lowest_bit(bits)
                    bits = clear_lowest_bit(bits)
                    lack = (stop - turn.plan[square * _u64(LANES)]) / (THOUSANDTHS_PER_POINT * near)
                    fill_chances[square] += chance / (1 + lack * lack)


@jit_merged
def _select_likeliest(workspace, count, selected):
    """Put the likeliest of the first `count` candidates in front, `selected` of them; of equal ones the lower square."""
    candidates, fill_chances = workspace.candidates, workspace.fill_chances
    for i in range(selected):
        best = i
        for j in range(i + 1, count):
            square, leader = candidates[j], candidates[best]
            if fill_chances[square] > fill_chances[leader] or (
                fill_chances[square] == fill_chances[leader] and square < leader
            ):
                best = j
        candidates[i], candidates[best] = candidates[best], candidates[i]


@jit_merged
def _set_imagined_games(tables, boards, lane, seat, square, workspace):
    """Set all imagined games to one game with one cube more."""
    imagined, players = workspace.imagined_boards, boards.potential.shape[0]
    for imagined_lane in range(_u64(LANES)):
        copy_lane(imagined, imagined_lane, boards, lane)
    for row in range(boards.outlook.shape[0]):
        for player in range(players):
            source, target = boards.outlook[row, player], imagined.outlook[row, player]
            for i in range(_u64(tables.cells.shape[0])):
                value = source[i * _u64(LANES) + lane]
                for imagined_lane in range(_u64(LANES)):
                    target[i * _u64(LANES) + imagined_lane] = value
    for imagined_lane in range(_u64(LANES)):
        place_cube(tables, imagined, imagined_lane, seat, square)


@jit_internal
def _play_playouts(tables, imagined, block, workspace):
    """Play the imagined games to their end by builders, from the next turn on; lane i has the luck of block + i."""
    boards, turn, turns = workspace.imagined_boards, workspace.imagined_turn, imagined.turns
    for number in range(imagined.number + 1, turns.rounds.shape[0]):
        round_, seat = turns.rounds[number], turns.seats[number]
        key = counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1))
        make_builder_plan(tables, boards, seat, imagined.weights, workspace.values, turn.plan)
        solve_turn(tables, turn)
        for lane in range(_u64(LANES)):
            hand = throws = decision = _u64(0)
            while True:
                hand = complete_throw(tables, workspace.imagined_faces[lane, throws, number], hand)
                throws += _u64(1)
                throw = open_throw(tables, boards, lane, hand, tables.throws - np.int64(throws))
                luck = (imagined.seed, block + lane, key, round_, decision * _u64(MAX_DRAWS_PER_DECISION))
                hand = choose_action(tables, boards, lane, turn, throw, luck)
                decision += _u64(1)
                if hand >= FIRST_THROW:
                    break
            if hand >= FIRST_PLACEMENT:
                place_cube(tables, boards, lane, seat, hand - _u64(FIRST_PLACEMENT))
            else:
                discard_cube(boards, lane, seat)


@jit_merged
def _score_margin(boards, lane, seat):
    """Return by how many points a seat is ahead of the best other."""
    best = np.int64(-(1 << 40))
    for other in range(boards.potential.shape[0]):
        if other != np.int64(seat):
            best = max(best, np.int64(boards.tally[lane, other, TALLY_SCORE]))
    return np.int64(boards.tally[lane, seat, TALLY_SCORE]) - best


@jit_merged
def _sum_playout_margins(tables, boards, imagined, first, groups, count, workspace):
    """Add up the margins of the first `count` candidates over groups of LANES playouts, from group `first` on."""
    turns, number, seed = imagined.turns, imagined.number, imagined.seed
    seat = turns.seats[number]
    for i in range(count):
        workspace.margins[workspace.candidates[i]] = 0
    for group in range(groups):
        block = _u64((first + group) * LANES)
        for lane in range(_u64(LANES)):
            roll_dice(turns, number + 1, seed, block + lane, workspace.imagined_faces[lane])
        for i in range(count):
            square = workspace.candidates[i]
            _set_imagined_games(tables, boards, imagined.lane, seat, _u64(square), workspace)
            _play_playouts(tables, imagined, block, workspace)
            for lane in range(_u64(LANES)):
                workspace.margins[square] += _score_margin(workspace.imagined_boards, lane, seat)


@jit_merged
def _correct_estimates(workspace, count, playouts_before, playouts, trust):
    """Move the estimates of the candidates towards the means of their margins."""
    estimates, margins = workspace.estimates, workspace.margins
    mean_estimate = mean_margin = 0.0
    for i in range(count):
        square = workspace.candidates[i]
        mean_estimate += estimates[square] / count
        mean_margin += margins[square] / (playouts * count)
    for i in range(count):
        square = workspace.candidates[i]
        error = (margins[square] / playouts - mean_margin) - (estimates[square] - mean_estimate)
        estimates[square] += error * playouts / (trust + playouts_before + playouts)


@jit_merged
def _spread_estimates(tables, boards, lane, workspace):
    """Make the estimates for one game the imagined plan of all lanes."""
    plan = workspace.imagined_turn.plan
    for square in range(_u64(tables.cells.shape[0])):
        worth = np.int64(0)
        if boards.grid[lane, _u64(tables.spots[square])] == 0:
            worth = np.int64(
                min(max(workspace.estimates[square] * THOUSANDTHS_PER_POINT, 0.0), np.float64(MAX_WORTH))
            )
        for imagined_lane in range(_u64(LANES)):
            plan[square * _u64(LANES) + imagined_lane] = worth


@jit_internal
def refine_plan(tables, boards, game, turns, number, strategy, workspace):
    """Correct the builder's plan of turn `number` in one lane by playouts.

    `game` is a `dice_rolls.LaneGame`. The settings are playouts, candidates, trust and near.
    """
    seat, lane, plan = turns.seats[number], game.lane, workspace.turn.plan
    settings = strategy.settings
    groups_left, most, trust, near = int(settings[0]) // LANES, int(settings[1]), settings[2], settings[3]
    count = 0
    for square in range(_u64(tables.cells.shape[0])):
        workspace.estimates[square] = plan[square * _u64(LANES) + lane] / THOUSANDTHS_PER_POINT
        if boards.grid[lane, _u64(tables.spots[square])] == 0:
            workspace.candidates[count] = square
            count += 1
    selected, groups_done = min(most, count, groups_left), 0
    key = counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1))
    seed = fork_seed(game.seed, game.block, key, turns.rounds[number], _u64(PLAYOUT_DRAW_INDEX))
    imagined = ImaginedTurn(lane, turns, number, seed, strategy.weights)
    while True:
        _spread_estimates(tables, boards, lane, workspace)
        if selected < 2 or groups_left < selected:
            break
        _store_fill_chances(tables, boards, lane, near, workspace)
        _select_likeliest(workspace, count, selected)
        count = selected
        groups = playouts_each(groups_left, count_halvings(count), count)
        _sum_playout_margins(tables, boards, imagined, groups_done, groups, count, workspace)
        _correct_estimates(workspace, count, groups_done * LANES, groups * LANES, trust)
        groups_left -= groups * count
        groups_done += groups
        selected = half_of(count)
    for square in range(_u64(tables.cells.shape[0])):
        plan[square * _u64(LANES) + lane] = workspace.imagined_turn.plan[square * _u64(LANES)]
