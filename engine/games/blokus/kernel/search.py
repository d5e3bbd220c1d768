"""Blokus compiled: choosing by imagined games, either of each of a few placements or by a tree of them.

The tree is a max-n tree: the end of an imagined game has a value for each seat, and every seat chooses for itself
(Nijssen and Winands find that this beats paranoid search in Blokus). A node has the placements that are best by
`kernel_mobility`; their worths make the chances from which the search starts (as Rosin's PUCB uses predictors), and
placements that did well anywhere in the games below a node count for some visits (all moves as first: Gelly and Silver).
"""

from __future__ import annotations

from math import exp, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

import numba as nb
import numpy as np

from engine.games.blokus.kernel import position as kernel_position
from engine.games.blokus.kernel.mobility import rank_placements
from engine.games.blokus.kernel.playouts import NO_PLACEMENT, play_playout, store_seat_values
from engine.games.blokus.kernel.policies import SPOT_STRIDE
from engine.games.blokus.kernel.position import COLOUR_IS_OUT, TURN_COLOUR, TURN_IS_OVER, Position
from engine.games.blokus.kernel.rules import (
    JIT_INLINED,
    JIT_MERGED,
    JIT_OPTIONS,
    advance_turn,
    copy_position,
    count_placements,
    place_piece,
    seat_on_turn,
)
from engine.kernels.luck import fork_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus.kernel.tables import Layout

_u64: Final = np.uint64
_1: Final = _u64(1)
_CONTEST_STEPS: Final = 256

# Places of the parameters of `rollout`
SEARCH_PLAYOUTS: Final = 0
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

_PLAYOUTS_BETWEEN_CHECKS: Final = 16
"""Playouts after which the search looks whether its choice can still change."""


class SearchWorkspace(NamedTuple):
    """Room for imagined games and for a tree."""

    position: Position
    """The imagined one."""
    last: NDArray[np.int64]
    """(colours,) the last placement of each colour that was imagined; -1 for none."""
    stamps: NDArray[np.int32]
    """(colours, spots x 128) the imagined game in which a placement was made last."""
    values: NDArray[np.float64]
    """(seats,) what the end is worth."""
    first: NDArray[np.int64]
    """(nodes,) the first child of a node; its children follow each other."""
    children: NDArray[np.int64]
    """(nodes,) how many it has."""
    seat: NDArray[np.int64]
    """(nodes,) who chooses."""
    colour: NDArray[np.int64]
    """(nodes,) the colour that is placed."""
    placement: NDArray[np.int32]
    """(children,)"""
    prior: NDArray[np.float32]
    """(children,) the chance with which the search starts."""
    node: NDArray[np.int32]
    """(children,) the node behind it, 0 for none yet."""
    visits: NDArray[np.int32]
    """(children,)"""
    value: NDArray[np.float64]
    """(children,) sum of the values to the seat that chooses."""
    shared_visits: NDArray[np.int32]
    """(children,) games below the node in which its colour made this placement at any time."""
    shared_value: NDArray[np.float64]
    """(children,) sum of their values."""
    path: NDArray[np.int64]
    """(plies, 2) node and child at each step from the root."""


def make_search_workspace(layout: Layout, playouts: int, width: int) -> SearchWorkspace:
    """Make room for trees of so many playouts and children a node; pages that are never touched cost nothing."""
    nodes = playouts + 1
    children = nodes * width
    spots = layout.side * layout.rows_apart
    return SearchWorkspace(
        kernel_position.make_position(layout),
        np.zeros(layout.colours, np.int64),
        np.zeros((layout.colours, spots * SPOT_STRIDE), np.int32),
        np.zeros(layout.players, np.float64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(children, np.int32),
        np.empty(children, np.float32),
        np.empty(children, np.int32),
        np.empty(children, np.int32),
        np.empty(children, np.float64),
        np.empty(children, np.int32),
        np.empty(children, np.float64),
        np.empty((layout.colours * (layout.pieces + 1), 2), np.int64),
    )


@nb.njit(**JIT_INLINED)
def _imagined_seed(luck):
    seed, block, key, lap, index = luck
    return fork_seed(seed, block, key, lap, index)


@nb.njit(**JIT_OPTIONS)
def _play_placement(position, layout, tables, colour, placement):
    """Play a placement in an imagined game."""
    place_piece(position, layout, tables, colour, placement // SPOT_STRIDE, placement % SPOT_STRIDE)
    advance_turn(position, layout)


@nb.njit(**JIT_MERGED)
def choose_rollout(position, layout, tables, weights, seat, desk, study, settings, luck):
    """Return the best of a few placements by imagined games, halving them until one is left.

    Each game is played under the same luck for all that are left. Equal ones in the order of their worths.
    """
    candidates = min(np.int64(settings[ROLLOUT_CANDIDATES]), np.int64(settings[SEARCH_PLAYOUTS]))
    left = rank_placements(position, layout, tables, weights, seat, desk, candidates)
    seed, contest = _imagined_seed(luck), np.int64(settings[ROLLOUT_CONTEST] * _CONTEST_STEPS)
    colour, rounds = position.now[TURN_COLOUR], 0
    for n in range(left):
        study.placement[n], study.value[n] = desk.found[n], 0.0
    while 1 << rounds < left:
        rounds += 1
    game = played = 0
    while left > 1:
        share = max(np.int64(settings[SEARCH_PLAYOUTS]) // (rounds * left), 1)
        for _ in range(share):
            game += 1
            for n in range(left):
                placement = np.int64(study.placement[n])
                copy_position(position, study.position, layout)
                study.last[:] = NO_PLACEMENT
                _play_placement(study.position, layout, tables, colour, placement)
                study.last[colour] = placement
                play_playout(study.position, layout, tables, desk, study, contest, seed, _u64(game))
                store_seat_values(study.position, layout, tables, settings[ROLLOUT_MARGIN], study.values)
                study.value[n] += study.values[seat]
                played += 1
        for n in range(1, left):  # the best first: a stable sort
            placement, value = study.placement[n], study.value[n]
            at = n
            while at > 0 and study.value[at - 1] < value:
                study.placement[at], study.value[at] = study.placement[at - 1], study.value[at - 1]
                at -= 1
            study.placement[at], study.value[at] = placement, value
        left = (left + 1) // 2
    return np.int64(study.placement[0])


@nb.njit(**JIT_OPTIONS)
def _expand_node(position, layout, tables, weights, desk, study, settings, node, first):
    """Make a node of a position in which somebody can place; return the place after its last child."""
    seat = seat_on_turn(position, layout, tables)
    found = rank_placements(position, layout, tables, weights, seat, desk, np.int64(settings[MCTS_WIDTH]))
    study.first[node], study.children[node] = first, found
    study.seat[node], study.colour[node] = seat, position.now[TURN_COLOUR]
    total = 0.0
    for n in range(found):
        total += exp((desk.worths[n] - desk.worths[0]) / settings[MCTS_HEAT])
    for n in range(found):
        child = first + n
        study.placement[child] = desk.found[n]
        study.prior[child] = exp((desk.worths[n] - desk.worths[0]) / settings[MCTS_HEAT]) / total
        study.node[child] = study.visits[child] = study.shared_visits[child] = 0
        study.value[child] = study.shared_value[child] = 0.0
    return first + found


@nb.njit(**JIT_OPTIONS)
def _select_child(study, node, settings):
    """Return the child to visit next.

    A child's mean value counts one visit with the mean of the node, and visits shared by games in which it was placed
    later: at most `shared` of them.
    """
    first = study.first[node]
    end = first + study.children[node]
    visits, value = 0, 0.0
    for child in range(first, end):
        visits += study.visits[child]
        value += study.value[child]
    mean = (value + 0.5) / (visits + 1.0)
    scale = settings[MCTS_EXPLORE] * sqrt(visits + 1.0)
    limit = settings[MCTS_SHARED]
    best, most = first, -1.0
    for child in range(first, end):
        own, shared = study.visits[child], study.shared_visits[child]
        value = study.value[child] + mean
        known = own + 1.0
        if shared > 0:
            counted = limit / (limit + shared)  # of each shared visit
            value += counted * study.shared_value[child]
            known += counted * shared
        hope = value / known + scale * study.prior[child] / (1.0 + own)
        if hope > most:
            best, most = child, hope
    return best


@nb.njit(**JIT_INLINED)
def _skip_outs(position, layout, desk):
    """BK-6: who cannot place is out; go on to somebody who can, or to the end."""
    while (
        position.now[TURN_IS_OVER] == 0
        and count_placements(position, layout, position.now[TURN_COLOUR], desk) == 0
    ):
        position.colours[position.now[TURN_COLOUR], COLOUR_IS_OUT] = 1
        advance_turn(position, layout)


@nb.njit(**JIT_INLINED)
def _backpropagate_values(study, steps, game):
    """Add the values of an imagined game to every step that led to it, and to what was placed later."""
    for step in range(steps):
        node, chosen = study.path[step, 0], study.path[step, 1]
        value = study.values[study.seat[node]]
        study.visits[chosen] += 1
        study.value[chosen] += value
        colour, first = study.colour[node], study.first[node]
        for child in range(first, first + study.children[node]):
            if study.stamps[colour, study.placement[child]] == game:
                study.shared_visits[child] += 1
                study.shared_value[child] += value


@nb.njit(**JIT_INLINED)
def _is_settled(study, left):
    """Say whether so many more visits cannot change which child of the root has most."""
    most = second = 0
    for child in range(study.children[0]):
        visits = study.visits[child]
        if visits > most:
            most, second = visits, most
        elif visits > second:
            second = visits
    return most - second > left


@nb.njit(**JIT_MERGED)
def choose_mcts(position, layout, tables, weights, desk, study, settings, luck):
    """Return the placement that a tree of imagined games visits most; the better by worth among equals."""
    seed, contest = _imagined_seed(luck), np.int64(settings[MCTS_CONTEST] * _CONTEST_STEPS)
    end = _expand_node(position, layout, tables, weights, desk, study, settings, np.int64(0), np.int64(0))
    nodes, games = np.int64(1), np.int64(settings[SEARCH_PLAYOUTS])
    if study.children[0] == 1:
        return np.int64(study.placement[0])
    study.stamps[:] = 0
    imagined = study.position
    for game in range(1, games + 1):
        copy_position(position, imagined, layout)
        study.last[:] = NO_PLACEMENT
        node, steps = np.int64(0), 0
        while True:
            child = _select_child(study, node, settings)
            colour, placement = study.colour[node], np.int64(study.placement[child])
            study.path[steps, 0], study.path[steps, 1] = node, child
            steps += 1
            _play_placement(imagined, layout, tables, colour, placement)
            study.last[colour] = placement
            study.stamps[colour, placement] = game
            if study.visits[child] == 0:
                break
            _skip_outs(imagined, layout, desk)
            if imagined.now[TURN_IS_OVER] != 0:
                break
            node = np.int64(study.node[child])
            if node == 0:
                node = study.node[child] = nodes
                end = _expand_node(imagined, layout, tables, weights, desk, study, settings, node, end)
                nodes += 1
        play_playout(imagined, layout, tables, desk, study, contest, seed, _u64(game))
        store_seat_values(imagined, layout, tables, settings[MCTS_MARGIN], study.values)
        _backpropagate_values(study, steps, game)
        if game % _PLAYOUTS_BETWEEN_CHECKS == 0 and _is_settled(study, games - game):
            break
    best = 0
    for child in range(1, study.children[0]):
        if study.visits[child] > study.visits[best]:
            best = child
    return np.int64(study.placement[best])
