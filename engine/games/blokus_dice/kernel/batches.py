"""The kernel of Blokus Dice: plays batches of games, and connects the compiled functions with the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.games.blokus_dice.kernel.games import (
    LEARNED,
    STRATEGY_NAMES,
    play_games,
)
from engine.games.blokus_dice.kernel.learned import make_learned_player
from engine.games.blokus_dice.kernel.learned_games import play_games_with_learned
from engine.games.blokus_dice.kernel.network import split_weights
from engine.games.blokus_dice.kernel.position import (
    ANY_FACE,
    BOARD_STRIKES,
    TURN_DUE,
    TURN_DUE_END,
    TURN_ROLL,
    Position,
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
from engine.kernels.results import keep_plies, make_results

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State


class BlokusDiceKernel(Kernel):
    """Blokus Dice under one ruleset. Every ruleset fits."""

    strategies = STRATEGY_NAMES
    ruleset: BlokusDiceRuleset

    def __init__(self, ruleset: BlokusDiceRuleset) -> None:
        super().__init__(ruleset)
        self._tables = make_tables(ruleset)

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

    def play_compiled(
        self, packed: Position, seatings: Seatings, luck: BatchLuck, max_plies: int, *, logged: bool
    ) -> Results:
        tables, players = self._tables, self.ruleset.players
        games = len(seatings) * len(luck[1])
        # A seat has a ply for each of its shapes and one to drop out, and no more rounds than that. Memory that is never
        # written costs nothing.
        most = min(max_plies, (tables.shape_count + 1) * (players + 1))
        results = make_results(games, players, 2, games * most * logged)
        strategies = self.seat_strategies(seatings)
        work = packed, tables, strategies, luck, make_workspace(tables), results, max_plies
        if (strategies.codes == LEARNED).any():
            network = split_weights(
                read_learned_values(players)
            )  # the room is new: threads share this kernel
            plies = play_games_with_learned(make_learned_player(tables, network), *work)
        else:
            plies = play_games(*work)
        points = results.counts * np.array([1, 0], np.int32)
        return keep_plies(results._replace(points=points), plies)

    def standings(self, results: Results) -> NDArray[np.int32]:
        """BD-13: fewer unfilled squares are better; of equal ones, fewer strikes."""
        return -results.counts @ np.array([1 + self._tables.strikes, 1], np.int32)


def _clone_position(position: Position) -> Position:
    return Position._make(array.copy() for array in position)


KERNEL: Final = BlokusDiceKernel
