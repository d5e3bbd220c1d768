"""The strategy `keeper` of Blokus Dice, compiled: it values the squares of a placement and what it leaves to each colour.

After a placement the seat holds the other three colours in turn, then the same colour again. For each of these four
rounds the board tells which rows of the list have a shape that fits in the colour, and the order of play how many dice
will be left. This gives the expected size of the largest shape, and the probability that no die fits.
"""

from __future__ import annotations

import numpy as np

from engine.games.blokus_dice.kernel.policies import corner_points_around, mark_corner_points
from engine.games.blokus_dice.kernel.position import (
    ANY_FACE,
    BOARD_COLOURS,
    BOARD_STRIKES,
    PLANE_APART,
    PLANE_FREE,
    PLANE_JOINED,
    TURN_OUT_COUNT,
    TURN_STARTER,
)
from engine.games.blokus_dice.kernel.rules import held_colour, untaken_face, update_planes
from engine.games.blokus_dice.kernel.tables import (
    LONGEST_SHAPE,
    MAX_DICE,
    SPOT_STRIDE,
    SPOT_WORDS,
    VECTOR_WORDS,
    WORD_BITS,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit
from engine.kernels.compiling import copy_array, jit_inlined, jit_internal

# Places of the weights, in the order of `weights.toml`
(
    WEIGHT_STRIKE,
    WEIGHT_FORCED,
    WEIGHT_RARE,
    WEIGHT_POINTS,
    WEIGHT_GAIN,
    WEIGHT_MOBILITY,
    WEIGHT_VARIETY,
    WEIGHT_FADE,
    WEIGHT_FUTURE,
) = range(9)


@jit_internal
def value_candidates(position, tables, workspace, keeper, weights, seat):
    """List every placement that the seat may draw, with its value; return how many there are.

    `keeper` is a KeeperWorkspace. A placement that some die offers is listed without a strike only: a strike would be
    wasted on it. `workspace.fitting` must have been stored.
    """
    mark_corner_points(position.filled[seat], held_colour(position, seat), tables.side, workspace)
    count_shape_placements(position, tables, keeper, seat)
    count_next_round(position, tables, keeper, seat)
    count = list_candidates(position, tables, workspace, keeper, seat)
    for n in range(count):
        keeper.values[n] = _candidate_value(position, tables, workspace, keeper, weights, seat, n)
    return count


@jit_inlined
def count_shape_placements(position, tables, keeper, seat):
    """Store the placements that each colour allows, and count those of each shape that some colour allows."""
    planes, allowed = position.planes[seat], keeper.allowed
    keeper.shape_placements[:] = 0
    for colour in range(len(COLOUR_NAMES)):
        for i in range(tables.words):
            allowed[colour, i] = planes[PLANE_JOINED + colour, i] & planes[PLANE_APART + colour, i]
    for word in range(tables.words):
        rest = np.uint32(
            planes[PLANE_FREE, word]
            & (allowed[0, word] | allowed[1, word] | allowed[2, word] | allowed[3, word])
        )
        while rest:
            orientation = WORD_BITS * (word % SPOT_WORDS) + np.int64(lowest_bit(rest))
            keeper.shape_placements[tables.shapes[orientation]] += 1
            rest = clear_lowest_bit(rest)


@jit_inlined
def count_next_round(position, tables, keeper, seat):
    """BD-10: count the seats that are in, and those of them before this one in the next round."""
    turn, next_round = position.turn, keeper.next_round
    next_round[0], next_round[1] = tables.players - turn[TURN_OUT_COUNT], 0
    other = (turn[TURN_STARTER] + 1) % tables.players
    while other != seat:
        next_round[1] += 1
        for out in range(turn[TURN_OUT_COUNT]):
            if position.gone[out] == other:
                next_round[1] -= 1
        other = (other + 1) % tables.players


@jit_inlined
def list_candidates(position, tables, workspace, keeper, seat):
    """List the candidates without their values; return how many there are."""
    first_face, faces = -1, 0  # the die that a strike takes, and a bit for each face that is left
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            faces |= 1 << face
            if first_face < 0:
                first_face = face
    can_strike = position.boards[seat, BOARD_STRIKES] < tables.strikes
    count = 0
    for word in range(tables.words):
        rest = np.uint32(workspace.fitting[word] & tables.offered[ANY_FACE, word])
        spot, k = divmod(word, SPOT_WORDS)
        while rest:
            orientation = WORD_BITS * k + np.int64(lowest_bit(rest))
            rest = clear_lowest_bit(rest)
            face = np.int64(tables.faces[orientation])
            is_offered = faces >> face & 1
            if not is_offered and not can_strike:
                continue
            keeper.placements[count] = SPOT_STRIDE * spot + orientation
            keeper.faces[count] = face if is_offered else first_face
            keeper.strikes[count] = 1 - is_offered
            count += 1
    return count


@jit_inlined
def _candidate_value(position, tables, workspace, keeper, weights, seat, n):
    """Return the value of a candidate, in squares."""
    placement = np.int64(keeper.placements[n])
    spot, orientation = divmod(placement, SPOT_STRIDE)
    around = corner_points_around(workspace, tables, spot)
    value = np.float64(tables.sizes[orientation])
    value += weights[WEIGHT_POINTS] * count_bits(around & tables.corner_points[orientation])
    value -= weights[WEIGHT_RARE] * tables.logarithms[keeper.shape_placements[tables.shapes[orientation]]]
    value -= weights[WEIGHT_STRIKE] * keeper.strikes[n]
    colour = held_colour(position, seat)
    store_planes_after(position, tables, keeper, seat, placement)
    free = keeper.planes[0]
    strikes = tables.strikes - position.boards[seat, BOARD_STRIKES] - keeper.strikes[n]
    # `alive` is the probability to be still in, `before` the number of seats that choose a die first.
    alive, fade, before = 1.0, 1.0, keeper.next_round[1]
    for later in range(1, len(COLOUR_NAMES) + 1):
        fitting = store_fitting_orientations(free, keeper.allowed[colour - later & 3], keeper)
        if fitting == 0:  # BD-8: the seat will be out when this colour comes
            return value
        orientations = keeper.fitting_orientations
        kinds = count_bits(orientations[0]) + count_bits(orientations[1]) + count_bits(orientations[2])
        value += alive * fade * weights[WEIGHT_MOBILITY] * tables.logarithms[fitting]
        value += alive * fade * weights[WEIGHT_VARIETY] * tables.logarithms[kinds]
        fade *= weights[WEIGHT_FADE]
        dice = keeper.next_round[0] - before
        before = keeper.next_round[0] - 1 if before == 0 else before - 1
        size, stuck, largest = _expected_offer(tables, orientations, dice)
        value += alive * weights[WEIGHT_GAIN] * size
        if strikes > 0:
            value += alive * stuck * (weights[WEIGHT_GAIN] * largest - weights[WEIGHT_FORCED])
        else:
            alive *= 1.0 - stuck
    return value + alive * weights[WEIGHT_FUTURE]


@jit_inlined
def store_planes_after(position, tables, keeper, seat, placement):
    """Write to `keeper.planes` and to `keeper.allowed` of the colour held what they are after a placement."""
    colour = held_colour(position, seat)
    free, joined, apart = keeper.planes[0], keeper.planes[1], keeper.planes[2]
    copy_array(position.planes[seat, PLANE_FREE], free)
    copy_array(position.planes[seat, PLANE_JOINED + colour], joined)
    copy_array(position.planes[seat, PLANE_APART + colour], apart)
    if position.boards[seat, BOARD_COLOURS] >> colour & 1 == 0:  # BD-4
        joined[:] = 0
    update_planes(tables, free, joined, apart, placement)
    allowed = keeper.allowed[colour]
    for i in range(tables.words):
        allowed[i] = joined[i] & apart[i]


@jit_inlined
def store_fitting_orientations(free, allowed, keeper):
    """Write to `keeper.fitting_orientations` those that fit somewhere; return how many placements fit."""
    fitting_words, fitting = keeper.fitting_words, keeper.fitting_orientations
    fitting_words[:] = 0
    total = np.uint32(0)
    for vector in range(len(free) // VECTOR_WORDS):
        some = fitting_words[vector % SPOT_WORDS]
        for i in range(VECTOR_WORDS):
            both = np.uint32(free[VECTOR_WORDS * vector + i] & allowed[VECTOR_WORDS * vector + i])
            some[i] |= both
            total = np.uint32(total + count_bits(both))
    flat = fitting_words.reshape(SPOT_WORDS * VECTOR_WORDS)
    fitting[:] = 0
    for i in range(VECTOR_WORDS):
        for k in range(SPOT_WORDS):
            fitting[k] |= flat[SPOT_WORDS * i + k]
    return np.int64(total)


@jit_inlined
def _expected_offer(tables, orientations, dice):
    """Return three values on what `dice` dice will offer of these orientations.

    They are the expected size of the largest shape, where no shape counts as 0; the probability that the
    dice offer no shape; and the size of the largest shape in any row, which a strike opens.
    """
    size, stuck, largest = 0.0, 1.0, 0
    faces = 0  # a bit for each row that has a shape of at least `squares` squares
    for squares in range(LONGEST_SHAPE, 0, -1):
        for face in range(FACE_COUNT):
            offered = tables.offered_by_size[face, squares]
            if (
                (offered[0] & orientations[0])
                | (offered[1] & orientations[1])
                | (offered[2] & orientations[2])
            ):
                faces |= 1 << face
                largest = max(largest, squares)
        stuck = tables.miss_chances[count_bits(faces), dice]
        size += 1.0 - stuck
    return size, stuck, largest


@jit_inlined
def best_candidate(values, count):
    """Return the candidate with the highest value, the first of equal ones, or -1."""
    best = -1
    for n in range(count):
        if best < 0 or values[n] > values[best]:
            best = n
    return best


@jit_inlined
def candidate_placement(keeper, n):
    """Return face, strike and placement of a candidate; the placement is -1 if the candidate places nothing."""
    if n < 0:
        return 0, 0, -1
    return np.int64(keeper.faces[n]), np.int64(keeper.strikes[n]), np.int64(keeper.placements[n])
