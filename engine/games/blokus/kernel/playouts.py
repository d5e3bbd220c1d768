"""Blokus compiled: games that a strategy only imagines, played to their end by a fast policy, and what their ends are worth.

The policy places a piece of the largest size that can be placed. With a set chance it contests: if one of these
placements covers a corner point that the last placement of a foe has opened, it takes one of those, the latest foe first.
Among the placements that remain each is equally likely.
"""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np

from engine.games.blokus.kernel.policies import ORIENTATIONS
from engine.games.blokus.kernel.position import ENDED, HIGH, LOW, OUT, ROUND, TURN
from engine.games.blokus.kernel.rules import (
    BARE,
    INLINED,
    bits_in,
    go_on,
    legal_big,
    legal_small,
    nth,
    place,
    score,
    seat_on_turn,
)
from engine.games.blokus.kernel.tables import BLOCK, CORNERS, FIRST, LAST, REACH, ROWS, SMALL, WIDE
from engine.kernels.luck import below, key, word

_U: Final = np.uint64
_STRATEGY: Final = 1
NOTHING: Final = -1
"""In place of a placement."""
_COIN: Final = 256
"""Steps of a chance: the lowest bits of a word of luck, of which the highest choose."""
_LEAD: Final = 20.0
"""Points of lead that are worth half of what the largest lead is."""


@nb.njit(**INLINED)
def _contested_big(position, layout, tables, colour, desk, last, bits):
    """Return a legal placement of five squares that covers a corner point opened by a placement, or NOTHING."""
    spot, orientation = last // ORIENTATIONS, last % ORIENTATIONS
    attached = _U((1 + layout.colours + colour) * layout.plane)
    unplaced = position.unplaced[colour, 0]
    corner = layout.origin - REACH * layout.rows_apart - REACH + spot
    first, end = tables.orientations[orientation, FIRST], tables.orientations[orientation, LAST]
    total = 0
    for row in range(first, end):
        here = _U(corner + row * layout.rows_apart)
        corners = _U(((orientation * ROWS + row) * 3 + CORNERS) * WIDE)
        for i in range(_U(WIDE)):
            total += bits_in(
                position.big[here + i]
                & position.big[attached + here + i]
                & tables.big[corners + i]
                & unplaced
            )
        desk.rows[row] = total
    if total == 0:
        return NOTHING
    n = np.int64(below(bits, _U(total)))
    row = first
    while desk.rows[row] <= n:
        row += 1
    if row > first:
        n -= desk.rows[row - 1]
    here = _U(corner + row * layout.rows_apart)
    corners = _U(((orientation * ROWS + row) * 3 + CORNERS) * WIDE)
    at = _U(0)
    while True:
        found = (
            position.big[here + at] & position.big[attached + here + at] & tables.big[corners + at] & unplaced
        )
        ones = bits_in(found)
        if n < ones:
            return (np.int64(here + at) - layout.origin) * ORIENTATIONS + SMALL + nth(found, n)
        n -= ones
        at += _U(1)


@nb.njit(**INLINED)
def _any_big(position, layout, colour, desk, bits):
    """Return a legal placement of five squares, or NOTHING."""
    big, unplaced = position.big, position.unplaced[colour, 0]
    if unplaced == 0:
        return NOTHING
    attached = _U((1 + layout.colours + colour) * layout.plane)
    total = 0
    for block in range(position.colours[colour, LOW], position.colours[colour, HIGH]):
        first = _U(layout.origin + block * BLOCK)
        ones = 0
        for i in range(_U(BLOCK)):
            ones += bits_in(big[first + i] & big[attached + first + i] & unplaced)
        total += ones
        desk.counts[_U(block)] = total
    if total == 0:
        return NOTHING
    n = np.int64(below(bits, _U(total)))
    block = position.colours[colour, LOW]
    before = 0
    while desk.counts[block] <= n:
        before = desk.counts[block]
        block += 1
    n -= before
    spot = block * BLOCK
    while True:
        found = legal_big(position, layout, colour, spot)
        ones = bits_in(found)
        if n < ones:
            return spot * ORIENTATIONS + SMALL + nth(found, n)
        n -= ones
        spot += 1


@nb.njit(**INLINED)
def _largest_small(position, layout, tables, colour, desk, bits):
    """Return a legal placement of the largest of the smaller pieces, or NOTHING."""
    if position.unplaced[colour, 1] == 0:
        return NOTHING
    spots, there = 0, _U(0)
    for spot in range(position.colours[colour, LOW] * BLOCK, position.colours[colour, HIGH] * BLOCK):
        found = legal_small(position, layout, colour, spot)
        there |= found
        desk.words[_U(spots)] = found
        desk.spots[_U(spots)] = spot
        spots += found != 0
    if there == 0:
        return NOTHING
    size = 4
    while there & tables.of_size[size] == 0:
        size -= 1
    wanted = tables.of_size[size]
    total = 0
    for i in range(spots):
        total += bits_in(desk.words[i] & wanted)
    n = np.int64(below(bits, _U(total)))
    for i in range(spots):
        found = desk.words[i] & wanted
        ones = bits_in(found)
        if n < ones:
            return desk.spots[i] * ORIENTATIONS + nth(found, n)
        n -= ones
    return NOTHING


@nb.njit(**INLINED)
def _chosen(position, layout, tables, desk, last, contest, bits):
    """Return the placement that the policy chooses for the colour on turn, or NOTHING."""
    colour = position.now[TURN]
    if np.int64(bits & _U(_COIN - 1)) < contest and position.unplaced[colour, 0] != 0:
        seat = seat_on_turn(position, layout, tables)
        for back in range(1, layout.colours):
            other = (colour - back) % layout.colours
            if last[other] < 0 or tables.owners[other] < 0 or tables.owners[other] == seat:
                continue
            code = _contested_big(position, layout, tables, colour, desk, last[other], bits)
            if code != NOTHING:
                return code
    code = _any_big(position, layout, colour, desk, bits)
    if code == NOTHING:
        code = _largest_small(position, layout, tables, colour, desk, bits)
    return code


@nb.njit(**BARE)
def finish(position, layout, tables, desk, study, contest, seed, block):
    """Play an imagined game to its end, in place. `study.last` and `study.stamps` are kept up to date.

    Luck: one word a ply, under the colour on turn instead of the seat, which may place two colours in a round.
    """
    while position.now[ENDED] == 0:
        colour = position.now[TURN]
        luck_key = key(_U(_STRATEGY), _U(colour + 1))
        bits = word(seed, block, luck_key, _U(position.now[ROUND]), _U(0))
        code = _chosen(position, layout, tables, desk, study.last, contest, bits)
        if code == NOTHING:
            position.colours[colour, OUT] = 1
        else:
            place(position, layout, tables, colour, code // ORIENTATIONS, code % ORIENTATIONS)
            study.last[colour] = code
            study.stamps[colour, code] = np.int32(block)
        go_on(position, layout)


@nb.njit(**INLINED)
def note_values(position, layout, tables, margin, values):
    """Note what the end of a game is worth to each seat, from 0 to 1.

    A share of the win (BK-11: equal scores share it), mixed with the lead over the mean of the other seats, which is
    pressed between 0 and 1; `margin` is its part in the mixture.
    """
    total, most, winners = 0, -(1 << 30), 0
    for seat in range(layout.players):
        points = score(position, layout, tables, seat)
        values[seat] = points
        total += points
        if points > most:
            most, winners = points, 0
        winners += points == most
    for seat in range(layout.players):
        points = values[seat]
        lead = (points - (total - points) / (layout.players - 1)) / _LEAD
        pressed = 0.5 + 0.5 * lead / (1.0 + abs(lead))
        share = 1.0 / winners if points == most else 0.0
        values[seat] = (1.0 - margin) * share + margin * pressed
