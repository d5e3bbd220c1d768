"""BLOXX! compiled: whole batches of games by clauses BX-1 to BX-17.

The rules are in `kernel_rules`; the words of its functions hold here too. `kernel_strategies`, `kernel_planner` and
`kernel_rollout` say what the seats do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from engine.games.bloxx.kernel.compiling import forbid_inlining, jit_entry, jit_internal
from engine.games.bloxx.kernel.planner import (
    PlannerTables,
    PlannerWorkspace,
    make_planner_tables,
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
    make_game_results,
    make_log_columns,
    make_start_position,
    pack_state,
    unpack_state,
)
from engine.games.bloxx.kernel.rollout import choose_rollout
from engine.games.bloxx.kernel.rules import copy_position, list_legal_actions, play_ply, roll_dice, score
from engine.games.bloxx.kernel.tables import make_tables
from engine.games.bloxx.rules import BloxxState
from engine.kernels.contract import Batch, Kernel, PlyLog
from engine.kernels.luck import counter_key, random_word
from engine.luck import PURPOSE_STRATEGY, normal_quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.kernels.contract import IntArray
    from engine.luck import Source
    from engine.state import State
    from engine.strategy import Player

# places in BloxxKernel.strategies
RANDOM: Final = 0
GREEDY: Final = 1
NOISY: Final = 2
PLANNER: Final = 3
GAMES_PER_LOG_PIECE: Final = 4096
"""A log is kept in pieces with room for about this many games."""


class Workspace(NamedTuple):
    """What decisions need beside the position: arrays to work in, and the quantiles of the normal distribution."""

    found: NDArray[np.int64]
    """(actions,)"""
    spots: NDArray[np.int64]
    """(orientations of two faces, groups)"""
    left: NDArray[np.int64]
    """(columns + 1,)"""
    desk: PlannerWorkspace
    table: PlannerWorkspace
    """Of imagined games."""
    quantiles: NDArray[np.float64]


class SeatStrategies(NamedTuple):
    """Who decides: every seat of every seating."""

    code: NDArray[np.int64]
    """(seating, seat) place in `BloxxKernel.strategies`"""
    settings: NDArray[np.float64]
    """(seating, seat, parameters) in their declared order"""
    plans: PlannerTables
    """Each array with (seating, seat) before its own axes."""


@jit_entry
def choose_action(at, tables, seated, i, room, luck):
    """Return the action of the acting seat of seating i, neither random nor greedy, and the number of legal ones.

    `luck` is the own luck of the decision: seed, block, key, round, index of the first draw.
    """
    forbid_inlining()
    seat = at.turn[TURN_SEAT]
    code = seated.code[i, seat]
    settings = seated.settings[i, seat]
    if code == NOISY:
        return choose_noisy(at, tables, room.found, room.left, room.quantiles, settings[0], luck)
    plans = seated.plans
    plan = PlannerTables(
        plans.numbers[i, seat],
        plans.steps[i, seat],
        plans.wells[i, seat],
        plans.rows[i, seat],
        plans.of_all[i, seat],
    )
    if code == PLANNER:
        _, total = rank_placements_ahead(at, tables, plan, room.desk, np.int64(settings[0]))
        return room.desk.actions[0], total
    playouts, candidates = np.int64(settings[0]), np.int64(settings[1])
    return choose_rollout(at, tables, plan, room.desk, room.table, playouts, candidates, luck)


@jit_entry
def play_games(tables, start, at, seated, room, seed, blocks, game, log, logged, results):
    """Play games from number `game` on until all are played or the log might not hold another.

    Returns the next game to play and the number of plies logged.
    """
    seatings = len(seated.code)
    used = 0
    while game < seatings * len(blocks):
        if logged and len(log.action) - used < tables.longest:
            break
        block = blocks[game // seatings]
        code = seated.code[game % seatings]
        copy_position(start, at)
        plies = 0
        while not at.turn[TURN_IS_OVER]:
            round_ = at.turn[TURN_ROUND]
            seat = at.turn[TURN_SEAT]
            if at.turn[TURN_FACE_A] < 0:
                seat = -1
                action, options = roll_dice(at, tables, seed, block), -1
            else:
                # one decision a seat and round: draws are counted from 0
                own = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(seat + 1))
                luck = seed, block, own, np.uint64(round_), np.uint64(0)
                if code[seat] == RANDOM:
                    action, options = choose_random(at, tables, room.spots, random_word(*luck))
                elif code[seat] == GREEDY:
                    action, options = choose_greedy(at, tables, room.found, room.left, random_word(*luck))
                else:
                    action, options = choose_action(at, tables, seated, game % seatings, room, luck)
            play_ply(at, tables, action)
            if logged:
                ply = used + plies
                log.round[ply] = round_
                log.seat[ply] = seat
                log.action[ply] = action
                log.options[ply] = options
                log.score[ply] = score(at, tables, seat) if seat >= 0 else 0
            plies += 1
        used += plies
        store_results(at, tables, results, game, plies)
        game += 1
    return game, used


@jit_internal
def store_results(at, tables, results, game, plies):
    """Keep how a game ended. BX-17: the highest score wins."""
    results.rounds[game] = at.turn[TURN_ROUND] + 1
    results.plies[game] = plies
    for seat in range(tables.players):
        tally = at.tally[seat]
        blanks = tables.squares - tally[TALLY_CLOSED]
        counts, points = results.counts[game, seat], results.points[game, seat]
        counts[0], points[0] = tally[TALLY_ROWS], tally[TALLY_ROW_POINTS]
        counts[1], points[1] = tally[TALLY_NUMBERS], tally[TALLY_NUMBER_POINTS]
        counts[2], points[2] = tally[TALLY_GAPS], -tables.gap_penalty * tally[TALLY_GAPS]
        counts[3], points[3] = blanks, -tables.blank_penalty * blanks
        results.scores[game, seat] = score(at, tables, seat)
    scores = results.scores[game]
    for seat in range(tables.players):
        better = 0
        for other in range(tables.players):
            better += scores[other] > scores[seat]
        results.ranks[game, seat] = 1 + better


class BloxxKernel(Kernel):
    """BLOXX!, compiled."""

    strategies = ("random", "greedy", "noisy", "planner", "rollout")

    def __init__(self, ruleset: BloxxRuleset) -> None:
        super().__init__(ruleset)
        self.rules = ruleset
        self.tables = make_tables(ruleset)
        self.most = ruleset.forfeit_action + 1 + len(self.tables.placed)
        """Actions that there are: more are never legal at once."""

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(make_start_position(self.tables), seatings, seed, blocks, logged=logged)

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
        games = len(seatings) * len(blocks)
        results = make_game_results(games, self.tables.players)
        at = make_start_position(self.tables)
        decisions = self._make_seat_strategies(seatings), self._make_workspace(seatings)
        keys = np.uint64(seed), np.array(blocks, np.uint64)
        room = (
            min(games, GAMES_PER_LOG_PIECE) * self.tables.longest // 2 + self.tables.longest if logged else 0
        )
        pieces = [list(make_log_columns(0))]
        game = 0
        while game < games:
            piece = make_log_columns(room)
            game, used = play_games(self.tables, start, at, *decisions, *keys, game, piece, logged, results)
            pieces.append([column[:used] for column in piece])
        log = PlyLog(*map(np.concatenate, zip(*pieces, strict=True))) if logged else None
        return Batch(*results, log)

    def candidates(self, state: State, most: int) -> list[int]:
        """Return what the planner would look ahead from, the best by its look ahead first."""
        if len(state.actions) <= most:
            return list(state.actions)
        planner = self.read_player(f"planner:candidates={most}")
        seatings = [[planner] * self.rules.players]
        room, luck = self._make_workspace(seatings), (np.uint64(0),) * 5
        room.desk.actions[:] = -1  # there may be fewer than asked for
        choose_action(self.pack(state), self.tables, self._make_seat_strategies(seatings), 0, room, luck)
        return [int(action) for action in room.desk.actions if action >= 0]

    def decide(self, state: State, player: Player, source: Source) -> int:
        at = self.pack(state)
        if self.strategies.index(player.strategy.name) <= GREEDY:
            return player.decide(state, source)  # their twins in plain Python
        seatings = [[player] * self.tables.players]
        own = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(source.seat + 1))
        luck = (
            np.uint64(source.luck.seed),
            np.uint64(source.luck.block),
            np.uint64(own),
            np.uint64(source.round),
            np.uint64(source.index),
        )
        action, _ = choose_action(
            at, self.tables, self._make_seat_strategies(seatings), 0, self._make_workspace(seatings), luck
        )
        return int(action)

    def _make_seat_strategies(self, seatings: Sequence[Sequence[Player]]) -> SeatStrategies:
        """Return the strategies of all seats as arrays."""
        codes = [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        plans = {
            player.name: make_planner_tables(player.parameters, self.tables)
            for seating in seatings
            for player in seating
        }
        arrays = [
            np.array([[plans[player.name][n] for player in seating] for seating in seatings])
            for n in range(len(PlannerTables._fields))
        ]
        return SeatStrategies(
            np.array(codes, np.int64), self.parameter_array(seatings), PlannerTables(*arrays)
        )

    def _make_workspace(self, seatings: Sequence[Sequence[Player]]) -> Workspace:
        """Return room for the decisions of all seats."""
        candidates = max(
            int(player.parameters.get("candidates", 1)) for seating in seatings for player in seating
        )
        return Workspace(
            found=np.empty(self.most, np.int64),
            spots=np.empty((len(self.tables.on_sheet), self.tables.groups), np.int64),
            left=np.empty(self.tables.columns + 1, np.int64),
            desk=make_planner_workspace(self.tables, make_start_position(self.tables), candidates),
            table=make_planner_workspace(self.tables, make_start_position(self.tables), 1),
            quantiles=np.array(normal_quantiles()),
        )

    def pack(self, state: State) -> Position:
        if not isinstance(state, BloxxState) or state.ruleset != self.rules:
            raise InvalidError(f"this is no position of {self.rules.name}")
        return pack_state(state, self.tables)

    def unpack(self, packed: Position) -> BloxxState:
        return unpack_state(packed, self.rules)

    def actions(self, packed: Position) -> IntArray:
        found = np.empty(self.most, np.int64)
        return found[: list_legal_actions(packed, self.tables, found)].astype(np.int32)

    def apply_action(self, packed: Position, action: int) -> Position:
        after = Position(*(array.copy() for array in packed))
        play_ply(after, self.tables, action)
        return after


KERNEL = BloxxKernel
