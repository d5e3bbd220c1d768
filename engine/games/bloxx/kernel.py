"""BLOXX! compiled: strategies, and whole batches of games by clauses BX-1 to BX-17.

The rules are in `kernel_rules`; the words of its functions hold here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.game import InvalidError
from engine.games.bloxx.kernel_lanes import count, in_row, lane, lowest, occupied, size
from engine.games.bloxx.kernel_position import (
    CLOSED,
    ENDED,
    FACE_A,
    GAPS,
    NUMBER_POINTS,
    NUMBERS,
    ROUND,
    ROW_POINTS,
    ROWS,
    SEAT,
    TAKEN,
    Position,
    columns_of,
    opening,
    packed,
    results_of,
    unpacked,
)
from engine.games.bloxx.kernel_rules import (
    action_at,
    compiled,
    legal,
    places,
    play_ply,
    row_points,
    score,
    ways,
)
from engine.games.bloxx.kernel_tables import tables_of
from engine.games.bloxx.rules import BloxxState
from engine.kernel import Batch, Kernel, Log
from engine.kernel_luck import below, key, word
from engine.luck import DICE, STRATEGY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game import State
    from engine.games.bloxx.ruleset import BloxxRuleset
    from engine.kernel import Ints
    from engine.strategies import Player

RANDOM: Final = 0
"""Place of a strategy among those that the kernel plays; greedy is the other."""
GAP_COST: Final = 2
"""What a gap costs in the eyes of greedy."""
FINER: Final = 1 << 16
"""Greedy's points count in units of this, so that row numbers settle ties: no shape's add up to as much."""
LEAST: Final = -(1 << 62)
GAMES_A_PIECE: Final = 4096
"""A log is kept in pieces with room for about this many games."""

# Strategies ----------------------------------------------------------------------------------------------------------
# Each returns an action and the number of legal ones, given 32 random bits. The order of actions is that of the rules:
# die, orientation, row, column, place of the circle.


@compiled
def at_random(at, tables, counts, bits):
    """Every legal action is equally likely. `counts` has room for the orientations of two faces."""
    turn = at.turn
    seat = turn[SEAT]
    total = 0
    n = 0
    for die in range(2):
        face = turn[FACE_A + die]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            counts[n] = size(places(at, tables, seat, o)) * ways(tables, o, die == turn[TAKEN])
            total += counts[n]
            n += 1
    if total == 0:
        return tables.forfeit, 1
    left = np.int64(below(bits, np.uint64(total)))
    n = 0
    for die in range(2):
        face = turn[FACE_A + die]
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            if left < counts[n]:
                crossed = die == turn[TAKEN]
                many = ways(tables, o, crossed)
                square = nth(places(at, tables, seat, o), left // many, tables.columns)
                return action_at(tables, o, square, left % many, crossed), total
            left -= counts[n]
            n += 1
    return tables.forfeit, 1  # never reached: the counts add up to the total


@compiled
def nth(lanes, n, width):
    """Return the n-th square of some lanes, from 0, row by row."""
    row = 0
    columns = in_row(lanes, row)
    while n >= count(columns):
        n -= count(columns)
        row += 1
        columns = in_row(lanes, row)
    for _ in range(n):
        columns &= columns - 1
    return lowest(columns) + width * row


@compiled
def greedily(at, tables, ties, left, bits):
    """Most of circled number + row points - 2 for each new gap; ties by the lowest squares, then by luck.

    `ties` has room for all legal actions, `left` for a number for each column and one more.
    """
    turn = at.turn
    seat = turn[SEAT]
    ending = almost_complete(at, tables, seat)
    sum_heights(at, tables, seat, left)
    best = LEAST
    total = 0
    tied = 0
    for die in range(2):
        face = turn[FACE_A + die]
        crossed = die == turn[TAKEN]
        largest = 0 if crossed else FINER * tables.largest
        for o in range(tables.of_face[die, face], tables.of_face[die, face + 1]):
            lanes = places(at, tables, seat, o)
            many = ways(tables, o, crossed)
            total += size(lanes) * many
            columns = occupied(lanes)
            # column before row is no other order of ties: those of one orientation lie in one row
            while columns:
                x = lowest(columns)
                columns &= columns - 1
                rows = lane(lanes, x)
                while rows:
                    y = lowest(rows)
                    rows &= rows - 1
                    worth = value(at, tables, seat, o, x, y, left, ending)
                    if worth + largest < best:
                        continue
                    square = x + tables.columns * y
                    for mark in range(many):
                        circled = worth
                        if not crossed:  # BX-12
                            circled += FINER * np.int64(tables.number[square + tables.mark_square[o, mark]])
                        if circled < best:
                            continue
                        if circled > best:
                            best = circled
                            tied = 0
                        ties[tied] = action_at(tables, o, square, mark, crossed)
                        tied += 1
    if total == 0:
        return tables.forfeit, 1
    return ties[below(bits, np.uint64(tied))], total


@compiled
def almost_complete(at, tables, seat):
    """Return the set of coloured rows that one placement may complete."""
    ending = 0
    for row in range(tables.rows):
        if tables.coloured[row] >= 0 and 0 < count(at.missing[seat, row]) <= tables.bottom.shape[1]:
            ending |= 1 << row
    return ending


@compiled
def sum_heights(at, tables, seat, left):
    """Set left[c] to the sum of the heights of the columns left of c."""
    left[0] = 0
    for c in range(tables.columns):
        left[c + 1] = left[c] + at.heights[seat, c]


@compiled
def value(at, tables, seat, o, x, y, left, ending):
    """Return what an orientation is worth to greedy without its circle, and at equal worth more if it lies lower."""
    width = np.int64(tables.width[o])
    gaps = tables.hollow[o] + width * y - (left[x + width] - left[x])
    points = 0
    rows = ending >> y & (1 << tables.height[o]) - 1
    while rows:
        r = lowest(rows)
        rows &= rows - 1
        if at.missing[seat, y + r] & ~(np.int64(tables.across[o, r]) << x) == 0:
            points += row_points(at, tables, tables.coloured[y + r])
    return FINER * (points - GAP_COST * gaps) - (tables.low[o, 0] + y * tables.low[o, 1])


# Games ---------------------------------------------------------------------------------------------------------------


@compiled
def copy(start, at):
    """Set a position to another."""
    for i in range(len(start.turn)):
        at.turn[i] = start.turn[i]
    for i in range(len(start.first)):
        at.first[i] = start.first[i]
    copy_rows(start.completed, at.completed)
    copy_rows(start.tally, at.tally)
    copy_rows(start.heights, at.heights)
    copy_rows(start.under, at.under)
    copy_rows(start.beside, at.beside)
    copy_rows(start.missing, at.missing)
    copy_rows(start.circles, at.circles)


@compiled
def copy_rows(start, at):
    """Set an array of two dimensions to another."""
    for i in range(start.shape[0]):
        for j in range(start.shape[1]):
            at[i, j] = start[i, j]


@compiled
def roll(at, tables, seed, block):
    """BX-2: two dice, every face equally likely."""
    round_ = np.uint64(at.turn[ROUND])
    chance = key(np.uint64(DICE), np.uint64(0))
    a = word(seed, block, chance, round_, np.uint64(0))
    b = word(seed, block, chance, round_, np.uint64(1))
    face_a = np.int64(below(a, np.uint64(tables.faces[0])))
    return face_a * tables.faces[1] + np.int64(below(b, np.uint64(tables.faces[1])))


@compiled
def play_games(tables, start, at, scratch, left, codes, seed, blocks, game, log, logged, results):
    """Play games from number `game` on until all are played or the log might not hold another.

    codes (seating, seat): RANDOM, or else greedy. Returns the next game to play and the number of plies logged.
    """
    seatings = len(codes)
    used = 0
    while game < seatings * len(blocks):
        if logged and len(log.action) - used < tables.longest:
            break
        block = blocks[game // seatings]
        code = codes[game % seatings]
        copy(start, at)
        plies = 0
        while not at.turn[ENDED]:
            round_ = at.turn[ROUND]
            seat = at.turn[SEAT]
            if at.turn[FACE_A] < 0:
                seat = -1
                action, options = roll(at, tables, seed, block), -1
            else:
                # one decision a seat and round, and at the most one draw in it: the index is always 0
                own = key(np.uint64(STRATEGY), np.uint64(seat + 1))
                bits = word(seed, block, own, np.uint64(round_), np.uint64(0))
                if code[seat] == RANDOM:
                    action, options = at_random(at, tables, scratch, bits)
                else:
                    action, options = greedily(at, tables, scratch, left, bits)
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
        finish(at, tables, results, game, plies)
        game += 1
    return game, used


@compiled
def finish(at, tables, results, game, plies):
    """Keep how a game ended. BX-17: the highest score wins."""
    results.rounds[game] = at.turn[ROUND] + 1
    results.plies[game] = plies
    for seat in range(tables.players):
        tally = at.tally[seat]
        blanks = tables.squares - tally[CLOSED]
        counts, points = results.counts[game, seat], results.points[game, seat]
        counts[0], points[0] = tally[ROWS], tally[ROW_POINTS]
        counts[1], points[1] = tally[NUMBERS], tally[NUMBER_POINTS]
        counts[2], points[2] = tally[GAPS], -tables.gap_penalty * tally[GAPS]
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

    def __init__(self, ruleset: BloxxRuleset) -> None:
        super().__init__(ruleset)
        self.rules = ruleset
        self.tables = tables_of(ruleset)
        self.most = ruleset.forfeit + 1 + len(self.tables.placed)
        """Actions that there are: more are never legal at once."""

    def play(self, seatings: Sequence[Sequence[Player]], seed: int, blocks: range, *, logged: bool) -> Batch:
        return self._play(opening(self.tables), seatings, seed, blocks, logged=logged)

    def play_on(
        self, state: State, seating: Sequence[Player], seed: int, blocks: range, *, logged: bool
    ) -> Batch:
        return self._play(self.pack(state), [seating], seed, blocks, logged=logged)

    def _play(
        self,
        start: Position,
        seatings: Sequence[Sequence[Player]],
        seed: int,
        blocks: range,
        *,
        logged: bool,
    ) -> Batch:
        codes = [[self.strategies.index(player.strategy.name) for player in seating] for seating in seatings]
        games = len(seatings) * len(blocks)
        results = results_of(games, self.tables.players)
        at = opening(self.tables)
        scratch = np.empty(self.most, np.int64)
        left = np.empty(self.tables.columns + 1, np.int64)
        keys = np.array(codes, np.int64), np.uint64(seed), np.array(blocks, np.uint64)
        room = min(games, GAMES_A_PIECE) * self.tables.longest // 2 + self.tables.longest if logged else 0
        pieces = [list(columns_of(0))]
        game = 0
        while game < games:
            piece = columns_of(room)
            game, used = play_games(
                self.tables, start, at, scratch, left, *keys, game, piece, logged, results
            )
            pieces.append([column[:used] for column in piece])
        log = Log(*map(np.concatenate, zip(*pieces, strict=True))) if logged else None
        return Batch(*results, log)

    def pack(self, state: State) -> Position:
        if not isinstance(state, BloxxState) or state.ruleset != self.rules:
            raise InvalidError(f"this is no position of {self.rules.name}")
        return packed(state, self.tables)

    def unpack(self, packed: Position) -> BloxxState:
        return unpacked(packed, self.rules)

    def actions(self, packed: Position) -> Ints:
        found = np.empty(self.most, np.int64)
        return found[: legal(packed, self.tables, found)].astype(np.int32)

    def played(self, packed: Position, action: int) -> Position:
        after = Position(*(array.copy() for array in packed))
        play_ply(after, self.tables, action)
        return after


KERNEL = BloxxKernel
