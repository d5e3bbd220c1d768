"""BLOXX! compiled: whole batches of games by clauses BX-1 to BX-17, and the kernel that Python calls.

`rules` has the rules; `policies`, `planner` and `rollout` have the strategies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from engine.game import InvalidError
from engine.games.bloxx.kernel.planner import (
    Planner,
    PlannerWeights,
    PlannerWorkspace,
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
from engine.games.bloxx.kernel.rollout import choose_rollout
from engine.games.bloxx.kernel.rules import copy_position, list_legal_actions, play_ply, roll_dice, score
from engine.games.bloxx.kernel.tables import make_tables
from engine.games.bloxx.rules import BloxxState
from engine.kernels.compiling import forbid_inlining, jit_entry, jit_internal
from engine.kernels.contract import Batch, Kernel
from engine.kernels.luck import counter_key, random_word
from engine.kernels.results import LogColumns, first_plies, join_logs, make_batch, make_log_columns, write_ply
from engine.luck import PURPOSE_STRATEGY, normal_quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.game import State
    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.kernels.contract import IntArray
    from engine.luck import Source
    from engine.strategies import Player

# Codes of strategies: their places in BloxxKernel.strategies
RANDOM: Final = 0
GREEDY: Final = 1
NOISY: Final = 2
PLANNER: Final = 3
GAMES_PER_LOG_PIECE: Final = 4096
"""A log is written in pieces that have room for about this many games."""


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
    height_sums: NDArray[np.int64]
    """(columns + 1,)"""
    planner: PlannerWorkspace
    imagined: PlannerWorkspace
    """For the planner of imagined games."""
    quantiles: NDArray[np.float64]


class Results(NamedTuple):
    """Finished games as columns, in the order of `engine.kernels.contract.Batch`, and their log."""

    rounds: IntArray
    plies: IntArray
    counts: IntArray
    points: IntArray
    log: LogColumns
    """Without room if nothing is logged."""


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
def play_games(start, tables, strategies, luck, workspace, results, game):
    """Play games, from number `game` on, until all are played or the log might not hold another.

    There is a game for every seating in every block; `luck` is the seed and the blocks. Returns the next game to play
    and the number of plies in the log.
    """
    seed, blocks = luck
    position, log = workspace.position, results.log
    logged = len(log.action) > 0
    seatings = len(strategies.codes)
    row = 0
    while game < seatings * len(blocks):
        if logged and len(log.action) - row < tables.max_plies:
            break
        block, seating = blocks[game // seatings], game % seatings
        codes = strategies.codes[seating]
        copy_position(start, position)
        plies = 0
        while not position.turn[TURN_IS_OVER]:
            round_ = position.turn[TURN_ROUND]
            seat = position.turn[TURN_SEAT]
            if position.turn[TURN_FACE_A] < 0:
                seat = -1
                action, options = roll_dice(position, tables, seed, block), -1
            else:
                # A seat decides once in a round, so the index of its first draw is 0.
                key = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(seat + 1))
                draw = seed, block, key, np.uint64(round_), np.uint64(0)
                if codes[seat] == RANDOM:
                    action, options = choose_random(position, tables, workspace, random_word(*draw))
                elif codes[seat] == GREEDY:
                    action, options = choose_greedy(position, tables, workspace, random_word(*draw))
                else:
                    action, options = choose_action(position, tables, strategies, seating, workspace, draw)
            play_ply(position, tables, action)
            if logged:
                points = score(position, tables, seat) if seat >= 0 else 0
                write_ply(log, row + plies, round_, seat, action, options, points)
            plies += 1
        row += plies
        store_results(position, tables, results, game, plies)
        game += 1
    return game, row


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
