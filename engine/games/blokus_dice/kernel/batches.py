"""Blokus Dice compiled: whole batches of games, and the strategies that are compiled with them.

What a seat may draw is a set of placements, a plane of words (`kernel_tables.py` tells their order). A drawn shape
changes a plane only in a window round it, and a window depends on the orientation alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.games.blokus_dice.kernel.keeper import best_candidate, candidate, weigh
from engine.games.blokus_dice.kernel.placement_sets import compiled, copy, pasted
from engine.games.blokus_dice.kernel.policies import any_placement, best_placement, noisy_placement
from engine.games.blokus_dice.kernel.position import (
    ANY,
    DUE,
    ENDS,
    ROLL,
    ROUND,
    STRIKES,
    UNFILLED,
    Columns,
    Position,
    Results,
    beginning,
    position_of,
    state_of,
)
from engine.games.blokus_dice.kernel.rollout import rollout_candidate, room
from engine.games.blokus_dice.kernel.rules import (
    count,
    first_number,
    fit,
    leave,
    left,
    place,
    rolled,
)
from engine.games.blokus_dice.kernel.tables import DICE_MOST, tables, unpacked
from engine.games.blokus_dice.ruleset import COLOURS
from engine.kernels.contract import Batch, Kernel, Log
from engine.kernels.luck import key, word
from engine.luck import STRATEGY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game import State
    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.kernels.contract import Ints
    from engine.luck import Source
    from engine.strategies import Player

STRATEGIES = ("random", "greedy", "noisy", "keeper", "rollout")
RANDOM, GREEDY, NOISY, KEEPER, ROLLOUT = range(len(STRATEGIES))
"""Codes of the strategies."""
EVERY_PLY = np.iinfo(np.int64).max
"""As many plies as the game has."""


@pasted
def play_out(position, tables, room, codes, settings, seed, block, index, most, log, row, is_logged):
    """Play a position on, to the end of the game or for so many plies, log it from a row on, and return the plies.

    Every seat decides once in a round: its first draw has the index 0, or the one that is given.
    """
    turn = position.turn
    scratch, mind = room.scratch, room.mind
    first = row
    while turn[DUE] < turn[ENDS] and row - first < most:
        round_ = turn[ROUND]
        seat, options, score = -1, -1, 0
        if turn[ROLL] < 0:
            action = rolled(position, tables, seed, block)
            turn[ROLL] = action
        else:
            seat = position.order[turn[DUE]]
            code = codes[seat]
            fit(position, seat, scratch.fitting)
            who, when = key(np.uint64(STRATEGY), np.uint64(seat + 1)), np.uint64(round_)
            if is_logged or code == RANDOM:
                options = count(position, tables, scratch, seat)
            if code == RANDOM:
                bits = word(seed, block, who, when, index)
                face, struck, spot = any_placement(position, tables, scratch, options, bits)
            elif code == GREEDY:
                bits = word(seed, block, who, when, index)
                face, struck, spot = best_placement(position, tables, scratch, seat, bits)
            elif code == NOISY:
                face, struck, spot = noisy_placement(
                    position, tables, scratch, settings[seat, 0], seed, block, who, when, index, seat
                )
            else:
                if code == KEEPER:
                    n = weigh(position, tables, scratch, mind, settings[seat], seat)
                    n = best_candidate(mind.values, n)
                else:
                    n = rollout_candidate(
                        position, tables, room, settings[seat], seed, block, who, when, index, seat
                    )
                face, struck, spot = candidate(mind, n)
            action = tables.out
            if spot >= 0:
                action = first_number(position, tables, seat, face, struck) + int(tables.number[spot])
                place(position, tables, face, struck, spot)
            else:
                leave(position, tables)
            options = max(options, 1)  # BD-8: `out` alone
            score = position.boards[seat, UNFILLED]
        if is_logged:
            log.round[row] = round_
            log.seat[row] = seat
            log.action[row] = action
            log.options[row] = options
            log.score[row] = score
        row += 1
    return row - first


@compiled
def play_all(
    begin, position, tables, room, codes, settings, seed, blocks, index, most, log, is_logged, results
):
    """Play every seating in every block from a position on, for so many plies; return the plies of all.

    `codes` (seating, seat) and `settings` (seating, seat, parameter) tell the strategies.
    """
    seatings = len(codes)
    rows = np.int64(0)
    for game in range(len(blocks) * seatings):
        copy(begin.planes, position.planes)
        copy(begin.filled, position.filled)
        copy(begin.boards, position.boards)
        copy(begin.turn, position.turn)
        copy(begin.order, position.order)
        copy(begin.takers, position.takers)
        copy(begin.gone, position.gone)
        block = blocks[game // seatings]
        which = game % seatings
        plies = play_out(
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
        results.rounds[game] = position.turn[ROUND] + 1
        results.plies[game] = plies
        for seat in range(tables.players):
            for field in (UNFILLED, STRIKES):
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
        self._tables = tables(ruleset)
        self._start = beginning(self._tables)

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._batch(self._start, seatings, seed, blocks, logged=logged)

    def play_from(
        self, packed: Position, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._batch(packed, [seating], seed, blocks, logged=logged)

    def decide(self, state: State, player: Player, source: Source) -> int:
        seating, luck = [player] * self.ruleset.players, source.luck
        blocks = range(luck.block, luck.block + 1)
        _, log = self._played(
            self.pack(state), [seating], luck.seed, blocks, first=source.index, most=1, logged=True
        )
        return int(log.action[0])

    def _batch(
        self,
        begin: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        known = self._tables
        results, log = self._played(begin, seatings, seed, blocks, first=0, most=EVERY_PLY, logged=logged)
        unfilled, strikes = results.boards[..., UNFILLED], results.boards[..., STRIKES]
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
            Log(*log) if logged else None,
        )

    def _played(
        self,
        begin: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        first: int,
        most: int,
        logged: bool,
    ) -> tuple[Results, Columns]:
        """Play on for so many plies a game; `first` is the index of a decision's first draw."""
        known, players = self._tables, self.ruleset.players
        games = len(blocks) * len(seatings)
        codes = [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        # a seat has a ply for each of its shapes and one to drop out, and no more rounds than that: room that no game
        # exceeds; what is not written to costs nothing
        log = _columns(games * min(most, (known.shapes + 1) * (players + 1)) if logged else 0)
        results = Results(
            np.empty(games, np.int32), np.empty(games, np.int32), np.empty((games, players, 2), np.int32)
        )
        rows = play_all(
            begin,
            _copied(begin),
            known,
            room(known),
            np.array(codes, np.int64).reshape(len(seatings), players),
            self.settings(seatings).reshape(len(seatings), players, -1),
            np.uint64(seed),
            np.array(blocks, np.uint64),
            np.uint64(first),
            most,
            log,
            logged,
            results,
        )
        return results, _first(log, rows)

    def pack(self, state: State) -> Position:
        return position_of(state, self.ruleset, self._tables)

    def unpack(self, packed: Position) -> BlokusDiceState:
        return state_of(packed, self.ruleset, self._tables)

    def actions(self, packed: Position) -> Ints:
        known, turn = self._tables, packed.turn
        if turn[DUE] == turn[ENDS]:
            return np.empty(0, np.int32)
        if turn[ROLL] < 0:
            rolls = self.ruleset.rolls[int(turn[ENDS])]
            return np.arange(rolls.start, rolls.stop, dtype=np.int32)
        seat = int(packed.order[turn[DUE]])
        fitting = np.empty(known.words, np.uint32)
        fit(packed, seat, fitting)
        faces = [left(packed, known, die) for die in range(DICE_MOST)]
        can_strike = packed.boards[seat, STRIKES] < known.strikes
        found = [
            first_number(packed, known, seat, face, struck)
            + known.number[np.flatnonzero(unpacked(fitting & known.offered[ANY if struck else face]))]
            for face in faces
            if face >= 0
            for struck in range(1 + can_strike)
        ]
        legal = np.concatenate(found).astype(np.int32)
        return legal if len(legal) else np.array([known.out], np.int32)

    def played(self, packed: Position, action: int) -> Position:
        known = self._tables
        after = _copied(packed)
        if after.turn[ROLL] < 0:
            after.turn[ROLL] = action
        elif action == known.out:
            leave(after, known)
        else:
            block, placement = divmod(int(action) - known.out - 1, known.placements)
            face, struck = divmod(block // len(COLOURS), 2)
            place(after, known, face, struck, int(known.spot[placement]))
        return after


def _copied(position: Position) -> Position:
    return Position._make(array.copy() for array in position)


def _columns(rows: int) -> Columns:
    return Columns(
        np.empty(rows, np.uint16),
        np.empty(rows, np.int8),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
    )


def _first(log: Columns, rows: int) -> Columns:
    return Columns._make(column[:rows] for column in log)


KERNEL = BlokusDiceKernel
