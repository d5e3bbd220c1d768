"""The kernel of BLOXX!: plays batches of games, and connects the compiled functions with the rules.

`rules` has the compiled rules; `policies` and `planner` have the strategies.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.bloxx.kernel.planner import (
    Planner,
    PlannerWeights,
    PlannerWorkspace,
    choose_rollout,
    make_planner_weights,
    make_planner_workspace,
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
    make_start_position,
    pack_state,
    unpack_state,
)
from engine.games.bloxx.kernel.rules import copy_position, list_legal_actions, play_ply, roll_dice, score
from engine.games.bloxx.kernel.tables import make_tables
from engine.games.bloxx.rules import BloxxState
from engine.kernels.compiling import forbid_inlining, jit_entry, jit_internal
from engine.kernels.contract import Kernel
from engine.kernels.luck import SEATS_AT_ONCE, counter_key, store_seat_words
from engine.kernels.ply_log import write_ply
from engine.kernels.results import keep_plies, make_results
from engine.luck import PURPOSE_STRATEGY, normal_quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State


_STRATEGIES: Final = ("random", "greedy", "noisy", "planner", "rollout")
_RANDOM, _GREEDY, _NOISY, _PLANNER, _ROLLOUT = range(5)
MAX_KNOWN_PLANNERS: Final = 64
"""Planners whose tables of weights a kernel keeps: a review or a what-if question plays thousands of short batches."""


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
    if code == _NOISY:
        return choose_noisy(position, tables, workspace, settings[0], luck)
    weights = PlannerWeights(
        strategies.weights.numbers[seating, seat],
        strategies.weights.steps[seating, seat],
        strategies.weights.wells[seating, seat],
        strategies.weights.rows[seating, seat],
        strategies.weights.of_all[seating, seat],
    )
    planner = Planner(weights, workspace.planner)
    if code == _PLANNER:
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
                elif codes[seat] == _RANDOM:
                    word = workspace.words[np.uint64(seat)]
                    action, options = choose_random(position, tables, workspace, word)
                elif codes[seat] == _GREEDY:
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


class BloxxKernel(Kernel):
    """BLOXX! under one ruleset, compiled."""

    ruleset: BloxxRuleset
    games_per_call = 4096
    strategies = _STRATEGIES

    def __init__(self, ruleset: BloxxRuleset) -> None:
        super().__init__(ruleset)
        self._tables = tables = make_tables(ruleset)
        self._planner_weights = lru_cache(MAX_KNOWN_PLANNERS)(
            lambda parameters: make_planner_weights(dict(parameters), tables)
        )
        self._quantiles = np.array(normal_quantiles())
        self._action_count = ruleset.forfeit_action + 1 + len(self._tables.placements)

    def play_compiled(
        self, packed: Position, seatings: Seatings, luck: BatchLuck, max_plies: int, *, logged: bool
    ) -> Results:
        tables = self._tables
        games = len(seatings) * len(luck[1])
        results = make_results(games, tables.players, 4, games * tables.max_plies * logged)
        strategies, workspace = self._make_seat_strategies(seatings), self._make_workspace(seatings)
        plies = play_games(packed, tables, strategies, luck, workspace, results, max_plies)
        return keep_plies(results, plies)

    def candidates(self, state: State, limit: int) -> list[int]:
        """Return the actions that the planner would look ahead from, the best by its look ahead first."""
        if len(state.actions) <= limit:
            return list(state.actions)
        planner = self.read_player(f"planner:candidates={limit}")
        seatings = [[planner] * self.ruleset.players]
        workspace, luck = self._make_workspace(seatings), (np.uint64(0),) * 5
        workspace.planner.actions[:] = -1  # the planner may find fewer than `most`
        choose_action(
            self.pack(state), self._tables, self._make_seat_strategies(seatings), 0, workspace, luck
        )
        return [int(action) for action in workspace.planner.actions if action >= 0]

    def _make_seat_strategies(self, seatings: Seatings) -> SeatStrategies:
        """Return the strategies of all seats as arrays."""
        weights = {
            player.name: self._planner_weights(tuple(player.parameters.items()))
            for seating in seatings
            for player in seating
        }
        arrays = [
            np.array([[weights[player.name][n] for player in seating] for seating in seatings])
            for n in range(len(PlannerWeights._fields))
        ]
        return SeatStrategies(*self.seat_strategies(seatings), PlannerWeights(*arrays))

    def _make_workspace(self, seatings: Seatings) -> Workspace:
        """Return room for the decisions of all seats."""
        tables = self._tables
        candidates = max(
            int(player.parameters.get("candidates", 1)) for seating in seatings for player in seating
        )
        return Workspace(
            position=make_start_position(tables),
            actions=np.empty(self._action_count, np.int64),
            spots=np.empty((len(tables.steps), tables.groups), np.int64),
            counts=np.empty(len(tables.steps), np.int64),
            height_sums=np.empty(tables.columns + 1, np.int64),
            words=np.empty(SEATS_AT_ONCE, np.uint64),
            planner=make_planner_workspace(tables, candidates),
            imagined=make_planner_workspace(tables, 1),
            quantiles=self._quantiles,
        )

    def pack(self, state: State) -> Position:
        if not isinstance(state, BloxxState) or state.ruleset != self.ruleset:
            raise InvalidError(f"this is not a position of {self.ruleset.name}")
        return pack_state(state, self._tables)

    def unpack(self, packed: Position) -> BloxxState:
        return unpack_state(packed, self.ruleset)

    def actions(self, packed: Position) -> IntArray:
        actions, spots = np.empty(self._action_count, np.int64), np.empty(self._tables.groups, np.int64)
        return actions[: list_legal_actions(packed, self._tables, spots, actions)].astype(np.int32)

    def apply_action(self, packed: Position, action: int) -> Position:
        after = Position._make(array.copy() for array in packed)
        play_ply(after, self._tables, action)
        return after


KERNEL: Final = BloxxKernel
