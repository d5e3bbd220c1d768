"""The kernel of Blokus Dice: plays batches of games, and connects the compiled functions with the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.keeper import best_candidate, candidate_placement, value_candidates
from engine.games.blokus_dice.kernel.policies import choose_greedy, choose_noisy, choose_random
from engine.games.blokus_dice.kernel.position import (
    ANY_FACE,
    BOARD_STRIKES,
    BOARD_UNFILLED,
    TURN_DUE,
    TURN_DUE_END,
    TURN_ROLL,
    TURN_ROUND,
    Position,
    make_start_position,
    pack_state,
    unpack_state,
)
from engine.games.blokus_dice.kernel.rollout import choose_rollout
from engine.games.blokus_dice.kernel.rules import (
    action_offset,
    count_placements,
    drop_out,
    play_placement,
    roll_dice,
    store_fitting,
    untaken_face,
)
from engine.games.blokus_dice.kernel.tables import MAX_DICE, make_tables, unpack_bits
from engine.games.blokus_dice.kernel.workspace import make_workspace
from engine.games.blokus_dice.ruleset import COLOUR_NAMES
from engine.kernels.compiling import copy_array, jit_entry, jit_merged
from engine.kernels.contract import Kernel
from engine.kernels.luck import counter_key, random_word
from engine.kernels.results import (
    LogColumns,
    first_plies,
    join_logs,
    make_batch,
    make_log_columns,
    write_ply,
)
from engine.luck import PURPOSE_STRATEGY

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

_STRATEGIES: Final = ("random", "greedy", "noisy", "keeper", "rollout")
_RANDOM, _GREEDY, _NOISY, _KEEPER, _ROLLOUT = range(5)
_UNLIMITED_PLIES: Final = 1 << 30


class SeatStrategies(NamedTuple):
    """The strategy of every seat in every seating."""

    codes: NDArray[np.int64]
    """(seatings, seats) place of the strategy in `BlokusDiceKernel.strategies`."""
    settings: NDArray[np.float64]
    """(seatings, seats, parameters) its parameters in their declared order."""


class Results(NamedTuple):
    """Finished games as columns, and their log."""

    rounds: IntArray
    """(games,) rounds that were begun."""
    plies: IntArray
    """(games,)"""
    boards: IntArray
    """(games, seats, 2) unfilled squares and strikes used."""
    log: LogColumns
    """Without room if nothing is logged."""


@jit_entry
def play_games(start, tables, strategies, luck, workspace, results, max_plies):
    """Play every seating in every block from one position, at most so many plies each; return the plies of all games.

    `luck` is the seed, the blocks, and the index of the first draw of every decision: a seat decides once in a round.
    """
    seed, blocks, first_draw = luck
    position = workspace.position
    row = game = 0
    for block in blocks:
        for seating in range(len(strategies.codes)):
            copy_position(start, position)
            players = strategies.codes[seating], strategies.settings[seating]
            first_row = row
            row = play_game(
                tables, players, (seed, block, first_draw), workspace, results.log, row, row + max_plies
            )
            results.rounds[game] = position.turn[TURN_ROUND] + 1
            results.plies[game] = row - first_row
            for seat in range(tables.players):
                for column in (BOARD_UNFILLED, BOARD_STRIKES):
                    results.boards[game, seat, column] = position.boards[seat, column]
            game += 1
    return row


@jit_merged
def play_game(tables, players, luck, workspace, log, row, end):
    """Play the position of the workspace to its end, or until the row `end`; return the row after the last ply.

    `players` are codes and settings of the seats; `luck` is as in `play_games`, with one block. Each ply takes a row of
    the log, whether it has room or not.
    """
    position, decision = workspace.position, workspace.decision
    codes, settings = players
    seed, block, first_draw = luck
    turn = position.turn
    logged = len(log.action) > 0
    while turn[TURN_DUE] < turn[TURN_DUE_END] and row < end:
        round_ = turn[TURN_ROUND]
        seat, options, score = -1, -1, 0
        if turn[TURN_ROLL] < 0:  # BD-9: one die for each seat that is still in the game
            action = roll_dice(tables, turn[TURN_DUE_END], seed, block, _u64(round_))
            turn[TURN_ROLL] = action
        else:
            seat = position.order[turn[TURN_DUE]]
            draw = seed, block, counter_key(_u64(PURPOSE_STRATEGY), _u64(seat + 1)), _u64(round_), first_draw
            store_fitting(position, seat, decision.fitting)
            if logged or codes[seat] == _RANDOM:
                options = count_placements(position, tables, decision, seat)
            if codes[seat] == _RANDOM:
                bits = random_word(*draw)
                face, strike, placement = choose_random(position, tables, decision, options, bits)
            else:
                face, strike, placement = choose_placement(
                    position, tables, workspace, seat, codes[seat], settings[seat], draw
                )
            action = tables.out_action
            if placement >= 0:
                number = np.int64(tables.rules_numbers[placement])
                action = action_offset(position, tables, seat, face, strike) + number
                play_placement(position, tables, face, strike, placement)
            else:
                drop_out(position, tables)
            options = max(options, 1)  # BD-8: to drop out is then the only action
            score = position.boards[seat, BOARD_UNFILLED]
        if logged:
            write_ply(log, row, round_, seat, action, options, score)
        row += 1
    return row


@jit_merged
def choose_placement(position, tables, workspace, seat, code, settings, luck):
    """Return face, strike and placement that a strategy other than random chooses; the placement is -1 if none is legal.

    `luck` is (seed, block, key, round, index) of the first draw.
    """
    decision, keeper = workspace.decision, workspace.keeper
    if code == _GREEDY:
        return choose_greedy(position, tables, decision, seat, random_word(*luck))
    if code == _NOISY:
        return choose_noisy(position, tables, decision, seat, settings[0], luck)
    if code == _KEEPER:
        count = value_candidates(position, tables, decision, keeper, settings, seat)
        n = best_candidate(keeper.values, count)
    else:
        n = choose_rollout(position, tables, workspace, seat, settings, luck)
    return candidate_placement(keeper, n)


@jit_merged
def copy_position(source, target):
    """Make one position equal to another."""
    copy_array(source.planes, target.planes)
    copy_array(source.filled, target.filled)
    copy_array(source.boards, target.boards)
    copy_array(source.turn, target.turn)
    copy_array(source.order, target.order)
    copy_array(source.takers, target.takers)
    copy_array(source.gone, target.gone)


class BlokusDiceKernel(Kernel):
    """Blokus Dice under one ruleset. Every ruleset fits."""

    strategies = _STRATEGIES
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
        max_plies: int = _UNLIMITED_PLIES,
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
        plies = play_games(start, tables, strategies, luck, make_workspace(tables), results, max_plies)
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
