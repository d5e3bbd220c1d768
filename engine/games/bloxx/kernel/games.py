"""BLOXX! compiled: the games of a batch, and the choice of each seat's strategy in them.

`rules` has the rules; `policies`, `planner` and `rollout` have the strategies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.bloxx.kernel.planner import (
    Planner,
    PlannerWeights,
    PlannerWorkspace,
    rank_placements_ahead,
)
from engine.games.bloxx.kernel.policies import choose_greedy, choose_noisy, choose_random
from engine.games.bloxx.kernel.position import (
    TALLY_CLOSED,
    TALLY_GAPS,
    TALLY_NUMBER_POINTS,
    TALLY_NUMBERS,
    TALLY_ROW_POINTS,
    TALLY_ROWS,
    TURN_FACE_A,
    TURN_IS_OVER,
    TURN_ROUND,
    TURN_SEAT,
    Position,
)
from engine.games.bloxx.kernel.rollout import choose_rollout
from engine.games.bloxx.kernel.rules import copy_position, play_ply, roll_dice, score
from engine.kernels.compiling import forbid_inlining, jit_entry, jit_internal
from engine.kernels.luck import counter_key, store_seat_words
from engine.kernels.ply_log import write_ply
from engine.luck import PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Codes of strategies: their places in BloxxKernel.strategies
RANDOM: Final = 0
GREEDY: Final = 1
NOISY: Final = 2
PLANNER: Final = 3


class SeatStrategies(NamedTuple):
    """The strategies of all seats of all seatings."""

    codes: NDArray[np.int64]
    """(seating, seat) place in `BloxxKernel.strategies`."""
    settings: NDArray[np.float64]
    """(seating, seat, parameters) in their declared order."""
    weights: PlannerWeights
    """Each array with (seating, seat) before its own axes."""


class Workspace(NamedTuple):
    """Room for a game and its decisions, and the quantiles of the normal distribution."""

    position: Position
    """The game that is played."""
    actions: NDArray[np.int64]
    """(actions,)"""
    spots: NDArray[np.int64]
    """(orientations of two faces, groups)"""
    counts: NDArray[np.int64]
    """(orientations of two faces,) number of their spots."""
    height_sums: NDArray[np.int64]
    """(columns + 1,)"""
    words: NDArray[np.uint64]
    """(SEATS_AT_ONCE,) the random word of each seat in this round."""
    planner: PlannerWorkspace
    imagined: PlannerWorkspace
    """For the planner of imagined games."""
    quantiles: NDArray[np.float64]


@jit_entry
def choose_action(position, tables, strategies, seating, workspace, luck):
    """Return the action of the acting seat, neither random nor greedy, and the number of legal actions."""
    forbid_inlining()
    seat = position.turn[TURN_SEAT]
    code = strategies.codes[seating, seat]
    settings = strategies.settings[seating, seat]
    if code == NOISY:
        return choose_noisy(position, tables, workspace, settings[0], luck)
    weights = PlannerWeights(
        strategies.weights.numbers[seating, seat],
        strategies.weights.steps[seating, seat],
        strategies.weights.wells[seating, seat],
        strategies.weights.rows[seating, seat],
        strategies.weights.of_all[seating, seat],
    )
    planner = Planner(weights, workspace.planner)
    if code == PLANNER:
        _, total = rank_placements_ahead(position, tables, planner, np.int64(settings[0]))
        return workspace.planner.actions[0], total
    imagined = Planner(weights, workspace.imagined)
    playouts, candidates = np.int64(settings[0]), np.int64(settings[1])
    return choose_rollout(position, tables, planner, imagined, playouts, candidates, luck)


@jit_entry
def play_games(start, tables, strategies, luck, workspace, results, max_plies):
    """Play every seating in every block from one position, at most `max_plies` plies each; return the plies of all games.

    `luck` is a BatchLuck: a seat decides once in a round.
    """
    seed, blocks, first_draw = luck
    strategic = np.uint64(PURPOSE_STRATEGY)
    position, log = workspace.position, results.log
    logged = len(log.action) > 0
    row = game = 0
    for block in blocks:
        for seating in range(len(strategies.codes)):
            codes = strategies.codes[seating]
            copy_position(start, position)
            round_ = np.uint64(position.turn[TURN_ROUND])
            store_seat_words(workspace.words, seed, block, strategic, round_, first_draw)
            plies = 0
            while not position.turn[TURN_IS_OVER] and plies < max_plies:
                round_ = np.uint64(position.turn[TURN_ROUND])
                seat = position.turn[TURN_SEAT]
                if position.turn[TURN_FACE_A] < 0:
                    seat = -1
                    action, options = roll_dice(position, tables, seed, block), -1
                    store_seat_words(workspace.words, seed, block, strategic, round_, first_draw)
                elif codes[seat] == RANDOM:
                    word = workspace.words[np.uint64(seat)]
                    action, options = choose_random(position, tables, workspace, word)
                elif codes[seat] == GREEDY:
                    word = workspace.words[np.uint64(seat)]
                    action, options = choose_greedy(position, tables, workspace, word)
                else:
                    draw = seed, block, counter_key(strategic, np.uint64(seat + 1)), round_, first_draw
                    action, options = choose_action(position, tables, strategies, seating, workspace, draw)
                play_ply(position, tables, action)
                if logged:
                    points = score(position, tables, seat) if seat >= 0 else 0
                    write_ply(log, row + plies, round_, seat, action, options, points)
                plies += 1
            row += plies
            store_results(position, tables, results, game, plies)
            game += 1
    return row


@jit_internal
def store_results(position, tables, results, game, plies):
    """Write rounds, plies, counts and points (BX-16) of a finished game."""
    results.rounds[game] = position.turn[TURN_ROUND] + 1
    results.plies[game] = plies
    for seat in range(tables.players):
        tally = position.tally[seat]
        blanks = tables.squares - tally[TALLY_CLOSED]
        counts, points = results.counts[game, seat], results.points[game, seat]
        counts[0], points[0] = tally[TALLY_ROWS], tally[TALLY_ROW_POINTS]
        counts[1], points[1] = tally[TALLY_NUMBERS], tally[TALLY_NUMBER_POINTS]
        counts[2], points[2] = tally[TALLY_GAPS], -tables.gap_penalty * tally[TALLY_GAPS]
        counts[3], points[3] = blanks, -tables.blank_penalty * blanks
