"""Playouts of Blokus, compiled: games played to their end by a fast policy, and the values of their ends.

The policy places a piece of the largest size that can be placed. With a set probability it contests: if placements of
this size cover a corner point that the latest placement of an opponent has opened, it chooses among those; the
opponent who played last comes first. All placements that remain are equally likely.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus.kernel.policies import largest_small_orientations
from engine.games.blokus.kernel.position import (
    COLOUR_END_CHUNK,
    COLOUR_FIRST_CHUNK,
    COLOUR_IS_OUT,
    TURN_COLOUR,
    TURN_IS_OVER,
    TURN_ROUND,
)
from engine.games.blokus.kernel.rules import (
    acting_seat,
    advance_turn,
    attached_plane,
    chunk_spots,
    count_members,
    legal_big,
    legal_small,
    nth_chunk,
    place_piece,
    score,
    window_row,
    window_start,
)
from engine.games.blokus.kernel.tables import (
    CHUNK_SPOTS,
    ORIENTATION_END_ROW,
    ORIENTATION_FIRST_ROW,
    SMALL_ORIENTATIONS,
    WINDOW_CORNERS,
    WINDOW_WORDS,
)
from engine.games.blokus.kernel.workspace import SPOT_STRIDE
from engine.kernels.bits import nth_bit
from engine.kernels.compiling import jit_inlined, jit_internal
from engine.kernels.luck import counter_key, number_below, random_word
from engine.luck import PURPOSE_STRATEGY

_u64: Final = np.uint64
NO_PLACEMENT: Final = -1
CONTEST_STEPS: Final = 256
"""The probability to contest is a multiple of 1 / CONTEST_STEPS: the lowest bits of a word of luck decide it, and its
highest bits choose the placement."""
_HALF_WORTH_LEAD_POINTS: Final = 20.0
"""Points of lead that are worth half of what the largest lead is."""


@jit_internal
def play_playout(position, tables, workspace, search, contest, seed, block):
    """Play a position to its end, in place; keep `search.latest` and `search.stamps` up to date.

    `contest` is the probability to contest in CONTEST_STEPS. Every ply takes one word of luck, under the colour on turn
    instead of the seat, which may place two colours in a round.
    """
    while position.turn[TURN_IS_OVER] == 0:
        colour = position.turn[TURN_COLOUR]
        key = counter_key(_u64(PURPOSE_STRATEGY), _u64(colour + 1))
        bits = random_word(seed, block, key, _u64(position.turn[TURN_ROUND]), _u64(0))
        placement = _choose_placement(position, tables, workspace, search.latest, contest, bits)
        if placement == NO_PLACEMENT:
            position.colours[colour, COLOUR_IS_OUT] = 1
        else:
            place_piece(position, tables, colour, placement // SPOT_STRIDE, placement % SPOT_STRIDE)
            search.latest[colour] = placement
            search.stamps[colour, placement] = np.int32(block)
        advance_turn(position, tables)


@jit_inlined
def _choose_placement(position, tables, workspace, latest, contest, bits):
    """Return the placement that the policy chooses for the colour on turn, or NO_PLACEMENT."""
    colour = position.turn[TURN_COLOUR]
    if np.int64(bits & _u64(CONTEST_STEPS - 1)) < contest and position.unplaced[colour, 0] != 0:
        seat = acting_seat(position, tables)
        for back in range(1, tables.colours):
            other = (colour - back) % tables.colours
            if latest[other] < 0 or tables.colour_owners[other] < 0 or tables.colour_owners[other] == seat:
                continue
            placement = _choose_contesting_big(position, tables, colour, workspace, latest[other], bits)
            if placement != NO_PLACEMENT:
                return placement
    placement = _choose_any_big(position, tables, colour, workspace, bits)
    if placement == NO_PLACEMENT:
        placement = _choose_largest_small(position, tables, colour, workspace, bits)
    return placement


@jit_inlined
def _choose_contesting_big(position, tables, colour, workspace, opened_by, bits):
    """Return a legal placement of five squares that covers a corner point opened by a placement, or NO_PLACEMENT."""
    spot, orientation = opened_by // SPOT_STRIDE, opened_by % SPOT_STRIDE
    attached = attached_plane(tables, colour)
    unplaced = position.unplaced[colour, 0]
    start = window_start(tables, spot)
    first, end = (
        tables.orientations[orientation, ORIENTATION_FIRST_ROW],
        tables.orientations[orientation, ORIENTATION_END_ROW],
    )
    total = 0
    for row in range(first, end):
        word = _u64(start + row * tables.row_stride)
        corners = window_row(orientation, row, WINDOW_CORNERS)
        for i in range(_u64(WINDOW_WORDS)):
            total += count_members(
                position.big[word + i]
                & position.big[attached + word + i]
                & tables.big_windows[corners + i]
                & unplaced
            )
        workspace.row_counts[row] = total
    if total == 0:
        return NO_PLACEMENT
    n = np.int64(number_below(bits, _u64(total)))
    row = first
    while workspace.row_counts[row] <= n:
        row += 1
    if row > first:
        n -= workspace.row_counts[row - 1]
    word = _u64(start + row * tables.row_stride)
    corners = window_row(orientation, row, WINDOW_CORNERS)
    at = _u64(0)
    while True:
        legal = (
            position.big[word + at]
            & position.big[attached + word + at]
            & tables.big_windows[corners + at]
            & unplaced
        )
        members = count_members(legal)
        if n < members:
            chosen_spot = np.int64(word + at) - tables.origin
            return chosen_spot * SPOT_STRIDE + SMALL_ORIENTATIONS + np.int64(nth_bit(legal, n))
        n -= members
        at += _u64(1)


@jit_inlined
def _choose_any_big(position, tables, colour, workspace, bits):
    """Return a legal placement of five squares, or NO_PLACEMENT."""
    big, unplaced = position.big, position.unplaced[colour, 0]
    if unplaced == 0:
        return NO_PLACEMENT
    attached = attached_plane(tables, colour)
    total = 0
    for chunk in range(
        position.colours[colour, COLOUR_FIRST_CHUNK], position.colours[colour, COLOUR_END_CHUNK]
    ):
        first = _u64(tables.origin + chunk * CHUNK_SPOTS)
        members = 0
        for i in range(_u64(CHUNK_SPOTS)):
            members += count_members(big[first + i] & big[attached + first + i] & unplaced)
        total += members
        workspace.counts[_u64(chunk)] = total
    if total == 0:
        return NO_PLACEMENT
    n = np.int64(number_below(bits, _u64(total)))
    chunk, before = nth_chunk(position, colour, workspace, n)
    n -= before
    spot = chunk * CHUNK_SPOTS
    while True:
        legal = legal_big(position, tables, colour, spot)
        members = count_members(legal)
        if n < members:
            return spot * SPOT_STRIDE + SMALL_ORIENTATIONS + np.int64(nth_bit(legal, n))
        n -= members
        spot += 1


@jit_inlined
def _choose_largest_small(position, tables, colour, workspace, bits):
    """Return a legal placement of the largest of the smaller pieces, or NO_PLACEMENT."""
    if position.unplaced[colour, 1] == 0:
        return NO_PLACEMENT
    spots, orientations = 0, _u64(0)
    first_spot, end_spot = chunk_spots(position, colour)
    for spot in range(first_spot, end_spot):
        legal = legal_small(position, tables, colour, spot)
        orientations |= legal
        workspace.spot_words[_u64(spots)] = legal
        workspace.spots[_u64(spots)] = spot
        spots += legal != 0
    if orientations == 0:
        return NO_PLACEMENT
    largest = largest_small_orientations(tables, orientations)
    total = 0
    for i in range(spots):
        total += count_members(workspace.spot_words[i] & largest)
    n = np.int64(number_below(bits, _u64(total)))
    for i in range(spots):
        legal = workspace.spot_words[i] & largest
        members = count_members(legal)
        if n < members:
            return workspace.spots[i] * SPOT_STRIDE + np.int64(nth_bit(legal, n))
        n -= members
    return NO_PLACEMENT


@jit_inlined
def store_seat_values(position, tables, lead_share, values):
    """Write to `values` (seats,) what the end of a game is worth to each seat, from 0 to 1.

    This is a mixture of the seat's share of the win (BK-11: equal scores share it) and of its lead over the mean of the
    other seats, mapped to 0 to 1; `lead_share` is the part of the lead.
    """
    total, most, winners = 0, -(1 << 30), 0
    for seat in range(tables.players):
        points = score(position, tables, seat)
        values[seat] = points
        total += points
        if points > most:
            most, winners = points, 0
        winners += points == most
    for seat in range(tables.players):
        points = values[seat]
        lead = (points - (total - points) / (tables.players - 1)) / _HALF_WORTH_LEAD_POINTS
        lead_value = 0.5 + 0.5 * lead / (1.0 + abs(lead))
        win_share = 1.0 / winners if points == most else 0.0
        values[seat] = (1.0 - lead_share) * win_share + lead_share * lead_value
