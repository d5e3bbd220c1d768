"""Spexxx compiled: the games of `rules.py`, eight of them side by side.

All games of a ruleset have equally many turns, so LANES games, the same seating under the luck of as many blocks, go
through them in step: a greedy seat's turn is solved in all of them at once (`kernel_lanes`), then each game plays it
by itself (`kernel_rules`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import numba as nb
import numpy as np

from engine.game import InvalidError
from engine.games.spexxx.dice import FIRST_THROW, HANDS, NUMBER_OF_DICE
from engine.games.spexxx.kernel_lanes import Solved, greedy, solve
from engine.games.spexxx.kernel_position import (
    BLOCKS,
    DISCARDS,
    LEFT,
    LINE_BONUS,
    LINE_POINTS,
    LINES,
    NOT_GREEDY,
    SCORE,
    TALLY,
    Plies,
    Position,
    copied,
    packed,
    table,
    unpacked,
)
from engine.games.spexxx.kernel_rules import (
    POTENTIAL,
    chosen,
    compiled,
    discard,
    inlined,
    kept,
    legal,
    opened,
    place,
    value_squares,
)
from engine.games.spexxx.kernel_tables import LANES, aligned, board
from engine.games.spexxx.rules import SpexxxState, start
from engine.games.spexxx.ruleset import DISCARD, FIRST_SQUARE, SpexxxRuleset
from engine.kernel import Batch, Kernel, Log
from engine.kernel_luck import below, key
from engine.luck import DICE, DRAWS_A_DECISION, STRATEGY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.game import State
    from engine.kernel import Ints
    from engine.strategies import Player

MOST_THROWS: Final = 4
"""Of a turn that is solved in 64 bits."""
AT_ONCE: Final = 2048
"""Games of one call of compiled code: bounds the room for a log."""

RANDOM, GREEDY = 0, 1
"""Codes of strategies: their places in `SpexxxKernel.strategies`."""

_u64 = np.uint64


class Turns(NamedTuple):
    """The turns to play and the luck of the dice in them."""

    rounds: NDArray[np.uint64]
    """(turns,)"""
    seats: NDArray[np.uint64]
    """(turns,)"""
    thrown: NDArray[np.uint16]
    """(LANES, throws, turns) Five faces from 0, each in three bits."""
    own: NDArray[np.uint32]
    """(LANES, decisions, turns) First word of a strategy's own luck; no decisions if nobody is in need of it."""


@nb.njit(cache=True, nogil=True, _nrt=False, inline="always")  # else it would not become vector instructions
def _four(seed, block, key_, round_, c0):
    """Return all four words of one counter: `kernel_luck.word` gives one of them."""
    mask = _u64(0xFFFF_FFFF)
    c1, c2, c3 = round_ & mask, key_ & mask, block & mask
    k0, k1 = seed & mask, seed >> _u64(32)
    for _ in range(10):
        p0 = _u64(0xD251_1F53) * c0
        p1 = _u64(0xCD9E_8D57) * c2
        c0 = (p1 >> _u64(32)) ^ c1 ^ k0
        c2 = (p0 >> _u64(32)) ^ c3 ^ k1
        c1, c3 = p1 & mask, p0 & mask
        k0, k1 = (k0 + _u64(0x9E37_79B9)) & mask, (k1 + _u64(0xBB67_AE85)) & mask
    return c0, c1, c2, c3


@compiled
def _deal(turns, seed, block, thrown, own):
    """Throw all dice of all turns of a block: die i of throw k has the index 8k + i, and bits 3i to 3i + 2."""
    six = _u64(6)
    for throw in range(thrown.shape[0]):
        for turn in range(turns.rounds.shape[0]):
            round_, open_ = turns.rounds[turn], key(_u64(DICE), turns.seats[turn] + _u64(1))
            a, b, c, d = _four(seed, block, open_, round_, _u64(2 * throw))
            e, _, _, _ = _four(seed, block, open_, round_, _u64(2 * throw + 1))
            faces = below(a, six) | below(b, six) << _u64(3) | below(c, six) << _u64(6)
            thrown[throw, turn] = faces | below(d, six) << _u64(9) | below(e, six) << _u64(12)
    for decision in range(own.shape[0]):
        for turn in range(turns.rounds.shape[0]):
            hidden = key(_u64(STRATEGY), turns.seats[turn] + _u64(1))
            first = _u64(decision * DRAWS_A_DECISION // 4)
            own[decision, turn] = _four(seed, block, hidden, turns.rounds[turn], first)[0]


@inlined
def _write(plies, row, round_, seat, action, options, score):
    plies.round[row] = round_
    plies.seat[row] = seat
    plies.action[row] = action
    plies.options[row] = options
    plies.score[row] = score


@inlined
def _take_turn(b, t, turns, turn, solved, lane, code, seed, block, throws, hand, log, row):
    """SP-2 to SP-4: play a turn to its end in one game, from a hand on the table; return the number of plies."""
    round_, seat, before = turns.rounds[turn], turns.seats[turn], row
    logged = log.round.shape[0] > 0
    decision = _u64(0)
    while True:
        if hand < FIRST_THROW:
            faces = turns.thrown[lane, throws, turn]
            for _ in range(NUMBER_OF_DICE - b.sizes[hand]):
                hand = _u64(b.plus[hand, faces & 7])
                faces >>= 3
            throws += 1
            if logged:
                _write(log, row, round_, -1, hand, -1, 0)
            row += 1
        keeps, squares = kept(b, hand, throws), opened(b, t, lane, hand)
        if code == GREEDY:
            luck = (seed, block, round_, decision)
            action = greedy(b, t, solved, lane, seat, hand, keeps, squares, b.throws - throws, luck)
        else:
            pick = below(_u64(turns.own[lane, decision, turn]), keeps + squares)
            action = chosen(b, t, lane, hand, keeps, pick)
        decision += _u64(1)
        number = np.int64(action)
        if action >= FIRST_SQUARE:
            square = action - _u64(FIRST_SQUARE)
            place(b, t, lane, seat, square)
            number = np.int64(FIRST_SQUARE + b.cells[square])
        elif action == DISCARD:
            discard(t, lane, seat)
        if logged:
            _write(log, row, round_, seat, number, max(keeps + squares, _u64(1)), t.tally[lane, seat, SCORE])
        row += 1
        if action >= DISCARD:
            return row - before
        hand = action


@compiled
def _set_up(t, start, lanes, potential, valued):
    """Set all lanes to a position."""
    for seat in range(potential.shape[0]):
        t.potential[seat] = potential[seat]
        if potential[seat] >= 0:
            for square in range(valued.shape[1]):
                for lane in range(lanes):
                    t.worth[seat, square * LANES + lane] = valued[seat, square]
    for lane in range(lanes):
        for spot in range(t.grid.shape[1]):
            t.grid[lane, spot] = start.grid[0, spot]
        for i in range(t.free.shape[1]):
            t.free[lane, i] = start.free[0, i]
        for seat in range(potential.shape[0]):
            for spot in range(t.grid.shape[1]):
                t.blocks[lane, seat, spot] = start.blocks[0, seat, spot]
            for column in range(TALLY):
                t.tally[lane, seat, column] = start.tally[0, seat, column]


@compiled
def _play(
    b,
    t,
    start,
    turns,
    solved,
    codes,
    potentials,
    throws,
    hand,
    seed,
    blocks,
    valued,
    tallies,
    counts,
    scratch,
    log,
):
    """Play every seating in every block from a position; return the rows of the log.

    `codes`, `potentials`: (seatings, seats). `blocks`: (blocks,). `valued`: (seatings, seats, squares), room for the
    values at the start. Filled in by game: `tallies`, (games, seats, TALLY), and `counts` of plies. `scratch` has room
    for the plies of seatings x LANES games, the same for each; nothing is logged if it has none.
    """
    seatings, rows = codes.shape[0], 0
    room = scratch.round.shape[0] // (seatings * LANES)
    for seating in range(seatings):
        value_squares(b, start, potentials[seating], valued[seating])
    for first in range(0, blocks.shape[0], LANES):
        lanes = min(LANES, blocks.shape[0] - first)
        for lane in range(lanes):
            _deal(turns, seed, blocks[first + lane], turns.thrown[lane], turns.own[lane])
        for seating in range(seatings):
            _set_up(t, start, lanes, potentials[seating], valued[seating])
            for turn in range(turns.rounds.shape[0]):
                code = codes[seating, turns.seats[turn]]
                if code == GREEDY:
                    solve(b, t.worth[turns.seats[turn]], solved)
                for lane in range(lanes):
                    game = lane * seatings + seating
                    made = first * seatings + game
                    counts[made] += _take_turn(
                        b, t, turns, turn, solved, _u64(lane), code, seed, blocks[first + lane],
                        0 if turn else throws, _u64(0) if turn else hand, scratch, game * room + counts[made],
                    )  # fmt: skip
            for lane in range(lanes):
                for seat in range(codes.shape[1]):
                    for column in range(TALLY):
                        tallies[(first + lane) * seatings + seating, seat, column] = t.tally[
                            lane, seat, column
                        ]
        if room:
            for game in range(lanes * seatings):
                rows = _append(log, rows, scratch, game * room, counts[first * seatings + game])
    return rows


@inlined
def _append(log, rows, scratch, first, count):
    """Copy the plies of a game to the end of a log; return the rows then."""
    for i in range(_u64(count)):
        log.round[_u64(rows) + i] = scratch.round[_u64(first) + i]
    for i in range(_u64(count)):
        log.seat[_u64(rows) + i] = scratch.seat[_u64(first) + i]
    for i in range(_u64(count)):
        log.action[_u64(rows) + i] = scratch.action[_u64(first) + i]
    for i in range(_u64(count)):
        log.options[_u64(rows) + i] = scratch.options[_u64(first) + i]
    for i in range(_u64(count)):
        log.score[_u64(rows) + i] = scratch.score[_u64(first) + i]
    return rows + count


class SpexxxKernel(Kernel):
    """Spexxx under one ruleset, compiled."""

    ruleset: SpexxxRuleset
    strategies: ClassVar[tuple[str, ...]] = ("random", "greedy")

    def __init__(self, ruleset: SpexxxRuleset) -> None:
        super().__init__(ruleset)
        if ruleset.options.throws > MOST_THROWS:
            raise InvalidError(
                f"{ruleset.name}: options.throws: compiled games have at most {MOST_THROWS} throws in a turn, "
                f"not {ruleset.options.throws}"
            )
        self._board = board(ruleset)

    def play(
        self, seatings: Sequence[Sequence[Player]], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._batch(start(self.ruleset), seatings, seed, blocks, logged=logged)

    def play_on(
        self, state: State, seating: Sequence[Player], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> Batch:
        return self._batch(state, [seating], seed, blocks, logged=logged)

    def _batch(
        self,
        state: State,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: Sequence[int],
        *,
        logged: bool,
    ) -> Batch:
        """Play AT_ONCE games a call, so that a log has room enough, and put them together."""
        position = self.pack(state)
        codes = np.array(
            [[self.strategies.index(one.strategy.name) for one in seating] for seating in seatings]
        )
        step = max(1, AT_ONCE // len(seatings) // LANES) * LANES
        some = [
            self._some(position, codes, seed, blocks[first : first + step], logged=logged)
            for first in range(0, max(1, len(blocks)), step)
        ]
        tallies, plies, logs = zip(*some, strict=True)
        log = Log(*map(np.concatenate, zip(*logs, strict=True))) if logged else None
        return self._results(position, np.concatenate(tallies), np.concatenate(plies), log)

    def _some(
        self, position: Position, codes: NDArray[np.int64], seed: int, blocks: Sequence[int], *, logged: bool
    ) -> tuple[Ints, Ints, list[NDArray[Any]]]:
        """Return tallies, numbers of plies and, if they are wanted, the columns of the log."""
        b, players, (round_, thrower, throws, dice, lying) = self._board, self.ruleset.players, position
        turn = thrower + np.arange(lying.tally[0, :, LEFT].sum())
        turns = Turns(
            (round_ + turn // players).astype(np.uint64),
            (turn % players).astype(np.uint64),
            np.zeros((LANES, b.throws, len(turn)), dtype=np.uint16),
            np.zeros((LANES, b.throws * bool((codes == RANDOM).any()), len(turn)), dtype=np.uint32),
        )
        solved = Solved(
            aligned((b.throws - 1, len(HANDS) * LANES), np.int64),
            aligned((int(b.raising.max()) + LANES,), np.int64),
        )
        games, most = len(blocks) * len(codes), 2 * b.throws * len(turn) * logged
        tallies, counts = np.zeros((games, players, TALLY), dtype=np.int32), np.zeros(games, dtype=np.int32)
        scratch, log = Plies.room(len(codes) * LANES * most), Plies.room(games * most)
        rows = _play(
            b, table(b, players, LANES, valued=True), lying, turns, solved,
            codes, np.where(codes == GREEDY, POTENTIAL, NOT_GREEDY).astype(np.int32),
            throws, np.uint64(dice), np.uint64(seed), np.array(blocks, dtype=np.uint64),
            np.zeros((*codes.shape, len(b.cells)), dtype=np.int32), tallies, counts, scratch, log,
        )  # fmt: skip
        return tallies, counts, [column[:rows] for column in log]

    def _results(self, position: Position, tallies: Ints, plies: Ints, log: Log | None) -> Batch:
        options, scores = self.ruleset.options, tallies[:, :, SCORE]
        left = int(position.table.tally[0, :, LEFT].sum())
        last = (
            position.round + (position.thrower + left - 1) // self.ruleset.players if left else position.round
        )
        counts = tallies[:, :, [LINES, LINE_BONUS, BLOCKS, DISCARDS]]
        points = tallies[:, :, [LINE_POINTS, LINE_BONUS, BLOCKS, DISCARDS]]
        return Batch(
            np.full(len(plies), last + 1, dtype=np.int32),
            plies,
            scores,
            (1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)).astype(np.uint8),
            counts,
            points * np.array([1, options.line_bonus, options.block_bonus, 0], dtype=np.int32),
            log,
        )

    def pack(self, state: State) -> Position:
        if not isinstance(state, SpexxxState):
            raise TypeError(f"no position of Spexxx: {state!r}")
        return packed(self._board, state)

    def unpack(self, packed: Position) -> SpexxxState:
        return unpacked(self._board, self.ruleset, packed)

    def actions(self, packed: Position) -> Ints:
        b, hand = self._board, packed.dice
        if packed.is_over:
            return np.zeros(0, dtype=np.int32)
        if hand < FIRST_THROW:
            outcomes = np.array([hand])
            while outcomes[0] < FIRST_THROW:
                outcomes = np.unique(b.plus[outcomes])
            return outcomes.astype(np.int32)
        found = np.zeros(b.keeps.shape[1] + len(b.cells), dtype=np.int32)
        return found[: legal(b, packed.table, np.uint64(hand), packed.throws, found)]

    def played(self, packed: Position, action: int) -> Position:
        round_, thrower, throws, _, before = packed
        if packed.dice < FIRST_THROW:
            return packed._replace(throws=throws + 1, dice=action)
        if action < FIRST_THROW:
            return packed._replace(dice=action)
        after = copied(before)
        if action == DISCARD:
            discard(after, np.uint64(0), np.uint64(thrower))
        else:
            square = np.searchsorted(self._board.cells, action - FIRST_SQUARE)
            place(self._board, after, np.uint64(0), np.uint64(thrower), np.uint64(square))
        following = (thrower + 1) % self.ruleset.players
        over = not after.tally[0, following, LEFT]
        return Position(round_ + (following == 0 and not over), following, 0, 0, after)


KERNEL = SpexxxKernel
