"""Blokus Dice compiled: whole batches of games, and the strategies that are compiled with them.

What a seat may draw is a set of placements, a plane of words (`kernel_tables.py` tells their order). A drawn shape
changes a plane only in a window round it, and a window depends on the orientation alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.games.blokus_dice.kernel_position import (
    ANY,
    DICE_MOST,
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
    scratch,
    state_of,
)
from engine.games.blokus_dice.kernel_rules import (
    count,
    first_number,
    fit,
    held,
    leave,
    left,
    place,
    rolled,
)
from engine.games.blokus_dice.kernel_tables import BITS, DEPTH, LONGEST, STEP, VIEW, tables, unpacked
from engine.games.blokus_dice.kernel_vectors import (
    add,
    compiled,
    copy,
    inlined,
    lowest,
    meeting,
    nth,
    ones,
    take_away,
)
from engine.games.blokus_dice.ruleset import COLOURS
from engine.kernel import Batch, Kernel, Log
from engine.kernel_luck import below, key, word
from engine.luck import STRATEGY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game import State
    from engine.games.blokus_dice.rules import BlokusDiceState
    from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
    from engine.kernel import Ints
    from engine.strategies import Player

RANDOM = Kernel.strategies.index("random")
"""Code of a strategy: its place in `Kernel.strategies`; the other is greedy."""


# Strategies ----------------------------------------------------------------------------------------------------------


@inlined
def any_placement(position, tables, scratch, options, bits):
    """Return face, strike and spot of a placement, each legal one equally likely; spot -1 if there is none."""
    index = np.int64(below(bits, np.uint64(options)))
    counts = scratch.counts
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face < 0:
            continue
        if index < counts[face]:
            return face, 0, nth(scratch.fitting, tables.offered[face], index)
        index -= counts[face]
        if index < counts[ANY]:
            return face, 1, nth(scratch.fitting, tables.offered[ANY], index)
        index -= counts[ANY]
    return 0, 0, -1


@inlined
def best_placement(position, tables, scratch, seat, bits):
    """Return face, strike and spot of one of the best placements in the eyes of greedy; spot -1 if there is none."""
    find_points(position, tables, seat, scratch.points)
    masks = scratch.masks
    for k in range(DEPTH):
        take_away(masks[k], 0, masks[k])
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face >= 0:
            for k in range(DEPTH):
                add(masks[k], 0, tables.offers[face, k])
    struck = 0
    if not find_largest(tables, scratch, masks) and position.boards[seat, STRIKES] < tables.strikes:
        struck = 1
        find_largest(tables, scratch, tables.offers[ANY])
    find_best(tables, scratch, struck)
    total = 0
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face >= 0:
            total += scratch.tied[ANY if struck else face]
    index = np.int64(below(bits, np.uint64(total)))
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face < 0:
            continue
        row = ANY if struck else face
        if index < scratch.tied[row]:
            return face, struck, np.int64(scratch.ties[row, index])
        index -= scratch.tied[row]
    return 0, 0, -1


@inlined
def find_points(position, tables, seat, points):
    """Find the squares that count as corner points: not drawn, and not beside the colour held."""
    filled = position.filled[seat]
    own = filled[held(position, seat)]
    side = tables.side
    for x in range(side):
        spoilt = np.int64(own[x]) << 1 | np.int64(own[x]) >> 1
        if x > 0:
            spoilt |= np.int64(own[x - 1])
        if x < side - 1:
            spoilt |= np.int64(own[x + 1])
        for colour in range(len(COLOURS)):
            spoilt |= np.int64(filled[colour, x])
        points[x + 1] = (~spoilt & (1 << side) - 1) << 1


@inlined
def find_largest(tables, scratch, masks):
    """Find the words that have placements of the largest size that fits; say whether there are any."""
    busy, wanted = scratch.busy, scratch.wanted
    for size in range(LONGEST, 0, -1):
        copy(masks, wanted)
        for k in range(DEPTH):
            take_away(wanted[k], 0, tables.unsized[size, k])
        some = 0
        for step in range(len(busy)):
            busy[step] = meeting(scratch.fitting, STEP * step, wanted[step % DEPTH])
            some |= busy[step]
        if some:
            return True
    return False


@inlined
def find_best(tables, scratch, struck):
    """Find those placements of the largest size that have the most corner points, by row of the list."""
    tied, points = scratch.tied, scratch.points
    tied[:] = 0
    best = 0
    for step in range(len(scratch.busy)):
        busy = scratch.busy[step]
        while busy:
            i = np.int64(lowest(busy))
            busy &= busy - 1
            cell, k = divmod(STEP * step + i, DEPTH)
            y = cell // tables.stride
            x = cell - y * tables.stride - LONGEST
            around = 0  # the squares round these placements that count: as Tables.corners
            for column in range(VIEW):
                around |= (points[x + column] >> y & (1 << VIEW) - 1) << VIEW * column
            rest = np.uint32(scratch.fitting[STEP * step + i] & scratch.wanted[step % DEPTH, i])
            while rest:
                o = BITS * k + np.int64(lowest(rest))
                rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
                value = ones(around & tables.corners[o])
                if value < best:
                    continue
                if value > best:
                    best = value
                    tied[:] = 0
                row = ANY if struck else np.int64(tables.row[o])
                scratch.ties[row, tied[row]] = BITS * DEPTH * cell + o
                tied[row] += 1


# Games ---------------------------------------------------------------------------------------------------------------


@inlined
def play_out(position, tables, scratch, codes, seed, block, log, row, is_logged):
    """Play a position on to the end of the game, log it from a row on, and return the plies."""
    turn = position.turn
    first = row
    while turn[DUE] < turn[ENDS]:
        round_ = turn[ROUND]
        seat, options, score = -1, -1, 0
        if turn[ROLL] < 0:
            action = rolled(position, tables, seed, block)
            turn[ROLL] = action
        else:
            seat = position.order[turn[DUE]]
            fit(position, seat, scratch.fitting)
            # every seat decides once in a round: its draw has the index 0
            who = key(np.uint64(STRATEGY), np.uint64(seat + 1))
            bits = word(seed, block, who, np.uint64(round_), np.uint64(0))
            if is_logged or codes[seat] == RANDOM:
                options = count(position, tables, scratch, seat)
            if codes[seat] == RANDOM:
                face, struck, spot = any_placement(position, tables, scratch, options, bits)
            else:
                face, struck, spot = best_placement(position, tables, scratch, seat, bits)
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
def play_all(begin, position, tables, scratch, codes, seed, blocks, log, is_logged, results):
    """Play every seating, `codes` (seating, seat), in every block from a position on; return the plies."""
    seatings = len(codes)
    rows = 0
    for game in range(len(blocks) * seatings):
        copy(begin.planes, position.planes)
        copy(begin.filled, position.filled)
        copy(begin.boards, position.boards)
        copy(begin.turn, position.turn)
        copy(begin.order, position.order)
        copy(begin.takers, position.takers)
        copy(begin.gone, position.gone)
        block = blocks[game // seatings]
        mine = codes[game % seatings]
        plies = play_out(position, tables, scratch, mine, seed, block, log, rows, is_logged)
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

    def __init__(self, ruleset: BlokusDiceRuleset) -> None:
        """Prepare the arrays."""
        super().__init__(ruleset)
        self._tables = tables(ruleset)
        self._start = beginning(self._tables)

    def play(self, seatings: Sequence[Sequence[Player]], seed: int, blocks: range, *, logged: bool) -> Batch:
        return self._batch(self._start, seatings, seed, blocks, logged=logged)

    def play_on(
        self, state: State, seating: Sequence[Player], seed: int, blocks: range, *, logged: bool
    ) -> Batch:
        return self._batch(self.pack(state), [seating], seed, blocks, logged=logged)

    def _batch(
        self, begin: Position, seatings: Sequence[Sequence[Player]], seed: int, blocks: range, *, logged: bool
    ) -> Batch:
        known, players = self._tables, self.ruleset.players
        games = len(blocks) * len(seatings)
        codes = [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        # a seat has a ply for each of its shapes and one to drop out, and no more rounds than that: room that no game
        # exceeds; what is not written to costs nothing
        log = _columns(games * (known.shapes + 1) * (players + 1) if logged else 0)
        results = Results(
            np.empty(games, np.int32), np.empty(games, np.int32), np.empty((games, players, 2), np.int32)
        )
        rows = play_all(
            begin,
            _copied(begin),
            known,
            scratch(known),
            np.array(codes, np.int64).reshape(len(seatings), players),
            np.uint64(seed),
            np.array(blocks, np.uint64),
            log,
            logged,
            results,
        )
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
            Log(*_first(log, rows)) if logged else None,
        )

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
