"""The kernel of Blokus Dice: plays batches of games, and connects the compiled functions with the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.games.blokus_dice.kernel.keeper import (
    best_candidate,
    candidate_placement,
    choose_rollout,
    value_candidates,
)
from engine.games.blokus_dice.kernel.learned import make_learned_player, split_weights, value_by_network
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
    pack_state,
    unpack_state,
)
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
from engine.games.blokus_dice.learned_values import read_learned_values
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, BlokusDiceRuleset
from engine.kernels.compiling import copy_array, jit_entry, jit_merged
from engine.kernels.contract import Kernel
from engine.kernels.luck import counter_key, random_word
from engine.kernels.ply_log import write_ply
from engine.kernels.results import keep_plies, make_results
from engine.luck import PURPOSE_STRATEGY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.kernels.contract import BatchLuck, Seatings
    from engine.kernels.results import IntArray, Results
    from engine.state import State


_u64: Final = np.uint64

STRATEGY_NAMES: Final = ("random", "greedy", "noisy", "keeper", "rollout", "learned")
_RANDOM, _GREEDY, _NOISY, _KEEPER, _ROLLOUT, _LEARNED = range(6)


@jit_entry
def play_games(start, tables, strategies, luck, workspace, results, max_plies):
    """Play games as `play_games_by` does; no seat plays by learned values."""
    return play_games_by(
        choose_placement, None, start, tables, strategies, luck, workspace, results, max_plies
    )


@jit_entry
def play_games_with_learned(learned, start, tables, strategies, luck, workspace, results, max_plies):
    """Play games as `play_games_by` does, with all strategies.

    This is an entry of its own, so that only people who use learned values wait for its compilation.
    """
    return play_games_by(
        choose_any_placement, learned, start, tables, strategies, luck, workspace, results, max_plies
    )


@jit_merged
def play_games_by(choose, learned, start, tables, strategies, luck, workspace, results, max_plies):
    """Play every seating in every block from one position, at most `max_plies` plies each; return the plies of all games.

    `luck` is a BatchLuck: a seat decides once in a round. No points are written to the results.
    `choose(learned, position, tables, workspace, seat, code, settings, luck)` is a compiled function that chooses the
    placement of a seat that is not random.
    """
    seed, blocks, first_draw = luck
    position = workspace.position
    row = game = 0
    for block in blocks:
        for seating in range(len(strategies.codes)):
            copy_position(start, position)
            players = strategies.codes[seating], strategies.settings[seating]
            game_luck = seed, block, first_draw
            first_row = row
            row = play_game(
                choose, learned, tables, players, game_luck, workspace, results.log, row, row + max_plies
            )
            results.rounds[game] = position.turn[TURN_ROUND] + 1
            results.plies[game] = row - first_row
            for seat in range(tables.players):
                for column in (BOARD_UNFILLED, BOARD_STRIKES):
                    results.counts[game, seat, column] = position.boards[seat, column]
            game += 1
    return row


@jit_merged
def play_game(choose, learned, tables, players, luck, workspace, log, row, end):
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
                face, strike, placement = choose(
                    learned, position, tables, workspace, seat, codes[seat], settings[seat], draw
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
def choose_placement(_, position, tables, workspace, seat, code, settings, luck):
    """Return face, strike and placement that a strategy chooses, neither random nor learned; the placement is -1 if none is legal.

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
def choose_any_placement(learned, position, tables, workspace, seat, code, settings, luck):
    """Return face, strike and placement that a strategy other than random chooses."""
    if code == _LEARNED:
        _, best = value_by_network(position, tables, workspace, learned, seat)
        return candidate_placement(workspace.keeper, best)
    return choose_placement(None, position, tables, workspace, seat, code, settings, luck)


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
        if (strategies.codes == _LEARNED).any():
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
