"""The prior of Blokus, compiled: the fields of all squares, and the ranking of placements that the searches start from.

`engine.games.blokus.prior` defines the fields and says what the weights are. All weights that belong to a square are added up
once for a decision. A placement is then worth the weight of its piece and the worths of its squares.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus.kernel.mobility import insert_ranked
from engine.games.blokus.kernel.position import COLOUR_COVERED, COLOUR_IS_OUT, TURN_COLOUR
from engine.games.blokus.kernel.rules import acting_seat, chunk_spots, legal_big, legal_small
from engine.games.blokus.kernel.tables import ORIENTATION_PIECE, SMALL_ORIENTATIONS
from engine.games.blokus.kernel.workspace import SPOT_STRIDE
from engine.games.blokus.prior import FIELDS, NEAR_STEPS, PARTS, REACH_STEPS
from engine.kernels.bits import lowest_bit
from engine.kernels.compiling import jit_entry, jit_inlined, jit_internal
from engine.polyomino import SHAPES

_u64: Final = np.uint64
_1: Final = _u64(1)
_PIECES: Final = len(SHAPES)
_FIELD_COUNT: Final = len(FIELDS)
_PART_COUNT: Final = len(PARTS)

_PLACES: Final = {name: place for place, name in enumerate(FIELDS)}
_CORNER_POINT: Final = _PLACES["corner_point"]
_BESIDE_CORNER_POINT: Final = _PLACES["beside_corner_point"]
_UNTOUCHED: Final = _PLACES["untouched"]
_OPEN: Final = _PLACES["open"]
_NARROW: Final = _PLACES["narrow"]
_NEAR: Final = _PLACES["near"]
_IN_REACH: Final = _PLACES["in_reach"]
_NEW_GROUND: Final = _PLACES["new_ground"]
_OWN: Final = _PLACES["own"]
_FOE_CORNER_POINT: Final = _PLACES["foe_corner_point"]
_BESIDE_FOE_CORNER_POINT: Final = _PLACES["beside_foe_corner_point"]
_NEAR_FOE: Final = _PLACES["near_foe"]
_FOE_IN_REACH: Final = _PLACES["foe_in_reach"]
_CONTESTED: Final = _PLACES["contested"]
_FOE: Final = _PLACES["foe"]
_CLOSED_TO_FOES: Final = _PLACES["closed_to_foes"]
_ALLY_CORNER_POINT: Final = _PLACES["ally_corner_point"]
_BESIDE_ALLY_CORNER_POINT: Final = _PLACES["beside_ally_corner_point"]
_ALLY_IN_REACH: Final = _PLACES["ally_in_reach"]
_ALLY: Final = _PLACES["ally"]
_OUTSIDE: Final = _PLACES["outside"]
_SET_COUNT: Final = _OUTSIDE + 1
"""Fields that are sets of squares; they come first."""
_SHARE_OF_OWN: Final = _PLACES["share_of_own"]
_SHARE_OF_FOES: Final = _PLACES["share_of_foes"]
_SHARE_OF_ALLY: Final = _PLACES["share_of_ally"]
_DISTANCE: Final = _PLACES["distance"]

# Room for other sets of squares
_EMPTY: Final = _FIELD_COUNT
_POINTS: Final = _FIELD_COUNT + 1
_AVAILABLE: Final = _FIELD_COUNT + 2
_REACHED: Final = _FIELD_COUNT + 3
_REACHED_BEFORE: Final = _FIELD_COUNT + 4


@jit_internal
def rank_by_prior(position, tables, workspace, wanted):
    """Rank the placements of the colour on turn, which has one, by the prior; return how many were ranked.

    `workspace.placements` and `workspace.worths` hold the best, at most `wanted`, the best first.
    """
    colour = position.turn[TURN_COLOUR]
    store_fields(position, tables, workspace)
    _store_weights(position, tables, workspace, colour)
    _store_square_worths(workspace)
    worths = workspace.square_worths
    count = 0
    first_spot, end_spot = chunk_spots(position, colour)
    for spot in range(first_spot, end_spot):
        small = legal_small(position, tables, colour, spot)
        big = legal_big(position, tables, colour, spot)
        if small | big == 0:
            continue
        place = _map_place(tables, spot)
        for which in range(2):
            bits = big if which else small
            while bits != 0:
                orientation = which * SMALL_ORIENTATIONS + np.int64(lowest_bit(bits))
                bits &= bits - _1
                worth = workspace.prior_weights[tables.orientations[orientation, ORIENTATION_PIECE]]
                for part in range(_PART_COUNT):
                    squares = tables.part_squares[orientation, part]
                    for n in range(squares[0]):
                        worth += worths[part, place + squares[n + 1]]
                count = insert_ranked(workspace, count, wanted, spot * SPOT_STRIDE + orientation, worth)
    return count


@jit_entry
def list_features(position, tables, workspace, placements, features):
    """Write all legal placements of the colour on turn, ascending, and their features; return how many there are.

    `placements` is (placements,), `features` is (placements, features).
    """
    colour = position.turn[TURN_COLOUR]
    store_fields(position, tables, workspace)
    count = 0
    first_spot, end_spot = chunk_spots(position, colour)
    for spot in range(first_spot, end_spot):
        place = _map_place(tables, spot)
        for which in range(2):
            if which:
                bits = legal_big(position, tables, colour, spot)
            else:
                bits = legal_small(position, tables, colour, spot)
            while bits != 0:
                orientation = which * SMALL_ORIENTATIONS + np.int64(lowest_bit(bits))
                bits &= bits - _1
                placements[count] = spot * SPOT_STRIDE + orientation
                row = features[count]
                row[:] = 0
                row[tables.orientations[orientation, ORIENTATION_PIECE]] = 1
                for part in range(_PART_COUNT):
                    squares = tables.part_squares[orientation, part]
                    first = _PIECES + part * _FIELD_COUNT
                    for field in range(_FIELD_COUNT):
                        for n in range(squares[0]):
                            row[first + field] += workspace.fields[field, place + squares[n + 1]]
                count += 1
    return count


@jit_inlined
def _map_place(tables, spot):
    """Return the place of a spot in a map."""
    return (spot // tables.row_stride + 1) * tables.map_side + spot % tables.row_stride + 1


@jit_inlined
def _store_weights(position, tables, workspace, colour):
    """Write the weights for the phase of the colour on turn."""
    table = tables.prior_weights[1 if tables.colour_owners[colour] < 0 else 0]
    phase, phases = position.colours[colour, COLOUR_COVERED] / tables.squares, tables.prior_phases
    after = 1
    while phase > phases[after]:
        after += 1
    part = (phase - phases[after - 1]) / (phases[after] - phases[after - 1])
    for n in range(len(workspace.prior_weights)):
        before = table[after - 1, n]
        workspace.prior_weights[n] = before + (table[after, n] - before) * part


@jit_inlined
def _store_square_worths(workspace):
    """Add up, for each part of a placement, the weights of the fields of every square."""
    for part in range(_PART_COUNT):
        worths = workspace.square_worths[part]
        worths[:] = 0
        for field in range(_FIELD_COUNT):
            weight = workspace.prior_weights[_PIECES + part * _FIELD_COUNT + field]
            if weight != 0.0:
                values = workspace.fields[field]
                for square in range(len(worths)):
                    worths[square] += weight * values[square]


@jit_internal
def store_fields(position, tables, workspace):
    """Write all fields of a position to `workspace.fields`."""
    seat, colour = acting_seat(position, tables), position.turn[TURN_COLOUR]
    sets, fields = workspace.square_sets, workspace.fields
    sets[:] = 0
    fields[_SHARE_OF_OWN : _SHARE_OF_ALLY + 1] = 0
    board = (_1 << _u64(tables.side + 1)) - _u64(2)
    for row in range(1, tables.side + 1):
        sets[_EMPTY, row] = board
        for any_colour in range(tables.colours):
            sets[_EMPTY, row] &= ~position.covered[any_colour, row]
    _store_own_sets(position, tables, sets, colour)
    _add_placement_shares(position, tables, workspace, colour, fields[_SHARE_OF_OWN])
    for row in range(1, tables.side + 1):
        sets[_CLOSED_TO_FOES, row] = sets[_EMPTY, row]
    for other in range(tables.colours):
        owner = tables.colour_owners[other]
        if other == colour or owner < 0:
            continue
        is_ally = owner == seat
        covered = _ALLY if is_ally else _FOE
        for row in range(1, tables.side + 1):
            sets[covered, row] |= position.covered[other, row]
        if position.colours[other, COLOUR_IS_OUT] != 0:
            continue
        _add_sets_of_other(position, tables, sets, other, is_ally)
        shares = fields[_SHARE_OF_ALLY] if is_ally else fields[_SHARE_OF_FOES]
        _add_placement_shares(position, tables, workspace, other, shares)
    for row in range(1, tables.side + 1):
        sets[_CONTESTED, row] = sets[_UNTOUCHED, row] & sets[_FOE_IN_REACH, row]
    _store_maps(tables, sets, fields)


@jit_inlined
def _store_points(position, tables, sets, colour):
    """Write the corner points of a colour and the squares available to it."""
    board = (_1 << _u64(tables.side + 1)) - _u64(2)
    for row in range(1, tables.side + 1):
        own = position.covered[colour, row]
        above_below = position.covered[colour, row - 1] | position.covered[colour, row + 1]
        beside = above_below | own << _1 | own >> _1
        sets[_AVAILABLE, row] = sets[_EMPTY, row] & ~beside & board
        sets[_POINTS, row] = (above_below << _1 | above_below >> _1) & sets[_AVAILABLE, row]


@jit_inlined
def _squares_beside(squares, row):
    """Return the squares of a row beside a set of squares."""
    return squares[row - 1] | squares[row + 1] | squares[row] << _1 | squares[row] >> _1


@jit_inlined
def _spread_once(tables, sets):
    """Add to the reached squares those that lie beside them and are available."""
    before, after = sets[_REACHED_BEFORE], sets[_REACHED]
    for row in range(1, tables.side + 1):
        before[row] = after[row]
    for row in range(1, tables.side + 1):
        after[row] = before[row] | _squares_beside(before, row) & sets[_AVAILABLE, row]


@jit_inlined
def _store_own_sets(position, tables, sets, colour):
    """Write the sets of squares that depend on the colour on turn alone."""
    _store_points(position, tables, sets, colour)
    available = sets[_AVAILABLE]
    for row in range(1, tables.side + 1):
        below, above = available[row - 1], available[row + 1]
        left, right = available[row] << _1, available[row] >> _1
        at_least_three = (below & above & (left | right)) | (left & right & (below | above))
        points = sets[_POINTS, row]
        untouched = available[row] & ~points
        sets[_CORNER_POINT, row] = sets[_REACHED, row] = points
        sets[_BESIDE_CORNER_POINT, row] = _squares_beside(sets[_POINTS], row) & available[row]
        sets[_UNTOUCHED, row] = untouched
        sets[_OPEN, row] = untouched & below & above & left & right
        sets[_NARROW, row] = untouched & ~at_least_three
        sets[_OWN, row] = position.covered[colour, row]
    for step in range(1, REACH_STEPS + 1):
        _spread_once(tables, sets)
        if step == NEAR_STEPS:
            for row in range(1, tables.side + 1):
                sets[_NEAR, row] = sets[_REACHED, row]
    for row in range(1, tables.side + 1):
        sets[_IN_REACH, row] = sets[_REACHED, row]
        sets[_NEW_GROUND, row] = sets[_UNTOUCHED, row] & ~sets[_REACHED, row]


@jit_inlined
def _add_sets_of_other(position, tables, sets, other, is_ally):
    """Add the sets of squares of another colour that is not out."""
    _store_points(position, tables, sets, other)
    for row in range(1, tables.side + 1):
        points = sets[_POINTS, row]
        beside = _squares_beside(sets[_POINTS], row) & sets[_AVAILABLE, row]
        sets[_REACHED, row] = points
        if is_ally:
            sets[_ALLY_CORNER_POINT, row] |= points
            sets[_BESIDE_ALLY_CORNER_POINT, row] |= beside
        else:
            sets[_FOE_CORNER_POINT, row] |= points
            sets[_BESIDE_FOE_CORNER_POINT, row] |= beside
            sets[_CLOSED_TO_FOES, row] &= ~sets[_AVAILABLE, row]
    for step in range(1, REACH_STEPS + 1):
        _spread_once(tables, sets)
        for row in range(1, tables.side + 1):
            if is_ally and step == REACH_STEPS:
                sets[_ALLY_IN_REACH, row] |= sets[_REACHED, row]
            elif step == REACH_STEPS:
                sets[_FOE_IN_REACH, row] |= sets[_REACHED, row]
            elif step == NEAR_STEPS and not is_ally:
                sets[_NEAR_FOE, row] |= sets[_REACHED, row]


@jit_inlined
def _add_placement_shares(position, tables, workspace, colour, shares):
    """Add to a map, for every square, the share of a colour's legal placements that cover it."""
    counts = workspace.square_worths[0]
    counts[:] = 0
    total = 0
    first_spot, end_spot = chunk_spots(position, colour)
    for spot in range(first_spot, end_spot):
        place = _map_place(tables, spot)
        for which in range(2):
            if which:
                bits = legal_big(position, tables, colour, spot)
            else:
                bits = legal_small(position, tables, colour, spot)
            while bits != 0:
                squares = tables.part_squares[which * SMALL_ORIENTATIONS + np.int64(lowest_bit(bits)), 0]
                bits &= bits - _1
                total += 1
                for n in range(squares[0]):
                    counts[place + squares[n + 1]] += 1.0
    for square in range(len(shares)):
        shares[square] += counts[square] / (total + 1)


@jit_inlined
def _store_maps(tables, sets, fields):
    """Write the fields that are sets of squares, and the distances from the middle, as maps."""
    side, map_side = tables.side, tables.map_side
    for row in range(map_side):
        sets[_OUTSIDE, row] = _u64(1 << map_side) - _1
        if 1 <= row <= side:
            sets[_OUTSIDE, row] = _u64(1 << side + 1) | _1
        for field in range(_SET_COUNT):
            squares = sets[field, row]
            for column in range(map_side):
                fields[field, row * map_side + column] = squares >> _u64(column) & _1
    for row in range(1, side + 1):
        for column in range(1, side + 1):
            across, up = 2 * column - side - 1, 2 * row - side - 1
            fields[_DISTANCE, row * map_side + column] = (across * across + up * up) / (side * side)
