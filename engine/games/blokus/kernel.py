"""Blokus compiled: random and greedy play, games and batches of games. The rules are in `kernel_rules`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numba as nb
import numpy as np

from engine.game import InvalidError
from engine.games.blokus import kernel_position, kernel_tables
from engine.games.blokus.kernel_position import COVERED, ENDED, HIGH, LOW, OUT, POINTS, ROUND, TURN, Position
from engine.games.blokus.kernel_rules import (
    BARE,
    INLINED,
    bits_in,
    copy,
    count,
    go_on,
    legal_big,
    legal_small,
    lowest,
    place,
    placement,
    score,
    seat_on_turn,
)
from engine.games.blokus.kernel_tables import BLOCK, NUMBER, SMALL, SQUARES, SUM_SQUARED, SUM_X, SUM_Y
from engine.games.blokus.rules import BlokusState, start
from engine.kernel import Batch, Kernel, Log
from engine.kernel_luck import below, key, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game import State
    from engine.games.blokus.kernel_position import Book
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.kernel import Ints
    from engine.strategies import Player

_U: Final = np.uint64
_1: Final = _U(1)

_CODES: Final = {"random": 0, "greedy": 1}
_RANDOM: Final = 0
_STRATEGY: Final = 1
"""Purpose of luck: the draws that a strategy makes for itself."""
_DRAWS_A_DECISION: Final = 1 << 16

_ORIENTATIONS: Final = 128
"""Spot x this + orientation: a placement as one number, ascending as actions are."""
_NOTHING: Final = -1
"""In place of a spot: the colour is out."""


@nb.njit(**INLINED)
def _look_round(position, layout, colour, desk):
    """Note the empty squares of the board that no piece of the colour touches, at an edge or a corner."""
    board = (_1 << _U(layout.side + 1)) - _U(2)
    for row in range(1, layout.side + 1):
        near = _U(0)
        for other in range(row - 1, row + 2):
            own = position.taken[colour, other]
            near |= own | own << _1 | own >> _1
        for other in range(layout.colours):
            near |= position.taken[other, row]
        desk.untouched[row] = board & ~near


@nb.njit(**INLINED)
def _seven_by_seven(desk, row, column):
    """Return the untouched squares of the 7 x 7 round a spot, as `Tables.corner_points` counts them."""
    bits = _U(0)
    for i in range(7):
        bits |= (desk.untouched[row + i] >> _U(column) & _U(0x7F)) << _U(7 * i)
    return bits


@nb.njit(**INLINED)
def _centre_distance(layout, tables, row, column, orientation):
    """Sum over the squares of four times the squared distance of their middles from the board's.

    With a = 2 column - side + 1 it is the sum of (a + 2 x)^2 = a^2 + 4 a x + 4 x^2, and the same upwards.
    """
    numbers = tables.orientations[orientation]
    across, up = 2 * column - layout.side + 1, 2 * row - layout.side + 1
    mixed = across * numbers[SUM_X] + up * numbers[SUM_Y] + numbers[SUM_SQUARED]
    return (across * across + up * up) * numbers[SQUARES] + 4 * mixed


@nb.njit(**BARE)
def _greedy(position, layout, tables, colour, desk):
    """Note the best placements in ascending order, and return how many: as `strategies.py` ranks them.

    Orientations with many corner points come first. A later piece touches one of its own at a corner (BK-4), so one of
    its corner points is taken; those that cannot reach the best count so far need not be looked at.
    """
    _look_round(position, layout, colour, desk)
    which, first, allowed = _largest(position, layout, tables, colour)
    spots = _gather(position, layout, colour, desk, which, allowed)
    spare = 1 if position.colours[colour, COVERED] > 0 else 0
    best = nearest = found = 0
    corners = len(tables.with_corners) - 1
    while corners >= 0 and (found == 0 or corners - spare >= best):
        group = tables.with_corners[corners, which] & allowed
        corners -= 1
        if group == 0:
            continue
        for n in range(spots):
            bits = desk.words[_U(n)] & group
            if bits == 0:
                continue
            spot = desk.spots[_U(n)]
            row, column = spot // layout.rows_apart, spot % layout.rows_apart
            near = _seven_by_seven(desk, row, column)
            while bits != 0:
                orientation = first + lowest(bits)
                bits &= bits - _1
                added = bits_in(near & tables.corner_points[_U(orientation)])
                if added < best:
                    continue
                distance = _centre_distance(layout, tables, row, column, orientation)
                if found == 0 or added > best or distance < nearest:
                    best, nearest, found = added, distance, 0
                elif distance > nearest:
                    continue
                found = _insert(desk.found, found, spot * _ORIENTATIONS + orientation)
    return found


@nb.njit(**INLINED)
def _gather(position, layout, colour, desk, which, allowed):
    """List the spots with a legal placement among those allowed, without a branch; return how many there are."""
    found = before = 0
    for block in range(position.colours[colour, LOW], position.colours[colour, HIGH]):
        if desk.counts[_U(block)] == before:
            continue
        before = desk.counts[_U(block)]
        for spot in range(_U(block * BLOCK), _U(block * BLOCK + BLOCK)):
            if which == 0:
                bits = legal_big(position, layout, colour, spot) & allowed
            else:
                bits = legal_small(position, layout, colour, spot) & allowed
            desk.words[_U(found)] = bits
            desk.spots[_U(found)] = spot
            found += bits != 0
    return found


@nb.njit(**INLINED)
def _insert(numbers, length, number):
    """Insert a number into an ascending list; return how long it is now."""
    at = length
    while at > 0 and numbers[at - 1] > number:
        numbers[at] = numbers[at - 1]
        at -= 1
    numbers[at] = number
    return length + 1


@nb.njit(**INLINED)
def _largest(position, layout, tables, colour):
    """Return the word of the largest pieces with a legal placement, its first orientation, and theirs in it.

    The big word is 0, the small one 1.
    """
    first, last = position.colours[colour, LOW] * BLOCK, position.colours[colour, HIGH] * BLOCK
    bits = _U(0)
    for spot in range(_U(first), _U(last)):
        bits |= legal_big(position, layout, colour, spot)
    if bits != 0:
        return 0, SMALL, bits
    for spot in range(_U(first), _U(last)):
        bits |= legal_small(position, layout, colour, spot)
    size = 4
    while bits & tables.of_size[size] == 0:
        size -= 1
    return 1, 0, bits & tables.of_size[size]


@nb.njit(**INLINED)
def _decide(position, layout, tables, colour, desk, total, code, bits):
    """Return spot and orientation that a strategy chooses, by 32 random bits."""
    if code == _RANDOM:
        return placement(position, layout, colour, desk, np.int64(below(bits, _U(total))))
    found = _greedy(position, layout, tables, colour, desk)
    chosen = np.int64(below(bits, _U(found)))
    return desk.found[chosen] // _ORIENTATIONS, desk.found[chosen] % _ORIENTATIONS


@nb.njit(**INLINED)
def _action(layout, tables, colour, spot, orientation):
    if spot == _NOTHING:
        return layout.colours * layout.span + colour
    return colour * layout.span + spot * layout.orientations + tables.orientations[orientation, NUMBER]


@nb.njit(**INLINED)
def _game(position, layout, tables, codes, seed, block, desk, book, row, logged):
    """Play one game to its end and return the row after its last ply."""
    lap = -1
    while position.now[ENDED] == 0:
        colour = position.now[TURN]
        seat = seat_on_turn(position, layout, tables)
        now = position.now[ROUND]
        if now != lap:
            lap = now
            desk.decisions[:] = 0
        decision = desk.decisions[seat]
        desk.decisions[seat] += 1
        bits = word(seed, block, key(_U(_STRATEGY), _U(seat + 1)), _U(now), _U(decision * _DRAWS_A_DECISION))
        total = count(position, layout, colour, desk)
        spot = orientation = _NOTHING
        if total == 0:  # BK-6: who can place must place; only who cannot is out.
            position.colours[colour, OUT] = 1
        else:
            spot, orientation = _decide(position, layout, tables, colour, desk, total, codes[seat], bits)
            place(position, layout, tables, colour, spot, orientation)
        go_on(position, layout)
        if logged:
            book.round[row] = now
            book.seat[row] = seat
            book.action[row] = _action(layout, tables, colour, spot, orientation)
            book.options[row] = max(total, 1)
            book.score[row] = score(position, layout, tables, seat)
        row += 1
    return row


@nb.njit(cache=True, **BARE)
def _games(start, position, layout, tables, codes, seed, blocks, desk, book, logged):
    """Play every seating (a row of codes) in every block from one position; return the plies of all games."""
    row = game = 0
    for block in blocks:
        for seating in range(len(codes)):
            copy(start, position, layout)
            before = row
            row = _game(position, layout, tables, codes[seating], seed, block, desk, book, row, logged)
            book.rounds[game] = position.now[ROUND] + 1
            book.plies[game] = row - before
            for colour in range(layout.colours):
                book.left[game, colour] = layout.squares - position.colours[colour, COVERED]
                book.points[game, colour] = position.colours[colour, POINTS]
            game += 1
    return row


@nb.njit(cache=True, nogil=True)
def _actions(position, layout, tables, desk):
    """Return the legal actions of a position, ascending."""
    colour = position.now[TURN]
    if position.now[ENDED] != 0:
        return np.empty(0, np.int32)
    total = count(position, layout, colour, desk)
    if total == 0:
        return np.full(1, _action(layout, tables, colour, _NOTHING, _NOTHING), np.int32)
    found = np.empty(total, np.int32)
    for n in range(total):
        spot, orientation = placement(position, layout, colour, desk, n)
        found[n] = _action(layout, tables, colour, spot, orientation)
    return found


@nb.njit(cache=True, nogil=True)
def _play(position, layout, tables, spot, orientation):
    """Play one ply, an out where there is no spot.

    As in the plain rules what others lie on is taken from `attached` first, which whole games do without.
    """
    colour = position.now[TURN]
    if spot == _NOTHING:
        position.colours[colour, OUT] = 1
    else:
        attached = (1 + layout.colours + colour) * layout.plane
        for i in range(layout.plane):
            position.big[attached + i] &= position.big[i]
            position.small[attached + i] &= position.small[i]
        place(position, layout, tables, colour, spot, orientation)
    go_on(position, layout)


def _log(book: Book, plies: int) -> Log:
    """Return the plies that were written: views, and what lies behind them was never touched."""
    return Log(
        book.round[:plies], book.seat[:plies], book.action[:plies], book.options[:plies], book.score[:plies]
    )


class BlokusKernel(Kernel):
    """Blokus under one ruleset. Boards of up to 24 x 24 and every set of pieces fit."""

    ruleset: BlokusRuleset

    def __init__(self, ruleset: BlokusRuleset) -> None:
        super().__init__(ruleset)
        self._layout = kernel_tables.layout(ruleset)
        self._tables = kernel_tables.tables(ruleset)
        self._start = self.pack(start(ruleset))

    def play(self, seatings: Sequence[Sequence[Player]], seed: int, blocks: range, *, logged: bool) -> Batch:
        return self._batch(self._start, seatings, seed, blocks, logged=logged)

    def play_on(
        self, state: State, seating: Sequence[Player], seed: int, blocks: range, *, logged: bool
    ) -> Batch:
        return self._batch(self.pack(state), [seating], seed, blocks, logged=logged)

    def _batch(
        self, first: Position, seatings: Sequence[Sequence[Player]], seed: int, blocks: range, *, logged: bool
    ) -> Batch:
        layout = self._layout
        codes = np.array(
            [[_CODES[player.strategy.name] for player in seating] for seating in seatings], np.int64
        ).reshape(len(seatings), layout.players)
        book = kernel_position.book(layout, len(seatings) * len(blocks), logged=logged)
        room, desk = kernel_position.room(layout), kernel_position.desk(layout)
        numbers = np.array(blocks, dtype=np.uint64)
        plies = _games(first, room, layout, self._tables, codes, _U(seed), numbers, desk, book, logged)
        return self._results(book, _log(book, plies) if logged else None)

    def _results(self, book: Book, log: Log | None) -> Batch:
        """BK-8, BK-9: add the colours up by seats. BK-11: the ranks."""
        games, players = len(book.plies), self._layout.players
        counts = np.zeros((games, players, 2), np.int32)
        points = np.zeros((games, players, 2), np.int32)
        done = book.left == 0
        for seat, colours in enumerate(self.ruleset.holdings):
            held = list(colours)
            counts[:, seat, 0] = book.left[:, held].sum(axis=1)
            counts[:, seat, 1] = done[:, held].sum(axis=1)
            points[:, seat, 1] = np.where(done, book.points, 0)[:, held].sum(axis=1)
        points[:, :, 0] = -counts[:, :, 0]
        scores = points.sum(axis=2, dtype=np.int32)
        ranks = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2, dtype=np.uint8)
        return Batch(book.rounds, book.plies, scores, ranks.astype(np.uint8), counts, points, log)

    def pack(self, state: State) -> Position:
        if not isinstance(state, BlokusState) or state.ruleset != self.ruleset:
            raise InvalidError(f"this is no position of {self.ruleset.name}")
        return kernel_position.packed(state, self._layout, self._tables)

    def unpack(self, packed: Position) -> BlokusState:
        return kernel_position.unpacked(packed, self.ruleset, self._layout, self._tables)

    def actions(self, packed: Position) -> Ints:
        found: Ints = _actions(packed, self._layout, self._tables, kernel_position.desk(self._layout))
        return found

    def played(self, packed: Position, action: int) -> Position:
        after = kernel_position.room(self._layout)
        copy(packed, after, self._layout)
        spot, orientation = self._placement(action)
        _play(after, self._layout, self._tables, spot, orientation)
        return after

    def _placement(self, action: int) -> tuple[int, int]:
        """Return spot and orientation of an action."""
        layout = self._layout
        if action >= layout.colours * layout.span:
            return _NOTHING, _NOTHING
        spot, number = divmod(action % layout.span, layout.orientations)
        return spot, int(self._tables.orientations[:, NUMBER].searchsorted(number))


KERNEL: Final = BlokusKernel
