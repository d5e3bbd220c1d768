"""How the network of the strategy `learned` of Blokus Dice is learned, compiled: games against itself.

In the first games all seats play as `keeper` does, and the network only learns how many squares they draw; then they play
by the network. After a game, the expected squares of each placement move towards what came after it: to the share TRACE
the squares that were really drawn, else what the network expected one placement later (TD(lambda): Sutton and Barto,
"Reinforcement Learning", 2018, section 12.1). The weights follow the mean gradient of some games (Adam: Kingma and
Ba, arXiv:1412.6980).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numba import njit

from engine.games.blokus_dice.kernel.batches import copy_position
from engine.games.blokus_dice.kernel.keeper import best_candidate, value_candidates
from engine.games.blokus_dice.kernel.learned import (
    Network,
    make_learned_player,
    prepare_decision,
    run_network,
    split_weights,
    store_inputs,
    value_by_network,
)
from engine.games.blokus_dice.kernel.position import (
    BOARD_UNFILLED,
    TURN_DUE,
    TURN_DUE_END,
    TURN_ROLL,
    TURN_ROUND,
    make_start_position,
)
from engine.games.blokus_dice.kernel.rules import drop_out, play_placement, roll_dice, store_fitting
from engine.games.blokus_dice.kernel.tables import SPOT_STRIDE, make_tables
from engine.games.blokus_dice.kernel.workspace import make_workspace
from engine.games.blokus_dice.learned_values import (
    HIDDEN_UNITS,
    INPUTS,
    SQUARES_PER_UNIT,
    WEIGHTS,
    value_file_name,
)
from engine.games.blokus_dice.strategies import KEEPER_WEIGHTS
from engine.kernels.compiling import DOCUMENTED_OPTIONS, copy_array, forbid_inlining, jit_internal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset

KEEPER_SHARE: Final = 0.1
"""Share of the games in which all seats play as `keeper` does."""
TRACE: Final = 0.7
"""How much of what was really drawn later counts, from one placement to the next: lambda."""
RATES: Final = ((0.5, 0.003), (0.75, 0.0009), (0.9, 0.0003), (1.0, 0.00009))
"""Learning rates: up to which share of the games each one holds."""
REPORTS: Final = 20
"""How often the progress is reported."""
BATCH_SIZE: Final = 64
"""Placements, at least, whose mean gradient changes the weights once."""
FIRST_DECAY: Final = 0.9
SECOND_DECAY: Final = 0.999
"""Adam: shares of the mean gradient and of the mean squared gradient that are kept from one change to the next."""

_u64 = np.uint64
_f32 = np.float32


class Lesson(NamedTuple):
    """What learning changes, and room for it."""

    weights: NDArray[np.float32]
    """(WEIGHTS,) all weights of the network in a row."""
    gradient: NDArray[np.float32]
    """(WEIGHTS,) sum of the gradients of the placements since the last change."""
    gradients: Network
    """The same numbers as a network."""
    means: NDArray[np.float32]
    """(2, WEIGHTS) mean gradient and mean squared gradient."""
    counts: NDArray[np.int64]
    """(2,) placements since the last change, and changes."""
    inputs: NDArray[np.float32]
    """(seats, placements, INPUTS) what each seat saw after each of its placements of this game."""
    sizes: NDArray[np.float64]
    """(seats, placements) squares of these placements, in the units of the network."""
    placed: NDArray[np.int64]
    """(seats,) number of these placements."""


def learn_values(
    ruleset: BlokusDiceRuleset, games: int, seed: int, report: Callable[[int, float], object]
) -> NDArray[np.float32]:
    """Return the weights learned in `games` games, (WEIGHTS,).

    `report` is called with the number of games played and the mean score of the latest ones.
    """
    tables = make_tables(ruleset)
    weights, gradient = _make_first_weights(seed), np.zeros(WEIGHTS, np.float32)
    lesson = Lesson(
        weights=weights,
        gradient=gradient,
        gradients=split_weights(gradient),
        means=np.zeros((2, WEIGHTS), np.float32),
        counts=np.zeros(2, np.int64),
        inputs=np.zeros((ruleset.players, tables.shape_count, INPUTS), np.float32),
        sizes=np.zeros((ruleset.players, tables.shape_count)),
        placed=np.zeros(ruleset.players, np.int64),
    )
    learned = make_learned_player(tables, split_weights(weights))
    keeper = np.array([weight.default for weight in KEEPER_WEIGHTS])
    start, workspace = make_start_position(tables), make_workspace(tables)
    for stage in range(REPORTS):
        first, end = stage * games // REPORTS, (stage + 1) * games // REPORTS
        by_keeper = stage < KEEPER_SHARE * REPORTS
        rate = next(rate for share, rate in RATES if stage < share * REPORTS)
        luck = _u64(seed), first, end
        mean = learn_games(start, tables, workspace, learned, keeper, lesson, luck, by_keeper, rate)
        report(end, mean)
    return weights.astype("<f4")


def _make_first_weights(seed: int) -> NDArray[np.float32]:
    """Return random weights to begin with: about twenty inputs of a board are large."""
    weights = np.zeros(WEIGHTS, np.float32)
    random, network = np.random.default_rng(seed), split_weights(weights)
    network.inputs[:] = random.normal(size=network.inputs.shape) / np.sqrt(20)
    network.outputs[:] = random.normal(size=network.outputs.shape) / np.sqrt(HIDDEN_UNITS)
    return weights


def describe_values(ruleset: BlokusDiceRuleset) -> tuple[str, dict[str, Any]]:
    """Return the name of the file for the weights of a ruleset, and what `index.toml` says about them beside."""
    return value_file_name(ruleset.players), {"ruleset": ruleset.name}


@njit(**DOCUMENTED_OPTIONS)  # not in the cache of compiled games, which does not see changes of these
def learn_games(start, tables, workspace, learned, keeper, lesson, luck, by_keeper, rate):
    """Learn from games; return the mean score.

    `luck` is the seed, the first game and the one after the last. `keeper` are the weights of that strategy, by which
    all seats play if `by_keeper`.
    """
    seed, first, end = luck
    position = workspace.position
    turn = position.turn
    total = 0
    for game in range(first, end):
        copy_position(start, position)
        lesson.placed[:] = 0
        while turn[TURN_DUE] < turn[TURN_DUE_END]:
            if turn[TURN_ROLL] < 0:
                turn[TURN_ROLL] = roll_dice(
                    tables, turn[TURN_DUE_END], seed, _u64(game), _u64(turn[TURN_ROUND])
                )
            seat = position.order[turn[TURN_DUE]]
            store_fitting(position, seat, workspace.decision.fitting)
            best = _choose_candidate(position, tables, workspace, learned, keeper, seat, by_keeper)
            if best < 0:
                drop_out(position, tables)
                continue
            placement = np.int64(workspace.keeper.placements[best])
            number = lesson.placed[seat]
            for i in range(INPUTS):
                lesson.inputs[seat, number, i] = learned.chosen[i]
            lesson.sizes[seat, number] = tables.sizes[placement % SPOT_STRIDE] / SQUARES_PER_UNIT
            lesson.placed[seat] += 1
            face, strike = np.int64(workspace.keeper.faces[best]), np.int64(workspace.keeper.strikes[best])
            play_placement(position, tables, face, strike, placement)
        for seat in range(tables.players):
            total += position.boards[seat, BOARD_UNFILLED]
            _add_gradients(learned, lesson, seat)
        if lesson.counts[0] >= BATCH_SIZE:
            _change_weights(lesson, rate)
    return total / max((end - first) * tables.players, 1)


@jit_internal
def _choose_candidate(position, tables, workspace, learned, keeper, seat, by_keeper):
    """Return the best candidate, or -1; write its inputs to `learned.chosen`."""
    forbid_inlining()
    if not by_keeper:
        _, best = value_by_network(position, tables, workspace, learned, seat)
    else:
        count = value_candidates(position, tables, workspace.decision, workspace.keeper, keeper, seat)
        best = best_candidate(workspace.keeper.values, count)
        if best >= 0:
            prepare_decision(position, tables, workspace.keeper, learned, seat)
            store_inputs(position, tables, workspace.keeper, learned, seat, best)
            copy_array(learned.seen, learned.chosen)
    return best


@jit_internal
def _add_gradients(learned, lesson, seat):
    """Add the gradients of the squared errors of a seat's placements, from the last to the first."""
    forbid_inlining()
    network, gradients, hidden = learned.network, lesson.gradients, learned.hidden
    target = 0.0
    for number in range(lesson.placed[seat] - 1, -1, -1):
        inputs = lesson.inputs[seat, number]
        expected = run_network(network, inputs, hidden)
        error = _f32(expected - target)
        gradients.constant[0] += error
        for j in range(HIDDEN_UNITS):
            gradients.outputs[j] += error * hidden[j]
            hidden[j] = error * network.outputs[j] if hidden[j] > 0 else _f32(0)
            gradients.constants[j] += hidden[j]
        for i in range(INPUTS):
            value = inputs[i]
            if value != 0:
                for j in range(HIDDEN_UNITS):
                    gradients.inputs[HIDDEN_UNITS * i + j] += value * hidden[j]
        target = lesson.sizes[seat, number] + TRACE * target + (1 - TRACE) * expected
        lesson.counts[0] += 1


@jit_internal
def _change_weights(lesson, rate):
    """Change all weights by the mean gradient, and begin with the next mean."""
    forbid_inlining()
    counts, means = lesson.counts, lesson.means
    counts[1] += 1
    share = _f32(1 / counts[0])
    mean_scale = rate / (1 - FIRST_DECAY ** counts[1])
    square_scale = 1 / (1 - SECOND_DECAY ** counts[1])
    for i in range(WEIGHTS):
        gradient = lesson.gradient[i] * share
        means[0, i] = _f32(FIRST_DECAY) * means[0, i] + _f32(1 - FIRST_DECAY) * gradient
        means[1, i] = _f32(SECOND_DECAY) * means[1, i] + _f32(1 - SECOND_DECAY) * gradient * gradient
        lesson.weights[i] -= _f32(mean_scale * means[0, i] / (np.sqrt(square_scale * means[1, i]) + 1e-6))
        lesson.gradient[i] = _f32(0)
    counts[0] = 0
