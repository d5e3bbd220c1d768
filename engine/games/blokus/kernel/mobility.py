"""The ranking of placements by the strategy `mobility` of Blokus, compiled; `mcts:fitted=0` starts from it, too.

The worth of a placement is a weighted sum of its squares, its corner points, its distance from the middle, and the
placements that it opens to its colour and shuts to others. Each weight is given for a colour that has placed nothing
and for one that has placed everything; in between it lies on the straight line. Colours of the acting seat are allies
and those of other seats opponents. A colour without an owner (BK-10) is neither: to play it is worth what it does to
the others.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np

from engine.games.blokus.kernel.policies import centre_distance, mark_untouched_squares, squares_around
from engine.games.blokus.kernel.position import COLOUR_COVERED, COLOUR_IS_OUT, TURN_COLOUR
from engine.games.blokus.kernel.rules import (
    acting_seat,
    attached_plane,
    chunk_spots,
    count_members,
    free_plane,
    legal_big,
    legal_small,
    window_row,
    window_start,
)
from engine.games.blokus.kernel.tables import (
    ORIENTATION_END_ROW,
    ORIENTATION_FIRST_ROW,
    ORIENTATION_PIECE,
    ORIENTATION_SQUARES,
    SMALL_ORIENTATIONS,
    WINDOW_CORNERS,
    WINDOW_EDGES,
    WINDOW_HITS,
    WINDOW_WORDS,
)
from engine.games.blokus.kernel.workspace import SPOT_STRIDE
from engine.kernels.bits import lowest_bit
from engine.kernels.compiling import jit_inlined, jit_internal, jit_merged
from engine.kernels.luck import number_below

_u64: Final = np.uint64
_1: Final = _u64(1)

# Places of the weights for the start of the game; each is followed by the weight for the end
WEIGHT_SIZE: Final = 0
WEIGHT_GAINED: Final = 2
WEIGHT_LOST: Final = 4
WEIGHT_TAKEN: Final = 6
WEIGHT_CENTRE: Final = 8
WEIGHT_OPENED: Final = 10
WEIGHT_SHUT: Final = 12

_MAX_PLACEMENTS_COMPARED: Final = 64
"""Placements for which `mobility` counts what they open and shut."""


@jit_merged
def choose_mobility(position, tables, workspace, weights, bits_of_luck):
    """Return the placement that is worth most; 32 random bits choose among equal ones."""
    count = rank_placements(position, tables, workspace, weights, np.int64(_MAX_PLACEMENTS_COMPARED))
    equal = 1
    while equal < count and workspace.worths[equal] == workspace.worths[0]:
        equal += 1
    return workspace.placements[np.int64(number_below(bits_of_luck, _u64(equal)))]


@jit_internal
def rank_placements(position, tables, workspace, weights, wanted):
    """Rank the placements of the colour on turn, which has one; return how many were ranked, at most `wanted`.

    `workspace.placements` and `workspace.worths` hold them, the best first. What placements open and shut is counted
    only for those that are best by the other terms.
    """
    colour = position.turn[TURN_COLOUR]
    seat = acting_seat(position, tables)
    is_own = 1.0 if tables.colour_owners[colour] == seat else 0.0
    phase = position.colours[colour, COLOUR_COVERED] / tables.squares
    mark_untouched_squares(position, tables, colour, workspace)
    _store_relations(position, tables, colour, seat, workspace)
    terms = (
        is_own * _weight_at_phase(weights, WEIGHT_SIZE, phase),
        is_own * _weight_at_phase(weights, WEIGHT_GAINED, phase),
        is_own * _weight_at_phase(weights, WEIGHT_LOST, phase),
        _weight_at_phase(weights, WEIGHT_TAKEN, phase),
        is_own * _weight_at_phase(weights, WEIGHT_CENTRE, phase) / (tables.side * tables.side),
    )
    count = _rank_by_squares(position, tables, colour, workspace, terms, wanted)
    opened = is_own * _weight_at_phase(weights, WEIGHT_OPENED, phase)
    shut = _weight_at_phase(weights, WEIGHT_SHUT, phase)
    _rerank_by_mobility(position, tables, colour, workspace, opened, shut, count)
    return count


@jit_inlined
def _weight_at_phase(weights, place, phase):
    """Return a weight when this share of a colour's squares is placed."""
    return weights[place] + (weights[place + 1] - weights[place]) * phase


@jit_inlined
def _store_relations(position, tables, colour, seat, workspace):
    """Write which colours are allies (1), opponents (-1) or neither (0), and the corner points of those that count."""
    board = (_1 << _u64(tables.side + 1)) - _u64(2)
    for other in range(tables.colours):
        owner = tables.colour_owners[other]
        workspace.relations[other] = 0
        if other != colour and owner >= 0 and position.colours[other, COLOUR_IS_OUT] == 0:
            workspace.relations[other] = 1 if owner == seat else -1
        if other != colour and workspace.relations[other] == 0:
            continue
        for row in range(1, tables.side + 1):
            own = position.covered[other, row]
            beside = position.covered[other, row - 1] | position.covered[other, row + 1]
            covered = _u64(0)
            for any_colour in range(tables.colours):
                covered |= position.covered[any_colour, row]
            edges = beside | own << _1 | own >> _1
            corners = beside << _1 | beside >> _1
            workspace.corner_points[other, row] = corners & ~edges & ~covered & board


@jit_inlined
def insert_ranked(workspace, count, wanted, placement, worth):
    """Put a placement into the ranking of at most `wanted`, behind its equals; return how many are ranked now."""
    at = count
    if count == wanted:
        if workspace.worths[count - 1] >= worth:
            return count
        at -= 1
    while at > 0 and workspace.worths[at - 1] < worth:
        workspace.worths[at], workspace.placements[at] = (
            workspace.worths[at - 1],
            workspace.placements[at - 1],
        )
        at -= 1
    workspace.worths[at], workspace.placements[at] = worth, placement
    return min(count + 1, wanted)


@jit_internal
def _rank_by_squares(position, tables, colour, workspace, terms, wanted):
    """Rank the placements by size, corner points and distance from the middle; return how many were ranked.

    `terms`: what a square is worth, a corner point gained, one of its own lost, one of an opponent taken, and the
    mean distance of its squares from the middle.
    """
    size, gained, lost, taken, centre = terms
    count = 0
    first_spot, end_spot = chunk_spots(position, colour)
    for spot in range(first_spot, end_spot):
        small = legal_small(position, tables, colour, spot)
        big = legal_big(position, tables, colour, spot)
        if small | big == 0:
            continue
        row, column = spot // tables.row_stride, spot % tables.row_stride
        untouched = squares_around(workspace.untouched, row, column)
        own = squares_around(workspace.corner_points[colour], row, column)
        for other in range(tables.colours):
            if workspace.relations[other] != 0:
                workspace.nearby_corner_points[other] = squares_around(
                    workspace.corner_points[other], row, column
                )
        for which in range(2):
            bits = big if which else small
            while bits != 0:
                orientation = which * SMALL_ORIENTATIONS + np.int64(lowest_bit(bits))
                bits &= bits - _1
                squares = tables.neighbourhoods[_u64(orientation), WINDOW_HITS]
                edges = tables.neighbourhoods[_u64(orientation), WINDOW_EDGES]
                corners = tables.neighbourhoods[_u64(orientation), WINDOW_CORNERS]
                square_count = tables.orientations[orientation, ORIENTATION_SQUARES]
                balance = 0
                for other in range(tables.colours):
                    if workspace.relations[other] != 0:
                        hit = count_members(workspace.nearby_corner_points[other] & squares)
                        balance -= workspace.relations[other] * hit
                distance = centre_distance(tables, row, column, orientation) / square_count
                worth = (
                    size * square_count
                    + gained * count_members(untouched & corners)
                    + lost * count_members(own & (squares | edges))
                    + taken * balance
                    + centre * distance
                )
                count = insert_ranked(workspace, count, wanted, spot * SPOT_STRIDE + orientation, worth)
    return count


@jit_internal
def _rerank_by_mobility(position, tables, colour, workspace, opened, shut, count):
    """Add to the worths of the ranked placements what they open to their colour and shut to others, and sort again."""
    workspace.without_piece[:] = -1
    for other in range(tables.colours):
        if other == colour or workspace.relations[other] != 0:
            _store_legal_placements(position, tables, other, workspace)
    if position.colours[colour, COLOUR_COVERED] == 0:  # BK-2: the start cells count for the first piece only
        first = colour * tables.plane_words
        workspace.big[first : first + tables.plane_words] = 0
        workspace.small[first : first + tables.plane_words] = 0
    for n in range(count):
        placement, worth = workspace.placements[n], workspace.worths[n]
        spot, orientation = placement // SPOT_STRIDE, placement % SPOT_STRIDE
        start = window_start(tables, spot)
        if opened != 0.0:
            piece = tables.orientations[orientation, ORIENTATION_PIECE]
            after = _count_without_piece(position, tables, colour, workspace, piece)
            after += _count_opened_placements(position, tables, colour, workspace, start, orientation)
            worth += opened * log(after + 1.0)
        for other in range(tables.colours):
            if workspace.relations[other] != 0:
                legal = workspace.legal_counts[other]
                rest = legal - _count_shut_placements(tables, other, workspace, start, orientation)
                worth -= shut * workspace.relations[other] * log((legal + 1.0) / (rest + 1.0))
        insert_ranked(workspace, n, n + 1, placement, worth)


@jit_inlined
def _store_legal_placements(position, tables, colour, workspace):
    """Write all legal placements of a colour, as if it were on turn, and how many there are."""
    attached = attached_plane(tables, colour)
    own = _u64(colour * tables.plane_words)
    unplaced_big, unplaced_small = position.unplaced[colour, 0], np.uint32(position.unplaced[colour, 1])
    total = 0
    for i in range(_u64(tables.plane_words)):
        legal_bits = position.big[i] & position.big[attached + i] & unplaced_big
        workspace.big[own + i] = legal_bits
        total += count_members(legal_bits)
    for i in range(_u64(tables.plane_words)):
        small_bits = position.small[i] & position.small[attached + i] & unplaced_small
        workspace.small[own + i] = small_bits
        total += count_members(_u64(small_bits))
    workspace.legal_counts[colour] = total


@jit_inlined
def _count_shut_placements(tables, colour, workspace, start, orientation):
    """Return how many of a colour's legal placements a placement of another colour hits.

    `start` is the `window_start` of that placement.
    """
    hit = 0
    first = colour * tables.plane_words + start
    for row in range(
        tables.orientations[orientation, ORIENTATION_FIRST_ROW],
        tables.orientations[orientation, ORIENTATION_END_ROW],
    ):
        word = _u64(first + row * tables.row_stride)
        hits = window_row(orientation, row, WINDOW_HITS)
        for i in range(_u64(WINDOW_WORDS)):
            hit += count_members(workspace.big[word + i] & tables.big_windows[hits + i])
            hit += count_members(_u64(workspace.small[word + i] & tables.small_windows[hits + i]))
    return hit


@jit_inlined
def _count_opened_placements(position, tables, colour, workspace, start, orientation):
    """Return how many more legal placements of its other pieces a colour has after a placement, within its window."""
    piece = tables.orientations[orientation, ORIENTATION_PIECE]
    unplaced_big = position.unplaced[colour, 0] & ~tables.piece_orientations[piece, 0]
    unplaced_small = np.uint32(position.unplaced[colour, 1] & ~tables.piece_orientations[piece, 1])
    opened, legal = _u64(start), _u64(colour * tables.plane_words + start)
    free = free_plane(tables, colour) + opened
    more = 0
    for row in range(
        tables.orientations[orientation, ORIENTATION_FIRST_ROW],
        tables.orientations[orientation, ORIENTATION_END_ROW],
    ):
        step = _u64(row * tables.row_stride)
        hits = window_row(orientation, row, WINDOW_HITS)
        edges = window_row(orientation, row, WINDOW_EDGES)
        corners = window_row(orientation, row, WINDOW_CORNERS)
        for i in range(_u64(WINDOW_WORDS)):
            at = step + i
            big = workspace.big[legal + at]
            new = position.big[opened + at] & position.big[free + at] & tables.big_windows[corners + i]
            after = (big | new) & ~(tables.big_windows[hits + i] | tables.big_windows[edges + i])
            more += count_members(after & unplaced_big) - count_members(big & unplaced_big)
        for i in range(_u64(WINDOW_WORDS)):
            at = step + i
            small = workspace.small[legal + at]
            new_small = (
                position.small[opened + at] & position.small[free + at] & tables.small_windows[corners + i]
            )
            taken = tables.small_windows[hits + i] | tables.small_windows[edges + i]
            after_small = (small | new_small) & ~taken
            more += count_members(_u64(after_small & unplaced_small))
            more -= count_members(_u64(small & unplaced_small))
    return more


@jit_inlined
def _count_without_piece(position, tables, colour, workspace, piece):
    """Return how many legal placements a colour has of its other pieces; none before its first piece (BK-2)."""
    if position.colours[colour, COLOUR_COVERED] == 0:
        return 0
    if workspace.without_piece[piece] < 0:
        first = _u64(colour * tables.plane_words)
        big, small = tables.piece_orientations[piece, 0], np.uint32(tables.piece_orientations[piece, 1])
        own = 0
        for i in range(_u64(tables.plane_words)):
            own += count_members(workspace.big[first + i] & big)
            own += count_members(_u64(workspace.small[first + i] & small))
        workspace.without_piece[piece] = workspace.legal_counts[colour] - own
    return workspace.without_piece[piece]
