"""The kernel of Blokus Dice: plays batches of games, and connects the compiled functions with the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.games.blokus_dice.kernel.games import (
    LEARNED,
    STRATEGY_NAMES,
    UNLIMITED_PLIES,
    Results,
    SeatStrategies,
    play_games,
)
from engine.games.blokus_dice.kernel.learned import make_learned_player
from engine.games.blokus_dice.kernel.learned_games import play_games_with_learned
from engine.games.blokus_dice.kernel.network import split_weights
from engine.games.blokus_dice.kernel.position import (
    ANY_FACE,
    BOARD_STRIKES,
    BOARD_UNFILLED,
    TURN_DUE,
    TURN_DUE_END,
    TURN_ROLL,
    Position,
    make_start_position,
    pack_state,
    unpack_state,
)
from engine.games.blokus_dice.kernel.rules import (
    action_offset,
    drop_out,
    play_placement,
    store_fitting,
    untaken_face,
)
from engine.games.blokus_dice.kernel.tables import MAX_DICE, make_tables, unpack_bits
from engine.games.blokus_dice.kernel.workspace import make_workspace
from engine.games.blokus_dice.learned_values import read_learned_values
from engine.games.blokus_dice.ruleset import COLOUR_NAMES
from engine.kernels.contract import Kernel
from engine.kernels.results import first_plies, join_logs, make_batch, make_log_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.kernels.contract import Batch, IntArray
    from engine.luck import Source
    from engine.state import State
    from engine.strategy import Player

_u64: Final = np.uint64


class BlokusDiceKernel(Kernel):
    """Blokus Dice under one ruleset. Every ruleset fits."""

    strategies = STRATEGY_NAMES
    ruleset: BlokusDiceRuleset

    def __init__(self, ruleset: BlokusDiceRuleset) -> None:
        super().__init__(ruleset)
        self._tables = make_tables(ruleset)
        self._start = make_start_position(self._tables)

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(self._start, seatings, seed, blocks, logged=logged)

    def play_from_packed(
        self, packed: Position, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._play_batch(packed, [seating], seed, blocks, logged=logged)

    def decide(self, state: State, player: Player, source: Source) -> int:
        """Play one ply of a game in which the strategy has every seat."""
        luck = _u64(source.luck.seed), np.array([source.luck.block], np.uint64), _u64(source.index)
        seating = [player] * self.ruleset.players
        results = self._play_compiled(self.pack(state), [seating], luck, max_plies=1, logged=True)
        return int(results.log.action[0])

    def pack(self, state: State) -> Position:
        return pack_state(state, self.ruleset, self._tables)

    def unpack(self, packed: Position) -> BlokusDiceState:
        return unpack_state(packed, self.ruleset, self._tables)

    def actions(self, packed: Position) -> IntArray:
        tables, turn = self._tables, packed.turn
        if turn[TURN_DUE] == turn[TURN_DUE_END]:
            return np.empty(0, np.int32)
        if turn[TURN_ROLL] < 0:
            rolls = self.ruleset.roll_actions[int(turn[TURN_DUE_END])]
            return np.arange(rolls.start, rolls.stop, dtype=np.int32)
        seat = int(packed.order[turn[TURN_DUE]])
        fitting = np.empty(tables.words, np.uint32)
        store_fitting(packed, seat, fitting)
        faces = [untaken_face(packed, tables, die) for die in range(MAX_DICE)]
        can_strike = packed.boards[seat, BOARD_STRIKES] < tables.strikes
        groups = [
            action_offset(packed, tables, seat, face, strike)
            + tables.rules_numbers[
                np.flatnonzero(unpack_bits(fitting & tables.offered[ANY_FACE if strike else face]))
            ]
            for face in faces
            if face >= 0
            for strike in range(1 + can_strike)
        ]
        legal = np.concatenate(groups).astype(np.int32)
        return legal if len(legal) else np.array([tables.out_action], np.int32)

    def apply_action(self, packed: Position, action: int) -> Position:
        tables = self._tables
        after = _clone_position(packed)
        if after.turn[TURN_ROLL] < 0:
            after.turn[TURN_ROLL] = action
        elif action == tables.out_action:
            drop_out(after, tables)
        else:
            block, number = divmod(int(action) - tables.out_action - 1, tables.placement_count)
            face, strike = divmod(block // len(COLOUR_NAMES), 2)
            play_placement(after, tables, face, strike, int(tables.rules_placements[number]))
        return after

    def _play_batch(
        self,
        start: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        luck = _u64(seed), np.array(blocks, np.uint64), _u64(0)
        results = self._play_compiled(start, seatings, luck, logged=logged)
        unfilled, strikes = results.boards[..., BOARD_UNFILLED], results.boards[..., BOARD_STRIKES]
        return make_batch(
            results.rounds,
            results.plies,
            results.boards,
            results.boards * np.array([1, 0], np.int32),
            join_logs([results.log]) if logged else None,
            # BD-13: fewer unfilled squares are better; of equal ones, fewer strikes
            standings=-(unfilled * (1 + self._tables.strikes) + strikes),
        )

    def _play_compiled(
        self,
        start: Position,
        seatings: Sequence[Sequence[Player]],
        luck: tuple[np.uint64, NDArray[np.uint64], np.uint64],
        *,
        max_plies: int = UNLIMITED_PLIES,
        logged: bool,
    ) -> Results:
        """Play every seating in every block, at most so many plies of each game; see `play_games`."""
        tables, players = self._tables, self.ruleset.players
        games = len(seatings) * len(luck[1])
        # A seat has a ply for each of its shapes and one to drop out, and no more rounds than that. Memory that is never
        # written costs nothing.
        most = min(max_plies, (tables.shape_count + 1) * (players + 1))
        results = Results(
            rounds=np.empty(games, np.int32),
            plies=np.empty(games, np.int32),
            boards=np.empty((games, players, 2), np.int32),
            log=make_log_columns(games * most if logged else 0),
        )
        strategies = self._make_seat_strategies(seatings)
        work = start, tables, strategies, luck, make_workspace(tables), results, max_plies
        if (strategies.codes == LEARNED).any():
            network = split_weights(
                read_learned_values(players)
            )  # the room is new: threads share this kernel
            plies = play_games_with_learned(make_learned_player(tables, network), *work)
        else:
            plies = play_games(*work)
        return results._replace(log=first_plies(results.log, plies))

    def _make_seat_strategies(self, seatings: Sequence[Sequence[Player]]) -> SeatStrategies:
        codes = [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        shape = len(seatings), self.ruleset.players
        return SeatStrategies(
            np.array(codes, np.int64).reshape(shape), self.parameter_array(seatings).reshape(*shape, -1)
        )


def _clone_position(position: Position) -> Position:
    return Position._make(array.copy() for array in position)


KERNEL: Final = BlokusDiceKernel
