"""The kernel of BLOXX!: it makes the arrays for compiled code, calls it, and returns what it has written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from engine.game import InvalidError
from engine.games.bloxx.kernel.games import (
    GREEDY,
    Results,
    SeatStrategies,
    Workspace,
    choose_action,
    play_games,
)
from engine.games.bloxx.kernel.planner import PlannerWeights, make_planner_weights, make_planner_workspace
from engine.games.bloxx.kernel.position import Position, make_start_position, pack_state, unpack_state
from engine.games.bloxx.kernel.rules import list_legal_actions, play_ply
from engine.games.bloxx.kernel.tables import make_tables
from engine.games.bloxx.rules import BloxxState
from engine.kernels.contract import Batch, Kernel
from engine.kernels.luck import counter_key
from engine.kernels.results import first_plies, join_logs, make_batch, make_log_columns
from engine.luck import PURPOSE_STRATEGY, normal_quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game import State
    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.kernels.contract import IntArray
    from engine.luck import Source
    from engine.strategies import Player

GAMES_PER_LOG_PIECE: Final = 4096
"""A log is written in pieces that have room for about this many games."""


class BloxxKernel(Kernel):
    """BLOXX! under one ruleset, compiled."""

    ruleset: BloxxRuleset
    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy", "noisy", "planner", "rollout")

    def __init__(self, ruleset: BloxxRuleset) -> None:
        super().__init__(ruleset)
        self._tables = make_tables(ruleset)
        self._start = make_start_position(self._tables)
        self._action_count = ruleset.forfeit_action + 1 + len(self._tables.placements)

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(self._start, seatings, seed, blocks, logged=logged)

    def play_from_packed(
        self, packed: Position, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(packed, [seating], seed, blocks, logged=logged)

    def _play_batch(
        self,
        start: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        tables = self._tables
        games = len(seatings) * len(blocks)
        plies_per_piece = min(games, GAMES_PER_LOG_PIECE) * tables.max_plies // 2 + tables.max_plies
        strategies, workspace = self._make_seat_strategies(seatings), self._make_workspace(seatings)
        luck = np.uint64(seed), np.array(blocks, np.uint64)
        results = Results(
            rounds=np.empty(games, np.int32),
            plies=np.empty(games, np.int32),
            counts=np.empty((games, tables.players, 4), np.int32),
            points=np.empty((games, tables.players, 4), np.int32),
            log=make_log_columns(0),
        )
        pieces = [results.log]
        game = 0
        while game < games:
            results = results._replace(log=make_log_columns(plies_per_piece * logged))
            game, rows = play_games(start, tables, strategies, luck, workspace, results, game)
            pieces.append(first_plies(results.log, rows))
        return make_batch(
            results.rounds,
            results.plies,
            results.counts,
            results.points,
            join_logs(pieces) if logged else None,
        )

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

    def decide(self, state: State, player: Player, source: Source) -> int:
        position = self.pack(state)
        if self.strategies.index(player.strategy.name) <= GREEDY:
            return player.decide(state, source)  # the same strategy in plain Python
        seatings = [[player] * self._tables.players]
        key = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(source.seat + 1))
        luck = (
            np.uint64(source.luck.seed),
            np.uint64(source.luck.block),
            np.uint64(key),
            np.uint64(source.round),
            np.uint64(source.index),
        )
        strategies, workspace = self._make_seat_strategies(seatings), self._make_workspace(seatings)
        action, _ = choose_action(position, self._tables, strategies, 0, workspace, luck)
        return int(action)

    def _make_seat_strategies(self, seatings: Sequence[Sequence[Player]]) -> SeatStrategies:
        """Return the strategies of all seats as arrays."""
        codes = [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        weights = {
            player.name: make_planner_weights(player.parameters, self._tables)
            for seating in seatings
            for player in seating
        }
        arrays = [
            np.array([[weights[player.name][n] for player in seating] for seating in seatings])
            for n in range(len(PlannerWeights._fields))
        ]
        return SeatStrategies(
            np.array(codes, np.int64), self.parameter_array(seatings), PlannerWeights(*arrays)
        )

    def _make_workspace(self, seatings: Sequence[Sequence[Player]]) -> Workspace:
        """Return room for the decisions of all seats."""
        tables = self._tables
        candidates = max(
            int(player.parameters.get("candidates", 1)) for seating in seatings for player in seating
        )
        return Workspace(
            position=make_start_position(tables),
            actions=np.empty(self._action_count, np.int64),
            spots=np.empty((len(tables.on_sheet), tables.groups), np.int64),
            height_sums=np.empty(tables.columns + 1, np.int64),
            planner=make_planner_workspace(tables, candidates),
            imagined=make_planner_workspace(tables, 1),
            quantiles=np.array(normal_quantiles()),
        )

    def pack(self, state: State) -> Position:
        if not isinstance(state, BloxxState) or state.ruleset != self.ruleset:
            raise InvalidError(f"this is no position of {self.ruleset.name}")
        return pack_state(state, self._tables)

    def unpack(self, packed: Position) -> BloxxState:
        return unpack_state(packed, self.ruleset)

    def actions(self, packed: Position) -> IntArray:
        actions = np.empty(self._action_count, np.int64)
        return actions[: list_legal_actions(packed, self._tables, actions)].astype(np.int32)

    def apply_action(self, packed: Position, action: int) -> Position:
        after = Position(*(array.copy() for array in packed))
        play_ply(after, self._tables, action)
        return after


KERNEL: Final = BloxxKernel
