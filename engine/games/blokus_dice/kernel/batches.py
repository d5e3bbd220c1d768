"""Blokus Dice compiled: whole batches of games, and the strategies that are compiled with them.

What a seat may draw is a set of placements, a plane of words (`kernel_tables.py` tells their order). A drawn shape
changes a plane only in a window round it, and a window depends on the orientation alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.games.blokus_dice.kernel.keeper import best_candidate, candidate_placement, value_candidates
from engine.games.blokus_dice.kernel.placement_sets import copy_array, jit_entry, jit_merged
from engine.games.blokus_dice.kernel.policies import choose_greedy, choose_noisy, choose_random
from engine.games.blokus_dice.kernel.position import (
    ANY_FACE,
    BOARD_STRIKES,
    BOARD_UNFILLED,
    TURN_DUE,
    TURN_DUE_END,
    TURN_ROLL,
    TURN_ROUND,
    GameResults,
    LogColumns,
    Position,
    make_start_position,
    pack_state,
    unpack_state,
)
from engine.games.blokus_dice.kernel.rollout import choose_rollout, make_workspace
from engine.games.blokus_dice.kernel.rules import (
    action_offset,
    count_placements,
    drop_out,
    fill_fitting,
    play_placement,
    roll_dice,
    untaken_face,
)
from engine.games.blokus_dice.kernel.tables import MAX_DICE, make_tables, unpack_bits
from engine.games.blokus_dice.ruleset import COLOUR_NAMES
from engine.kernels.contract import Batch, Kernel, PlyLog
from engine.kernels.luck import counter_key, random_word
from engine.luck import PURPOSE_STRATEGY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.kernels.contract import IntArray
    from engine.luck import Source
    from engine.state import State
    from engine.strategy import Player

STRATEGIES = ("random", "greedy", "noisy", "keeper", "rollout")
RANDOM, GREEDY, NOISY, KEEPER, ROLLOUT = range(len(STRATEGIES))
"""Codes of the strategies."""
UNLIMITED_PLIES = np.iinfo(np.int64).max
"""As many plies as the game has."""


@jit_merged
def play_game(position, tables, room, codes, settings, seed, block, index, most, log, row, is_logged):
    """Play a position on, to the end of the game or for so many plies, log it from a row on, and return the plies.

    Every seat decides once in a round: its first draw has the index 0, or the one that is given.
    """
    turn = position.turn
    scratch, mind = room.scratch, room.mind
    first = row
    while turn[TURN_DUE] < turn[TURN_DUE_END] and row - first < most:
        round_ = turn[TURN_ROUND]
        seat, options, score = -1, -1, 0
        if turn[TURN_ROLL] < 0:
            action = roll_dice(position, tables, seed, block)
            turn[TURN_ROLL] = action
        else:
            seat = position.order[turn[TURN_DUE]]
            code = codes[seat]
            fill_fitting(position, seat, scratch.fitting)
            who, when = counter_key(np.uint64(PURPOSE_STRATEGY), np.uint64(seat + 1)), np.uint64(round_)
            if is_logged or code == RANDOM:
                options = count_placements(position, tables, scratch, seat)
            if code == RANDOM:
                bits = random_word(seed, block, who, when, index)
                face, struck, spot = choose_random(position, tables, scratch, options, bits)
            elif code == GREEDY:
                bits = random_word(seed, block, who, when, index)
                face, struck, spot = choose_greedy(position, tables, scratch, seat, bits)
            elif code == NOISY:
                face, struck, spot = choose_noisy(
                    position, tables, scratch, settings[seat, 0], seed, block, who, when, index, seat
                )
            else:
                if code == KEEPER:
                    n = value_candidates(position, tables, scratch, mind, settings[seat], seat)
                    n = best_candidate(mind.values, n)
                else:
                    n = choose_rollout(
                        position, tables, room, settings[seat], seed, block, who, when, index, seat
                    )
                face, struck, spot = candidate_placement(mind, n)
            action = tables.out
            if spot >= 0:
                action = action_offset(position, tables, seat, face, struck) + int(tables.number[spot])
                play_placement(position, tables, face, struck, spot)
            else:
                drop_out(position, tables)
            options = max(options, 1)  # BD-8: `out` alone
            score = position.boards[seat, BOARD_UNFILLED]
        if is_logged:
            log.round[row] = round_
            log.seat[row] = seat
            log.action[row] = action
            log.options[row] = options
            log.score[row] = score
        row += 1
    return row - first


@jit_entry
def play_games(
    begin, position, tables, room, codes, settings, seed, blocks, index, most, log, is_logged, results
):
    """Play every seating in every block from a position on, for so many plies; return the plies of all.

    `codes` (seating, seat) and `settings` (seating, seat, parameter) tell the strategies.
    """
    seatings = len(codes)
    rows = np.int64(0)
    for game in range(len(blocks) * seatings):
        copy_array(begin.planes, position.planes)
        copy_array(begin.filled, position.filled)
        copy_array(begin.boards, position.boards)
        copy_array(begin.turn, position.turn)
        copy_array(begin.order, position.order)
        copy_array(begin.takers, position.takers)
        copy_array(begin.gone, position.gone)
        block = blocks[game // seatings]
        which = game % seatings
        plies = play_game(
            position,
            tables,
            room,
            codes[which],
            settings[which],
            seed,
            block,
            index,
            most,
            log,
            rows,
            is_logged,
        )
        results.rounds[game] = position.turn[TURN_ROUND] + 1
        results.plies[game] = plies
        for seat in range(tables.players):
            for field in (BOARD_UNFILLED, BOARD_STRIKES):
                results.boards[game, seat, field] = position.boards[seat, field]
        rows += plies
    return rows


class BlokusDiceKernel(Kernel):
    """Blokus Dice under one ruleset, compiled; every ruleset of the game fits."""

    ruleset: BlokusDiceRuleset
    strategies = STRATEGIES

    def __init__(self, ruleset: BlokusDiceRuleset) -> None:
        """Prepare the arrays."""
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
        seating, luck = [player] * self.ruleset.players, source.luck
        blocks = range(luck.block, luck.block + 1)
        _, log = self._play_compiled(
            self.pack(state), [seating], luck.seed, blocks, first=source.index, most=1, logged=True
        )
        return int(log.action[0])

    def _play_batch(
        self,
        begin: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        known = self._tables
        results, log = self._play_compiled(
            begin, seatings, seed, blocks, first=0, most=UNLIMITED_PLIES, logged=logged
        )
        unfilled, strikes = results.boards[..., BOARD_UNFILLED], results.boards[..., BOARD_STRIKES]
        # BD-13: of equal scores the one with fewer strikes used is better
        standing = unfilled * (1 + known.strikes) + strikes
        better = standing[:, np.newaxis, :] < standing[:, :, np.newaxis]
        return Batch(
            results.rounds,
            results.plies,
            np.ascontiguousarray(unfilled),
            (1 + better.sum(axis=2)).astype(np.uint8),
            results.boards,
            results.boards * np.array([1, 0], np.int32),
            PlyLog(*log) if logged else None,
        )

    def _play_compiled(
        self,
        begin: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        first: int,
        most: int,
        logged: bool,
    ) -> tuple[GameResults, LogColumns]:
        """Play on for so many plies a game; `first` is the index of a decision's first draw."""
        known, players = self._tables, self.ruleset.players
        games = len(blocks) * len(seatings)
        codes = [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        # a seat has a ply for each of its shapes and one to drop out, and no more rounds than that: room that no game
        # exceeds; what is not written to costs nothing
        log = _make_log_columns(games * min(most, (known.shapes + 1) * (players + 1)) if logged else 0)
        results = GameResults(
            np.empty(games, np.int32), np.empty(games, np.int32), np.empty((games, players, 2), np.int32)
        )
        rows = play_games(
            begin,
            _clone_position(begin),
            known,
            make_workspace(known),
            np.array(codes, np.int64).reshape(len(seatings), players),
            self.parameter_array(seatings).reshape(len(seatings), players, -1),
            np.uint64(seed),
            np.array(blocks, np.uint64),
            np.uint64(first),
            most,
            log,
            logged,
            results,
        )
        return results, _trim_log(log, rows)

    def pack(self, state: State) -> Position:
        return pack_state(state, self.ruleset, self._tables)

    def unpack(self, packed: Position) -> BlokusDiceState:
        return unpack_state(packed, self.ruleset, self._tables)

    def actions(self, packed: Position) -> IntArray:
        known, turn = self._tables, packed.turn
        if turn[TURN_DUE] == turn[TURN_DUE_END]:
            return np.empty(0, np.int32)
        if turn[TURN_ROLL] < 0:
            rolls = self.ruleset.roll_actions[int(turn[TURN_DUE_END])]
            return np.arange(rolls.start, rolls.stop, dtype=np.int32)
        seat = int(packed.order[turn[TURN_DUE]])
        fitting = np.empty(known.words, np.uint32)
        fill_fitting(packed, seat, fitting)
        faces = [untaken_face(packed, known, die) for die in range(MAX_DICE)]
        can_strike = packed.boards[seat, BOARD_STRIKES] < known.strikes
        found = [
            action_offset(packed, known, seat, face, struck)
            + known.number[np.flatnonzero(unpack_bits(fitting & known.offered[ANY_FACE if struck else face]))]
            for face in faces
            if face >= 0
            for struck in range(1 + can_strike)
        ]
        legal = np.concatenate(found).astype(np.int32)
        return legal if len(legal) else np.array([known.out], np.int32)

    def apply_action(self, packed: Position, action: int) -> Position:
        known = self._tables
        after = _clone_position(packed)
        if after.turn[TURN_ROLL] < 0:
            after.turn[TURN_ROLL] = action
        elif action == known.out:
            drop_out(after, known)
        else:
            block, placement = divmod(int(action) - known.out - 1, known.placements)
            face, struck = divmod(block // len(COLOUR_NAMES), 2)
            play_placement(after, known, face, struck, int(known.spot[placement]))
        return after


def _clone_position(position: Position) -> Position:
    return Position._make(array.copy() for array in position)


def _make_log_columns(rows: int) -> LogColumns:
    return LogColumns(
        np.empty(rows, np.uint16),
        np.empty(rows, np.int8),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
    )


def _trim_log(log: LogColumns, rows: int) -> LogColumns:
    return LogColumns._make(column[:rows] for column in log)


KERNEL = BlokusDiceKernel
