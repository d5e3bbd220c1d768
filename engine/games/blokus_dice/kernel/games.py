"""Blokus Dice compiled: the games of a batch, one after the other."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus_dice.kernel.keeper import best_candidate, candidate_placement, value_candidates
from engine.games.blokus_dice.kernel.policies import choose_greedy, choose_noisy, choose_random
from engine.games.blokus_dice.kernel.position import (
    BOARD_STRIKES,
    BOARD_UNFILLED,
    TURN_DUE,
    TURN_DUE_END,
    TURN_ROLL,
    TURN_ROUND,
)
from engine.games.blokus_dice.kernel.rollout import choose_rollout
from engine.games.blokus_dice.kernel.rules import (
    action_offset,
    count_placements,
    drop_out,
    play_placement,
    roll_dice,
    store_fitting,
)
from engine.kernels.compiling import copy_array, jit_entry, jit_merged
from engine.kernels.luck import counter_key, random_word
from engine.kernels.ply_log import write_ply
from engine.luck import PURPOSE_STRATEGY

_u64: Final = np.uint64

STRATEGY_NAMES: Final = ("random", "greedy", "noisy", "keeper", "rollout", "learned")
_RANDOM, _GREEDY, _NOISY, _KEEPER, _ROLLOUT, LEARNED = range(6)


@jit_entry
def play_games(start, tables, strategies, luck, workspace, results, max_plies):
    """Play games as `play_games_by` does; no seat plays by learned values."""
    return play_games_by(
        choose_placement, None, start, tables, strategies, luck, workspace, results, max_plies
    )


@jit_merged
def play_games_by(choose, learned, start, tables, strategies, luck, workspace, results, max_plies):
    """Play every seating in every block from one position, at most `max_plies` plies each; return the plies of all games.

    `luck` is a BatchLuck: a seat decides once in a round. No points are written to the results.
    `choose(learned, position, tables, workspace, seat, code, settings, luck)` is a compiled function that chooses the
    placement of a seat that is not random.
    """
    seed, blocks, first_draw = luck
    position = workspace.position
    row = game = 0
    for block in blocks:
        for seating in range(len(strategies.codes)):
            copy_position(start, position)
            players = strategies.codes[seating], strategies.settings[seating]
            game_luck = seed, block, first_draw
            first_row = row
            row = play_game(
                choose, learned, tables, players, game_luck, workspace, results.log, row, row + max_plies
            )
            results.rounds[game] = position.turn[TURN_ROUND] + 1
            results.plies[game] = row - first_row
            for seat in range(tables.players):
                for column in (BOARD_UNFILLED, BOARD_STRIKES):
                    results.counts[game, seat, column] = position.boards[seat, column]
            game += 1
    return row


@jit_merged
def play_game(choose, learned, tables, players, luck, workspace, log, row, end):
    """Play the position of the workspace to its end, or until the row `end`; return the row after the last ply.

    `players` are codes and settings of the seats; `luck` is as in `play_games`, with one block. Each ply takes a row of
    the log, whether it has room or not.
    """
    position, decision = workspace.position, workspace.decision
    codes, settings = players
    seed, block, first_draw = luck
    turn = position.turn
    logged = len(log.action) > 0
    while turn[TURN_DUE] < turn[TURN_DUE_END] and row < end:
        round_ = turn[TURN_ROUND]
        seat, options, score = -1, -1, 0
        if turn[TURN_ROLL] < 0:  # BD-9: one die for each seat that is still in the game
            action = roll_dice(tables, turn[TURN_DUE_END], seed, block, _u64(round_))
            turn[TURN_ROLL] = action
        else:
            seat = position.order[turn[TURN_DUE]]
            draw = seed, block, counter_key(_u64(PURPOSE_STRATEGY), _u64(seat + 1)), _u64(round_), first_draw
            store_fitting(position, seat, decision.fitting)
            if logged or codes[seat] == _RANDOM:
                options = count_placements(position, tables, decision, seat)
            if codes[seat] == _RANDOM:
                bits = random_word(*draw)
                face, strike, placement = choose_random(position, tables, decision, options, bits)
            else:
                face, strike, placement = choose(
                    learned, position, tables, workspace, seat, codes[seat], settings[seat], draw
                )
            action = tables.out_action
            if placement >= 0:
                number = np.int64(tables.rules_numbers[placement])
                action = action_offset(position, tables, seat, face, strike) + number
                play_placement(position, tables, face, strike, placement)
            else:
                drop_out(position, tables)
            options = max(options, 1)  # BD-8: to drop out is then the only action
            score = position.boards[seat, BOARD_UNFILLED]
        if logged:
            write_ply(log, row, round_, seat, action, options, score)
        row += 1
    return row


@jit_merged
def choose_placement(_, position, tables, workspace, seat, code, settings, luck):
    """Return face, strike and placement that a strategy chooses, neither random nor learned; the placement is -1 if none is legal.

    `luck` is (seed, block, key, round, index) of the first draw.
    """
    decision, keeper = workspace.decision, workspace.keeper
    if code == _GREEDY:
        return choose_greedy(position, tables, decision, seat, random_word(*luck))
    if code == _NOISY:
        return choose_noisy(position, tables, decision, seat, settings[0], luck)
    if code == _KEEPER:
        count = value_candidates(position, tables, decision, keeper, settings, seat)
        n = best_candidate(keeper.values, count)
    else:
        n = choose_rollout(position, tables, workspace, seat, settings, luck)
    return candidate_placement(keeper, n)


@jit_merged
def copy_position(source, target):
    """Make one position equal to another."""
    copy_array(source.planes, target.planes)
    copy_array(source.filled, target.filled)
    copy_array(source.boards, target.boards)
    copy_array(source.turn, target.turn)
    copy_array(source.order, target.order)
    copy_array(source.takers, target.takers)
    copy_array(source.gone, target.gone)
