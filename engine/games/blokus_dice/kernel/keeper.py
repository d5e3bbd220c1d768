"""What `keeper` thinks of a placement: the squares it fills, and what it leaves to the four colours.

After a placement the seat holds the other three colours in turn, then the same again. For each of these four rounds
the board tells which rows of the list have a shape that fits in the colour, and the order of play how many dice will
be left: so the expected size of the largest shape, and the chance that no die fits at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import called, copy, inlined, lowest, ones
from engine.games.blokus_dice.kernel.policies import find_points, view
from engine.games.blokus_dice.kernel.position import (
    ANY,
    APART,
    BEGUN,
    FREE,
    JOINED,
    OUTS,
    STARTER,
    STRIKES,
)
from engine.games.blokus_dice.kernel.rules import held, left, mark
from engine.games.blokus_dice.kernel.tables import BITS, DEPTH, DICE_MOST, LONGEST, STEP
from engine.games.blokus_dice.ruleset import COLOURS, FACES
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Numbers, Tables, Words

# the weights of keeper, in the order of `weights.toml`
STRIKE, FORCED, RARE, POINTS, GAIN, MOBILITY, VARIETY, FADE, FUTURE = range(9)


class Candidates(NamedTuple):
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


def candidates(tables: Tables) -> Candidates:
    """Return room for the candidates of one decision."""
    return Candidates(
        np.empty(tables.placements, np.int32),
        np.empty(tables.placements, np.int32),
        np.empty(tables.placements, np.int32),
        np.empty(tables.placements, np.float64),
        np.empty(len(SHAPES), np.int64),
        np.empty((len(COLOURS), tables.words), np.uint32),
        np.empty((3, tables.words), np.uint32),
        np.empty((DEPTH, STEP), np.uint32),
        np.empty(DEPTH, np.uint32),
        np.empty(2, np.int64),
    )


@called
def weigh(position, tables, scratch, mind, weights, seat):
    """Value every placement that the seat may draw, and return how many there are.

    A placement that some die offers is weighed without a strike only: a strike would be wasted on it.
    """
    find_points(position.filled[seat], held(position, seat), tables.side, scratch.points)
    find_places(position.planes[seat], tables.shape, mind.open, mind.places)
    look_ahead(position.turn, position.gone, tables.players, seat, mind.ahead)
    spare, faces = -1, 0  # the die that a strike gives away, and a bit for each face that is left
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face >= 0:
            faces |= 1 << face
            if spare < 0:
                spare = face
    may_strike = position.boards[seat, STRIKES] < tables.strikes
    number = 0
    for step in range(tables.words):
        rest = np.uint32(scratch.fitting[step] & tables.offered[ANY, step])
        cell, k = divmod(step, DEPTH)
        while rest:
            o = BITS * k + np.int64(lowest(rest))
            rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
            row = np.int64(tables.row[o])
            is_offered = faces >> row & 1
            if not is_offered and not may_strike:
                continue
            mind.spots[number] = BITS * DEPTH * cell + o
            mind.faces[number] = row if is_offered else spare
            mind.struck[number] = 1 - is_offered
            number += 1
    for n in range(number):
        mind.values[n] = value(position, tables, scratch, mind, weights, seat, n)
    return number


@inlined
def find_places(planes, shape, allowed, places):
    """Find the placements that each colour allows, and count those of each shape that some colour allows."""
    words = planes.shape[1]
    places[:] = 0
    for colour in range(len(COLOURS)):
        for i in range(words):
            allowed[colour, i] = planes[JOINED + colour, i] & planes[APART + colour, i]
    for step in range(words):
        rest = np.uint32(
            planes[FREE, step] & (allowed[0, step] | allowed[1, step] | allowed[2, step] | allowed[3, step])
        )
        while rest:
            places[shape[BITS * (step % DEPTH) + np.int64(lowest(rest))]] += 1
            rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))


@inlined
def look_ahead(turn, gone, players, seat, ahead):
    """Count the seats that are in, and those before this one in the next round. BD-10."""
    ahead[0], ahead[1] = players - turn[OUTS], 0
    other = (turn[STARTER] + 1) % players
    while other != seat:
        ahead[1] += 1
        for out in range(turn[OUTS]):
            if gone[out] == other:
                ahead[1] -= 1
        other = (other + 1) % players


@inlined
def value(position, tables, scratch, mind, weights, seat, n):
    """Return what keeper thinks of a candidate, in squares."""
    spot = np.int64(mind.spots[n])
    cell, o = divmod(spot, BITS * DEPTH)
    around = view(scratch.points, cell, tables.stride)
    worth = np.float64(tables.sizes[o])
    worth += weights[POINTS] * ones(around & tables.corners[o])
    worth -= weights[RARE] * tables.logs[mind.places[tables.shape[o]]]
    worth -= weights[STRIKE] * mind.struck[n]
    colour = held(position, seat)
    free, joined, apart = mind.planes[0], mind.planes[1], mind.planes[2]
    copy(position.planes[seat, FREE], free)
    copy(position.planes[seat, JOINED + colour], joined)
    copy(position.planes[seat, APART + colour], apart)
    if position.boards[seat, BEGUN] >> colour & 1 == 0:
        joined[:] = 0
    mark(tables, free, joined, apart, spot)
    own = mind.open[colour]
    for i in range(tables.words):
        own[i] = joined[i] & apart[i]
    strikes = tables.strikes - position.boards[seat, STRIKES] - mind.struck[n]
    alive, fade, index = 1.0, 1.0, mind.ahead[1]
    for later in range(1, len(COLOURS) + 1):
        fits = find_kinds(free, mind.open[colour - later & 3], mind.kinds, mind.fitting)
        if fits == 0:  # BD-8: out when this colour comes
            return worth
        kinds = ones(mind.fitting[0]) + ones(mind.fitting[1]) + ones(mind.fitting[2])
        worth += alive * fade * weights[MOBILITY] * tables.logs[fits]
        worth += alive * fade * weights[VARIETY] * tables.logs[kinds]
        fade *= weights[FADE]
        dice = mind.ahead[0] - index
        index = mind.ahead[0] - 1 if index == 0 else index - 1
        size, stuck, most = expected(tables.graded, tables.missed, mind.fitting, dice)
        worth += alive * weights[GAIN] * size
        if strikes > 0:
            worth += alive * stuck * (weights[GAIN] * most - weights[FORCED])
        else:
            alive *= 1.0 - stuck
    return worth + alive * weights[FUTURE]


@inlined
def find_kinds(free, allowed, kinds, fitting):
    """Find the orientations that fit somewhere, and return how many placements there are."""
    kinds[:] = 0
    total = np.uint32(0)
    for step in range(len(free) // STEP):
        some = kinds[step % DEPTH]
        for i in range(STEP):
            both = np.uint32(free[STEP * step + i] & allowed[STEP * step + i])
            some[i] |= both
            total = np.uint32(total + ones(both))
    flat = kinds.reshape(DEPTH * STEP)
    fitting[:] = 0
    for i in range(STEP):
        for k in range(DEPTH):
            fitting[k] |= flat[DEPTH * i + k]
    return np.int64(total)


@inlined
def expected(graded, missed, fitting, dice):
    """Return what so many dice will offer: expected size of the largest shape, chance of none; and the largest size.

    The first counts none as 0; the last is that of all shapes that fit, as a strike opens them.
    """
    size, stuck, most = 0.0, 1.0, 0
    faces = 0  # a bit for each row that has a shape of at least so many squares
    for squares in range(LONGEST, 0, -1):
        for face in range(FACES):
            here = graded[face, squares]
            if (here[0] & fitting[0]) | (here[1] & fitting[1]) | (here[2] & fitting[2]):
                faces |= 1 << face
                most = max(most, squares)
        stuck = missed[ones(faces), dice]
        size += 1.0 - stuck
    return size, stuck, most


@inlined
def best_candidate(values, number):
    """Return the candidate of the highest value, the first of equals; -1 if there is none."""
    best = -1
    for n in range(number):
        if best < 0 or values[n] > values[best]:
            best = n
    return best


@inlined
def candidate(mind, n):
    """Return face, strike and spot of a candidate; spot -1 if there is none."""
    if n < 0:
        return 0, 0, -1
    return np.int64(mind.faces[n]), np.int64(mind.struck[n]), np.int64(mind.spots[n])
