"""The kernel of BLOXX!: it makes the arrays for compiled code, calls it, and returns what it has written."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from engine.errors import InvalidError
from engine.games.bloxx.kernel.games import SeatStrategies, Workspace, choose_action, play_games
from engine.games.bloxx.kernel.planner import PlannerWeights, make_planner_weights, make_planner_workspace
from engine.games.bloxx.kernel.position import Position, make_start_position, pack_state, unpack_state
from engine.games.bloxx.kernel.rules import list_legal_actions, play_ply
from engine.games.bloxx.kernel.tables import make_tables
from engine.games.bloxx.rules import BloxxState
from engine.kernels.contract import Kernel
from engine.kernels.luck import SEATS_AT_ONCE
from engine.kernels.results import keep_plies, make_results
from engine.luck import normal_quantiles

if TYPE_CHECKING:
    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State


MAX_KNOWN_PLANNERS: Final = 64
"""Planners whose tables of weights a kernel keeps: a review or a what-if question plays thousands of short batches."""


class BloxxKernel(Kernel):
    """BLOXX! under one ruleset, compiled."""

    ruleset: BloxxRuleset
    games_per_call = 4096
    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy", "noisy", "planner", "rollout")

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

    def candidates(self, state: State, most: int) -> list[int]:
        """Return the actions that the planner would look ahead from, the best by its look ahead first."""
        if len(state.actions) <= most:
            return list(state.actions)
        planner = self.read_player(f"planner:candidates={most}")
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
