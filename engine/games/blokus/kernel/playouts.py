"""Blokus compiled: games that a strategy only imagines, played to their end by a fast policy, and what their ends are worth.

The policy places a piece of the largest size that can be placed. With a set chance it contests: if one of these
placements covers a corner point that the last placement of a foe has opened, it takes one of those, the latest foe first.
Among the placements that remain each is equally likely.
"""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np

from engine.games.blokus.kernel.policies import SPOT_STRIDE
from engine.games.blokus.kernel.position import (
    COLOUR_END_BLOCK,
    COLOUR_FIRST_BLOCK,
    COLOUR_IS_OUT,
    TURN_COLOUR,
    TURN_IS_OVER,
    TURN_ROUND,
)
from engine.games.blokus.kernel.rules import (
    JIT_INLINED,
    JIT_OPTIONS,
    advance_turn,
    count_bits,
    legal_big,
    legal_small,
    nth_bit,
    place_piece,
    score,
    seat_on_turn,
)
from engine.games.blokus.kernel.tables import (
    BLOCK_SPOTS,
    ORIENTATION_END_ROW,
    ORIENTATION_FIRST_ROW,
    SMALL_ORIENTATIONS,
    WINDOW_CORNERS,
    WINDOW_REACH,
    WINDOW_ROWS,
    WINDOW_WORDS,
)
from engine.kernels.luck import counter_key, number_below, random_word

_u64: Final = np.uint64
_PURPOSE_STRATEGY: Final = 1
NO_PLACEMENT: Final = -1
"""In place of a placement."""
_CONTEST_STEPS: Final = 256
"""Steps of a chance: the lowest bits of a word of luck, of which the highest choose."""
_HALF_WORTH_LEAD_POINTS: Final = 20.0
"""Points of lead that are worth half of what the largest lead is."""


@nb.njit(**JIT_INLINED)
def _choose_contested_big(position, layout, tables, colour, desk, last, bits):
    """Return a legal placement of five squares that covers a corner point opened by a placement, or NOTHING."""
    spot, orientation = last // SPOT_STRIDE, last % SPOT_STRIDE
    attached = _u64((1 + layout.colours + colour) * layout.plane)
    unplaced = position.unplaced[colour, 0]
    corner = layout.origin - WINDOW_REACH * layout.rows_apart - WINDOW_REACH + spot
    first, end = (
        tables.orientations[orientation, ORIENTATION_FIRST_ROW],
        tables.orientations[orientation, ORIENTATION_END_ROW],
    )
    total = 0
    for row in range(first, end):
        here = _u64(corner + row * layout.rows_apart)
        corners = _u64(((orientation * WINDOW_ROWS + row) * 3 + WINDOW_CORNERS) * WINDOW_WORDS)
        for i in range(_u64(WINDOW_WORDS)):
            total += count_bits(
                position.big[here + i]
                & position.big[attached + here + i]
                & tables.big[corners + i]
                & unplaced
            )
        desk.rows[row] = total
    if total == 0:
        return NO_PLACEMENT
    n = np.int64(number_below(bits, _u64(total)))
    row = first
    while desk.rows[row] <= n:
        row += 1
    if row > first:
        n -= desk.rows[row - 1]
    here = _u64(corner + row * layout.rows_apart)
    corners = _u64(((orientation * WINDOW_ROWS + row) * 3 + WINDOW_CORNERS) * WINDOW_WORDS)
    at = _u64(0)
    while True:
        found = (
            position.big[here + at] & position.big[attached + here + at] & tables.big[corners + at] & unplaced
        )
        ones = count_bits(found)
        if n < ones:
            return (
                (np.int64(here + at) - layout.origin) * SPOT_STRIDE + SMALL_ORIENTATIONS + nth_bit(found, n)
            )
        n -= ones
        at += _u64(1)


@nb.njit(**JIT_INLINED)
def _choose_any_big(position, layout, colour, desk, bits):
    """Return a legal placement of five squares, or NOTHING."""
    big, unplaced = position.big, position.unplaced[colour, 0]
    if unplaced == 0:
        return NO_PLACEMENT
    attached = _u64((1 + layout.colours + colour) * layout.plane)
    total = 0
    for block in range(
        position.colours[colour, COLOUR_FIRST_BLOCK], position.colours[colour, COLOUR_END_BLOCK]
    ):
        first = _u64(layout.origin + block * BLOCK_SPOTS)
        ones = 0
        for i in range(_u64(BLOCK_SPOTS)):
            ones += count_bits(big[first + i] & big[attached + first + i] & unplaced)
        total += ones
        desk.counts[_u64(block)] = total
    if total == 0:
        return NO_PLACEMENT
    n = np.int64(number_below(bits, _u64(total)))
    block = position.colours[colour, COLOUR_FIRST_BLOCK]
    before = 0
    while desk.counts[block] <= n:
        before = desk.counts[block]
        block += 1
    n -= before
    spot = block * BLOCK_SPOTS
    while True:
        found = legal_big(position, layout, colour, spot)
        ones = count_bits(found)
        if n < ones:
            return spot * SPOT_STRIDE + SMALL_ORIENTATIONS + nth_bit(found, n)
        n -= ones
        spot += 1


@nb.njit(**JIT_INLINED)
def _choose_largest_small(position, layout, tables, colour, desk, bits):
    """Return a legal placement of the largest of the smaller pieces, or NOTHING."""
    if position.unplaced[colour, 1] == 0:
        return NO_PLACEMENT
    spots, there = 0, _u64(0)
    for spot in range(
        position.colours[colour, COLOUR_FIRST_BLOCK] * BLOCK_SPOTS,
        position.colours[colour, COLOUR_END_BLOCK] * BLOCK_SPOTS,
    ):
        found = legal_small(position, layout, colour, spot)
        there |= found
        desk.words[_u64(spots)] = found
        desk.spots[_u64(spots)] = spot
        spots += found != 0
    if there == 0:
        return NO_PLACEMENT
    size = 4
    while there & tables.of_size[size] == 0:
        size -= 1
    wanted = tables.of_size[size]
    total = 0
    for i in range(spots):
        total += count_bits(desk.words[i] & wanted)
    n = np.int64(number_below(bits, _u64(total)))
    for i in range(spots):
        found = desk.words[i] & wanted
        ones = count_bits(found)
        if n < ones:
            return desk.spots[i] * SPOT_STRIDE + nth_bit(found, n)
        n -= ones
    return NO_PLACEMENT


@nb.njit(**JIT_INLINED)
def _choose_playout_placement(position, layout, tables, desk, last, contest, bits):
    """Return the placement that the policy chooses for the colour on turn, or NOTHING."""
    colour = position.now[TURN_COLOUR]
    if np.int64(bits & _u64(_CONTEST_STEPS - 1)) < contest and position.unplaced[colour, 0] != 0:
        seat = seat_on_turn(position, layout, tables)
        for back in range(1, layout.colours):
            other = (colour - back) % layout.colours
            if last[other] < 0 or tables.owners[other] < 0 or tables.owners[other] == seat:
                continue
            code = _choose_contested_big(position, layout, tables, colour, desk, last[other], bits)
            if code != NO_PLACEMENT:
                return code
    code = _choose_any_big(position, layout, colour, desk, bits)
    if code == NO_PLACEMENT:
        code = _choose_largest_small(position, layout, tables, colour, desk, bits)
    return code


@nb.njit(**JIT_OPTIONS)
def play_playout(position, layout, tables, desk, study, contest, seed, block):
    """Play an imagined game to its end, in place. `study.last` and `study.stamps` are kept up to date.

    Luck: one word a ply, under the colour on turn instead of the seat, which may place two colours in a round.
    """
    while position.now[TURN_IS_OVER] == 0:
        colour = position.now[TURN_COLOUR]
        luck_key = counter_key(_u64(_PURPOSE_STRATEGY), _u64(colour + 1))
        bits = random_word(seed, block, luck_key, _u64(position.now[TURN_ROUND]), _u64(0))
        code = _choose_playout_placement(position, layout, tables, desk, study.last, contest, bits)
        if code == NO_PLACEMENT:
            position.colours[colour, COLOUR_IS_OUT] = 1
        else:
            place_piece(position, layout, tables, colour, code // SPOT_STRIDE, code % SPOT_STRIDE)
            study.last[colour] = code
            study.stamps[colour, code] = np.int32(block)
        advance_turn(position, layout)


@nb.njit(**JIT_INLINED)
def store_seat_values(position, layout, tables, margin, values):
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
        lead = (points - (total - points) / (layout.players - 1)) / _HALF_WORTH_LEAD_POINTS
        pressed = 0.5 + 0.5 * lead / (1.0 + abs(lead))
        share = 1.0 / winners if points == most else 0.0
        values[seat] = (1.0 - margin) * share + margin * pressed
