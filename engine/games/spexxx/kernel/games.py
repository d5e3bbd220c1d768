"""Spexxx compiled: the games of a batch, LANES of them side by side.

All games of a ruleset have equally many turns. So LANES games, the same seating in as many blocks, go through them in
step: a turn is planned (`square_values`, `rollout`) and solved (`turns`) in all of them at once, then each game plays it
by itself (`rules`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.games.spexxx.dice import FIRST_THROW
from engine.games.spexxx.kernel.dice_rolls import LaneGame, complete_throw, draw_decision_words, roll_dice
from engine.games.spexxx.kernel.outlook import rebuild_outlook
from engine.games.spexxx.kernel.position import TALLY_COLUMNS, TALLY_LOST_THROWS, TALLY_SCORE
from engine.games.spexxx.kernel.rollout import refine_plan
from engine.games.spexxx.kernel.rules import (
    copy_lane,
    discard_cube,
    nth_action,
    place_cube_inlined,
    value_squares,
)
from engine.games.spexxx.kernel.square_values import make_builder_plan, make_noisy_plan
from engine.games.spexxx.kernel.tables import LANES
from engine.games.spexxx.kernel.turns import SolvedTurn, choose_action, open_throw, solve_turn
from engine.games.spexxx.kernel.workspace import GREEDY, NOISY, RANDOM, ROLLOUT, SeatStrategy
from engine.games.spexxx.ruleset import DISCARD_ACTION, FIRST_PLACEMENT
from engine.kernels.compiling import jit_entry, jit_merged
from engine.kernels.luck import counter_key, number_below
from engine.kernels.ply_log import write_ply
from engine.luck import MAX_DRAWS_PER_DECISION, PURPOSE_STRATEGY

_u64 = np.uint64


class TurnStart(NamedTuple):
    """Where one game begins a turn."""

    game: LaneGame
    number: int
    """Place in `Turns`."""
    code: np.int64
    """Strategy of the seat."""
    throws: int
    """Throws made already."""
    hand: np.uint64
    """Dice on the table."""
    first_draw: np.uint64
    """Index of the first draw of the first decision."""


@jit_merged
def play_turn(tables, boards, turns, start, turn, log, row):
    """Play a turn to its end in one game (SP-2 to SP-4); return the number of plies.

    `turn` is the solved turn of all lanes. The plies are logged from a row on, unless the log has no room.
    """
    game, number, code, throws, hand, first_draw = start
    lane, seed, block = game
    round_, seat, first_row = turns.rounds[number], turns.seats[number], row
    key = counter_key(_u64(PURPOSE_STRATEGY), seat + _u64(1))
    logged = log.round.shape[0] > 0
    decision = _u64(0)
    while True:
        if hand < FIRST_THROW:
            hand = complete_throw(tables, turns.faces[lane, throws, number], hand)
            throws += 1
            if logged:
                write_ply(log, row, round_, -1, hand, -1, 0)
            row += 1
        throw = open_throw(tables, boards, lane, hand, tables.throws - throws)
        if code != RANDOM:
            luck = (seed, block, key, round_, first_draw + decision * _u64(MAX_DRAWS_PER_DECISION))
            action = choose_action(tables, boards, lane, turn, throw, luck)
        else:
            n = number_below(_u64(turns.words[lane, decision, number]), throw.keeps + throw.squares)
            action = nth_action(tables, boards, lane, hand, throw.keeps, n)
        decision += _u64(1)
        logged_action = np.int64(action)
        if action >= FIRST_PLACEMENT:
            square = action - _u64(FIRST_PLACEMENT)
            place_cube_inlined(tables, boards, lane, seat, square)
            logged_action = np.int64(FIRST_PLACEMENT + tables.cells[square])
        elif action == DISCARD_ACTION:
            discard_cube(boards, lane, seat)
        if logged:
            options = max(throw.keeps + throw.squares, _u64(1))
            write_ply(log, row, round_, seat, logged_action, options, boards.tally[lane, seat, TALLY_SCORE])
        row += 1
        if action >= DISCARD_ACTION:
            return row - first_row
        hand = action


@jit_merged
def _reset_lanes(tables, boards, start, lanes, potential, values):
    """Set the first lanes to a position, with the values of its squares to greedy seats: (seats, squares)."""
    for seat in range(potential.shape[0]):
        boards.potential[seat] = potential[seat]
        if potential[seat] >= 0:
            for square in range(values.shape[1]):
                for lane in range(lanes):
                    boards.worth[seat, square * LANES + lane] = values[seat, square]
    for lane in range(lanes):
        copy_lane(boards, _u64(lane), start, _u64(0))
        if boards.outlook.shape[2] > 0:
            rebuild_outlook(tables, boards, _u64(lane))


@jit_merged
def make_plan(_, tables, turns, number, strategy, seed, blocks, workspace):
    """Plan a turn of a seat that plays noisy, builder or rollout, in a lane for each block."""
    seat = turns.seats[number]
    if strategy.code == NOISY:
        for lane in range(len(blocks)):
            game = LaneGame(_u64(lane), seed, blocks[lane])
            make_noisy_plan(
                tables, workspace.boards, game, seat, turns.rounds[number], strategy.settings[0], workspace
            )
    else:
        make_builder_plan(
            tables, workspace.boards, seat, strategy.weights, workspace.values, workspace.turn.plan
        )
        if strategy.code == ROLLOUT:
            for lane in range(len(blocks)):
                game = LaneGame(_u64(lane), seed, blocks[lane])
                refine_plan(tables, workspace.boards, game, turns, number, strategy, workspace)


@jit_merged
def play_games_by(make_plan, planner, start, tables, turns, strategies, luck, workspace, results):
    """Play every seating in every block from a position; return the number of plies in the log.

    `luck` is the seed, the blocks, and the index of the first draw of the first turn. `make_plan(planner, tables,
    turns, number, strategy, seed, blocks, workspace)` is a compiled function that plans a turn of a seat that is neither
    random nor greedy, in a lane for each block.
    """
    _, _, throws, hand, start_boards = start
    seed, blocks, index = luck
    boards, scratch, values = workspace.boards, workspace.scratch, workspace.start_values
    codes, plies = strategies.codes, results.plies
    seatings, rows = codes.shape[0], 0
    room = scratch.round.shape[0] // (seatings * LANES)
    for seating in range(seatings):
        value_squares(tables, start_boards, strategies.potentials[seating], values[seating])
    for first in range(0, blocks.shape[0], LANES):
        lanes = min(LANES, blocks.shape[0] - first)
        lane_blocks = blocks[first : first + lanes]
        for lane in range(lanes):
            roll_dice(turns, 0, seed, lane_blocks[lane], turns.faces[lane])
            draw_decision_words(turns, seed, lane_blocks[lane], index, turns.words[lane])
        for seating in range(seatings):
            _reset_lanes(tables, boards, start_boards, lanes, strategies.potentials[seating], values[seating])
            for number in range(turns.played):
                seat = turns.seats[number]
                code = codes[seating, seat]
                plan = boards.worth[seat] if code == GREEDY else workspace.turn.plan
                turn = SolvedTurn(plan, workspace.turn.sums, workspace.turn.best)
                if code != RANDOM:
                    if code != GREEDY:
                        strategy = SeatStrategy(
                            code, strategies.settings[seating, seat], strategies.weights[seating, seat]
                        )
                        make_plan(planner, tables, turns, number, strategy, seed, lane_blocks, workspace)
                    solve_turn(tables, turn)
                for lane in range(lanes):
                    in_lanes = lane * seatings + seating
                    game = first * seatings + in_lanes
                    turn_start = TurnStart(
                        LaneGame(_u64(lane), seed, lane_blocks[lane]),
                        number,
                        code,
                        int(boards.tally[lane, seat, TALLY_LOST_THROWS]) if number else throws,
                        _u64(0) if number else _u64(hand),
                        _u64(0) if number else index,
                    )
                    row = in_lanes * room + plies[game]
                    plies[game] += play_turn(tables, boards, turns, turn_start, turn, scratch, row)
            for lane in range(lanes):
                game = (first + lane) * seatings + seating
                for seat in range(codes.shape[1]):
                    for column in range(TALLY_COLUMNS):
                        results.counts[game, seat, column] = boards.tally[lane, seat, column]
        if room:
            for in_lanes in range(lanes * seatings):
                game_plies = plies[first * seatings + in_lanes]
                _append_plies(results.log, rows, scratch, in_lanes * room, game_plies)
                rows += game_plies
    return rows


@jit_entry
def play_games(start, tables, turns, strategies, luck, workspace, results):
    """Play games as `play_games_by` does; no seat plays by learned values."""
    return play_games_by(make_plan, None, start, tables, turns, strategies, luck, workspace, results)


@jit_merged
def _append_plies(log, row, scratch, first, count):
    """Copy the plies of a game into a log, from a row on. Each loop becomes vector instructions."""
    for i in range(_u64(count)):
        log.round[_u64(row) + i] = scratch.round[_u64(first) + i]
    for i in range(_u64(count)):
        log.seat[_u64(row) + i] = scratch.seat[_u64(first) + i]
    for i in range(_u64(count)):
        log.action[_u64(row) + i] = scratch.action[_u64(first) + i]
    for i in range(_u64(count)):
        log.options[_u64(row) + i] = scratch.options[_u64(first) + i]
    for i in range(_u64(count)):
        log.score[_u64(row) + i] = scratch.score[_u64(first) + i]
