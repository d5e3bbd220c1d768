"""The strategies `rollout` and `mcts` of Blokus, compiled: both choose by playouts.

`rollout` plays on each of a few placements, by successive halving. `mcts` searches a max-n tree: the end of a playout
has a value for each seat, and every seat maximises its own (Nijssen and Winands found this better than paranoid search
in Blokus). A node holds the placements that are best by the prior (`prior`); their worths become the probabilities with
which the search starts (like the predictor of Rosin's PUCB). A placement begins with a few visits of a value that is the lower,
the less likely it is, as in Pentobi. Placements that did well anywhere in the playouts below a node count for some visits (all
moves as first: Gelly and Silver).
"""

from __future__ import annotations

from math import exp, sqrt
from typing import Final

import numpy as np

from engine.games.blokus.kernel.mobility import rank_placements
from engine.games.blokus.kernel.playouts import (
    CONTEST_STEPS,
    NO_PLACEMENT,
    play_playout,
    store_seat_values,
)
from engine.games.blokus.kernel.position import COLOUR_IS_OUT, TURN_COLOUR, TURN_IS_OVER
from engine.games.blokus.kernel.prior import rank_by_prior
from engine.games.blokus.kernel.rules import (
    acting_seat,
    advance_turn,
    copy_position,
    count_placements,
    place_piece,
)
from engine.games.blokus.kernel.workspace import SPOT_STRIDE
from engine.kernels.compiling import jit_inlined, jit_internal, jit_merged
from engine.kernels.halving import halve_candidates
from engine.kernels.luck import fork_seed

_u64: Final = np.uint64

# Places of the parameters of both strategies
SEARCH_PLAYOUTS: Final = 0

# Places of the parameters of `rollout`
ROLLOUT_CANDIDATES: Final = 1
ROLLOUT_MARGIN: Final = 2
ROLLOUT_CONTEST: Final = 3

# Places of the parameters of `mcts`
MCTS_WIDTH: Final = 1
MCTS_MARGIN: Final = 2
MCTS_CONTEST: Final = 3
MCTS_EXPLORE: Final = 4
MCTS_HEAT: Final = 5
MCTS_SHARED: Final = 6
MCTS_FITTED: Final = 7
MCTS_START: Final = 8

_PLAYOUTS_BETWEEN_CHECKS: Final = 16
"""Playouts between two checks whether the remaining ones can still change the choice."""


@jit_merged
def choose_rollout(position, tables, workspace, search, settings, luck):
    """Return the best of a few placements by playouts.

    `settings` are the parameters of `rollout`; `luck` is (seed, block, key, round, index) of the first draw.
    Equal placements stay in the order of their worths.
    """
    playouts = np.int64(settings[SEARCH_PLAYOUTS])
    candidates = min(np.int64(settings[ROLLOUT_CANDIDATES]), playouts)
    count = rank_by_prior(position, tables, workspace, candidates)
    for n in range(count):
        search.placement[n], search.value[n] = workspace.placements[n], 0.0
    game = (position, tables, workspace, search, settings, fork_seed(*luck))
    return np.int64(halve_candidates(_play_candidate, game, search.placement, search.value, count, playouts))


@jit_internal
def _play_candidate(game, candidate, value, first, end):
    """Add the values of the playouts from `first` to `end` - 1 to a placement's value, for `halve_candidates`."""
    position, tables, workspace, search, settings, seed = game
    colour, placement = position.turn[TURN_COLOUR], np.int64(candidate)
    seat = acting_seat(position, tables)
    contest = np.int64(settings[ROLLOUT_CONTEST] * CONTEST_STEPS)
    for playout in range(first, end):
        copy_position(position, search.position, tables)
        search.latest[:] = NO_PLACEMENT
        _play_placement(search.position, tables, colour, placement)
        search.latest[colour] = placement
        play_playout(search.position, tables, workspace, search, contest, seed, _u64(playout + 1))
        store_seat_values(search.position, tables, settings[ROLLOUT_MARGIN], search.values)
        value += search.values[seat]
    return value


@jit_internal
def _play_placement(position, tables, colour, placement):
    """Play a placement within a playout."""
    place_piece(position, tables, colour, placement // SPOT_STRIDE, placement % SPOT_STRIDE)
    advance_turn(position, tables)


@jit_merged
def choose_mcts(position, tables, workspace, search, settings, luck):
    """Return the placement that a search tree visits most; among equal ones that of the higher worth.

    `settings` are the parameters of `mcts`; `luck` is (seed, block, key, round, index) of the first draw.
    """
    seed, contest = fork_seed(*luck), np.int64(settings[MCTS_CONTEST] * CONTEST_STEPS)
    end = _expand_node(position, tables, workspace, search, settings, np.int64(0), np.int64(0))
    nodes, playouts = np.int64(1), np.int64(settings[SEARCH_PLAYOUTS])
    if search.children[0] == 1:
        return np.int64(search.placement[0])
    search.stamps[:] = 0
    search.totals[:] = 0.5
    reached = search.position
    for playout in range(1, playouts + 1):
        copy_position(position, reached, tables)
        search.latest[:] = NO_PLACEMENT
        node, steps = np.int64(0), 0
        while True:
            child = _select_child(search, node, settings, playout)
            colour, placement = search.colour[node], np.int64(search.placement[child])
            search.path[steps, 0], search.path[steps, 1] = node, child
            steps += 1
            _play_placement(reached, tables, colour, placement)
            search.latest[colour] = placement
            search.stamps[colour, placement] = playout
            node = np.int64(search.node[child])
            if node != 0:
                _advance_to_colour(reached, tables, search.colour[node])
                continue
            if search.visits[child] == 0:
                break
            _skip_outs(reached, tables, workspace)
            if reached.turn[TURN_IS_OVER] != 0:
                break
            node = search.node[child] = nodes
            end = _expand_node(reached, tables, workspace, search, settings, node, end)
            nodes += 1
        play_playout(reached, tables, workspace, search, contest, seed, _u64(playout))
        store_seat_values(reached, tables, settings[MCTS_MARGIN], search.values)
        _backpropagate_values(search, steps, playout)
        if playout % _PLAYOUTS_BETWEEN_CHECKS == 0 and _is_settled(search, playouts - playout):
            break
    best = 0
    for child in range(1, search.children[0]):
        if search.visits[child] > search.visits[best]:
            best = child
    return np.int64(search.placement[best])


@jit_internal
def _expand_node(position, tables, workspace, search, settings, node, first):
    """Make the node of a position whose colour on turn has a placement; its children start at `first`.

    Return the place after its last child.
    """
    width = np.int64(settings[MCTS_WIDTH])
    if settings[MCTS_FITTED] != 0.0:
        count = rank_by_prior(position, tables, workspace, width)
    else:
        count = rank_placements(position, tables, workspace, tables.mobility_weights, width)
    worths, heat = workspace.worths, settings[MCTS_HEAT]
    search.first[node], search.children[node] = first, count
    search.seat[node], search.colour[node] = acting_seat(position, tables), position.turn[TURN_COLOUR]
    total = 0.0
    for n in range(count):
        total += exp((worths[n] - worths[0]) / heat)
    for n in range(count):
        child = first + n
        search.placement[child] = workspace.placements[n]
        search.prior[child] = exp((worths[n] - worths[0]) / heat) / total
        search.start[child] = exp(0.5 * (worths[n] - worths[0]) / heat)
        search.node[child] = search.visits[child] = search.shared_visits[child] = 0
        search.value[child] = search.shared_value[child] = 0.0
    return first + count


@jit_internal
def _select_child(search, node, settings, playout):
    """Return the child to visit next in a playout.

    To a child's own visits are added as many as the parameter `start` says, with the share `SearchWorkspace.start` of the
    mean value of the node, and those of playouts in which its placement was made later, weighted so that they never count
    for more than the parameter `shared`. In the mean of the node, the mean value of all playouts to its seat counts as one visit.
    """
    first = search.first[node]
    end = first + search.children[node]
    visits, value = 0, 0.0
    for child in range(first, end):
        visits += search.visits[child]
        value += search.value[child]
    mean = (value + search.totals[search.seat[node]] / playout) / (visits + 1.0)
    start = settings[MCTS_START]
    scale = settings[MCTS_EXPLORE] * sqrt(visits + 1.0)
    limit = settings[MCTS_SHARED]
    best, best_bound = first, -1.0
    for child in range(first, end):
        own, shared = search.visits[child], search.shared_visits[child]
        value = search.value[child] + start * mean * search.start[child]
        weight = own + start
        if shared > 0:
            shared_weight = limit / (limit + shared)  # of each shared visit
            value += shared_weight * search.shared_value[child]
            weight += shared_weight * shared
        bound = value / weight + scale * search.prior[child] / (1.0 + own)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@jit_inlined
def _skip_outs(position, tables, workspace):
    """BK-6: put colours out that cannot place, until one can or the game ends."""
    while (
        position.turn[TURN_IS_OVER] == 0
        and count_placements(position, tables, position.turn[TURN_COLOUR], workspace) == 0
    ):
        position.colours[position.turn[TURN_COLOUR], COLOUR_IS_OUT] = 1
        advance_turn(position, tables)


@jit_inlined
def _advance_to_colour(position, tables, colour):
    """Put colours out until one is on turn that is known to be the next that can place (BK-6)."""
    while position.turn[TURN_COLOUR] != colour:
        position.colours[position.turn[TURN_COLOUR], COLOUR_IS_OUT] = 1
        advance_turn(position, tables)


@jit_inlined
def _backpropagate_values(search, steps, playout):
    """Add the values of a playout to the totals, to every step of its path, and to the placements made later in it."""
    for seat in range(len(search.values)):
        search.totals[seat] += search.values[seat]
    for step in range(steps):
        node, chosen = search.path[step, 0], search.path[step, 1]
        value = search.values[search.seat[node]]
        search.visits[chosen] += 1
        search.value[chosen] += value
        colour, first = search.colour[node], search.first[node]
        for child in range(first, first + search.children[node]):
            if search.stamps[colour, search.placement[child]] == playout:
                search.shared_visits[child] += 1
                search.shared_value[child] += value


@jit_inlined
def _is_settled(search, left):
    """Return whether `left` more visits cannot change which child of the root has the most visits."""
    most = second = 0
    for child in range(search.children[0]):
        visits = search.visits[child]
        if visits > most:
            most, second = visits, most
        elif visits > second:
            second = visits
    return most - second > left
