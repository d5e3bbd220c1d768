"""What `keeper` thinks of a placement: the squares it fills, and what it leaves to the four colours.

After a placement the seat holds the other three colours in turn, then the same again. For each of these four rounds
the board tells which rows of the list have a shape that fits in the colour, and the order of play how many dice will
be left: so the expected size of the largest shape, and the chance that no die fits at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import (
    copy_array,
    count_bits,
    jit_inlined,
    jit_internal,
    lowest_bit,
)
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
    CELL_WORDS,
    LONGEST_SHAPE,
    MAX_DICE,
    VECTOR_WORDS,
    WORD_BITS,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Numbers, Tables, Words

# the weights of keeper, in the order of `weights.toml`
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


class KeeperWorkspace(NamedTuple):
    """Room to weigh the placements of one decision. `n` is a candidate."""

    spots: Numbers
    """(n,)"""
    faces: Numbers
    """(n,) of the die that it takes."""
    struck: Numbers
    """(n,) 1 with a strike."""
    values: NDArray[np.float64]
    """(n,) in squares: greater is better."""
    places: NDArray[np.int64]
    """(shape,) free placements that touch some colour."""
    open: Words
    """(colour, word) placements that a colour allows."""
    planes: Words
    """(3, word) free, joined and apart as they are after a placement."""
    kinds: Words
    """(DEPTH, STEP) orientations that fit somewhere, word by word as in a plane."""
    fitting: Words
    """(DEPTH,) those orientations, a bit for each."""
    ahead: NDArray[np.int64]
    """(2,) seats that are in, and the own place in the order of the next round."""


def make_keeper_workspace(tables: Tables) -> KeeperWorkspace:
    """Return room for the candidates of one decision."""
    return KeeperWorkspace(
        np.empty(tables.placements, np.int32),
        np.empty(tables.placements, np.int32),
        np.empty(tables.placements, np.int32),
        np.empty(tables.placements, np.float64),
        np.empty(len(SHAPES), np.int64),
        np.empty((len(COLOUR_NAMES), tables.words), np.uint32),
        np.empty((3, tables.words), np.uint32),
        np.empty((CELL_WORDS, VECTOR_WORDS), np.uint32),
        np.empty(CELL_WORDS, np.uint32),
        np.empty(2, np.int64),
    )


@jit_internal
def value_candidates(position, tables, scratch, mind, weights, seat):
    """Value every placement that the seat may draw, and return how many there are.

    A placement that some die offers is weighed without a strike only: a strike would be wasted on it.
    """
    mark_corner_points(position.filled[seat], held_colour(position, seat), tables.side, scratch.points)
    count_shape_placements(position.planes[seat], tables.shape, mind.open, mind.places)
    count_seats_ahead(position.turn, position.gone, tables.players, seat, mind.ahead)
    spare, faces = -1, 0  # the die that a strike gives away, and a bit for each face that is left
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            faces |= 1 << face
            if spare < 0:
                spare = face
    may_strike = position.boards[seat, BOARD_STRIKES] < tables.strikes
    number = 0
    for step in range(tables.words):
        rest = np.uint32(scratch.fitting[step] & tables.offered[ANY_FACE, step])
        cell, k = divmod(step, CELL_WORDS)
        while rest:
            o = WORD_BITS * k + np.int64(lowest_bit(rest))
            rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
            row = np.int64(tables.row[o])
            is_offered = faces >> row & 1
            if not is_offered and not may_strike:
                continue
            mind.spots[number] = WORD_BITS * CELL_WORDS * cell + o
            mind.faces[number] = row if is_offered else spare
            mind.struck[number] = 1 - is_offered
            number += 1
    for n in range(number):
        mind.values[n] = candidate_worth(position, tables, scratch, mind, weights, seat, n)
    return number


@jit_inlined
def count_shape_placements(planes, shape, allowed, places):
    """Find the placements that each colour allows, and count those of each shape that some colour allows."""
    words = planes.shape[1]
    places[:] = 0
    for colour in range(len(COLOUR_NAMES)):
        for i in range(words):
            allowed[colour, i] = planes[PLANE_JOINED + colour, i] & planes[PLANE_APART + colour, i]
    for step in range(words):
        rest = np.uint32(
            planes[PLANE_FREE, step]
            & (allowed[0, step] | allowed[1, step] | allowed[2, step] | allowed[3, step])
        )
        while rest:
            places[shape[WORD_BITS * (step % CELL_WORDS) + np.int64(lowest_bit(rest))]] += 1
            rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))


@jit_inlined
def count_seats_ahead(turn, gone, players, seat, ahead):
    """Count the seats that are in, and those before this one in the next round. BD-10."""
    ahead[0], ahead[1] = players - turn[TURN_OUT_COUNT], 0
    other = (turn[TURN_STARTER] + 1) % players
    while other != seat:
        ahead[1] += 1
        for out in range(turn[TURN_OUT_COUNT]):
            if gone[out] == other:
                ahead[1] -= 1
        other = (other + 1) % players


@jit_inlined
def candidate_worth(position, tables, scratch, mind, weights, seat, n):
    """Return what keeper thinks of a candidate, in squares."""
    spot = np.int64(mind.spots[n])
    cell, o = divmod(spot, WORD_BITS * CELL_WORDS)
    around = corner_points_around(scratch.points, cell, tables.stride)
    worth = np.float64(tables.sizes[o])
    worth += weights[WEIGHT_POINTS] * count_bits(around & tables.corners[o])
    worth -= weights[WEIGHT_RARE] * tables.logs[mind.places[tables.shape[o]]]
    worth -= weights[WEIGHT_STRIKE] * mind.struck[n]
    colour = held_colour(position, seat)
    free, joined, apart = mind.planes[0], mind.planes[1], mind.planes[2]
    copy_array(position.planes[seat, PLANE_FREE], free)
    copy_array(position.planes[seat, PLANE_JOINED + colour], joined)
    copy_array(position.planes[seat, PLANE_APART + colour], apart)
    if position.boards[seat, BOARD_COLOURS] >> colour & 1 == 0:
        joined[:] = 0
    update_planes(tables, free, joined, apart, spot)
    own = mind.open[colour]
    for i in range(tables.words):
        own[i] = joined[i] & apart[i]
    strikes = tables.strikes - position.boards[seat, BOARD_STRIKES] - mind.struck[n]
    alive, fade, index = 1.0, 1.0, mind.ahead[1]
    for later in range(1, len(COLOUR_NAMES) + 1):
        fits = mark_fitting_orientations(free, mind.open[colour - later & 3], mind.kinds, mind.fitting)
        if fits == 0:  # BD-8: out when this colour comes
            return worth
        kinds = count_bits(mind.fitting[0]) + count_bits(mind.fitting[1]) + count_bits(mind.fitting[2])
        worth += alive * fade * weights[WEIGHT_MOBILITY] * tables.logs[fits]
        worth += alive * fade * weights[WEIGHT_VARIETY] * tables.logs[kinds]
        fade *= weights[WEIGHT_FADE]
        dice = mind.ahead[0] - index
        index = mind.ahead[0] - 1 if index == 0 else index - 1
        size, stuck, most = expected_offer(tables.graded, tables.missed, mind.fitting, dice)
        worth += alive * weights[WEIGHT_GAIN] * size
        if strikes > 0:
            worth += alive * stuck * (weights[WEIGHT_GAIN] * most - weights[WEIGHT_FORCED])
        else:
            alive *= 1.0 - stuck
    return worth + alive * weights[WEIGHT_FUTURE]


@jit_inlined
def mark_fitting_orientations(free, allowed, kinds, fitting):
    """Find the orientations that fit somewhere, and return how many placements there are."""
    kinds[:] = 0
    total = np.uint32(0)
    for step in range(len(free) // VECTOR_WORDS):
        some = kinds[step % CELL_WORDS]
        for i in range(VECTOR_WORDS):
            both = np.uint32(free[VECTOR_WORDS * step + i] & allowed[VECTOR_WORDS * step + i])
            some[i] |= both
            total = np.uint32(total + count_bits(both))
    flat = kinds.reshape(CELL_WORDS * VECTOR_WORDS)
    fitting[:] = 0
    for i in range(VECTOR_WORDS):
        for k in range(CELL_WORDS):
            fitting[k] |= flat[CELL_WORDS * i + k]
    return np.int64(total)


@jit_inlined
def expected_offer(graded, missed, fitting, dice):
    """Return what so many dice will offer: expected size of the largest shape, chance of none; and the largest size.

    The first counts none as 0; the last is that of all shapes that fit, as a strike opens them.
    """
    size, stuck, most = 0.0, 1.0, 0
    faces = 0  # a bit for each row that has a shape of at least so many squares
    for squares in range(LONGEST_SHAPE, 0, -1):
        for face in range(FACE_COUNT):
            here = graded[face, squares]
            if (here[0] & fitting[0]) | (here[1] & fitting[1]) | (here[2] & fitting[2]):
                faces |= 1 << face
                most = max(most, squares)
        stuck = missed[count_bits(faces), dice]
        size += 1.0 - stuck
    return size, stuck, most


@jit_inlined
def best_candidate(values, number):
    """Return the candidate of the highest value, the first of equals; -1 if there is none."""
    best = -1
    for n in range(number):
        if best < 0 or values[n] > values[best]:
            best = n
    return best


@jit_inlined
def candidate_placement(mind, n):
    """Return face, strike and spot of a candidate; spot -1 if there is none."""
    if n < 0:
        return 0, 0, -1
    return np.int64(mind.faces[n]), np.int64(mind.struck[n]), np.int64(mind.spots[n])
