"""What `random`, `greedy` and `noisy` do in compiled games: each looks at the legal placements once."""

from __future__ import annotations

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import (
    add,
    called,
    copy,
    inlined,
    lowest,
    meeting,
    nth,
    ones,
    take_away,
)
from engine.games.blokus_dice.kernel.position import ANY, STRIKES
from engine.games.blokus_dice.kernel.rules import held, left
from engine.games.blokus_dice.kernel.tables import BITS, DEPTH, DICE_MOST, LONGEST, STEP, VIEW
from engine.games.blokus_dice.ruleset import COLOURS
from engine.kernels.luck import below, normal, word

POINTS_A_SQUARE = 16.0
"""Corner points that noisy counts as one square: more than any shape has, so that they only decide between equals."""


@inlined
def any_placement(position, tables, scratch, options, bits):
    """Return face, strike and spot of a placement, each legal one equally likely; spot -1 if there is none."""
    index = np.int64(below(bits, np.uint64(options)))
    counts = scratch.counts
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face < 0:
            continue
        if index < counts[face]:
            return face, 0, nth(scratch.fitting, tables.offered[face], index)
        index -= counts[face]
        if index < counts[ANY]:
            return face, 1, nth(scratch.fitting, tables.offered[ANY], index)
        index -= counts[ANY]
    return 0, 0, -1


@inlined
def best_placement(position, tables, scratch, seat, bits):
    """Return face, strike and spot of one of the best placements in the eyes of greedy; spot -1 if there is none."""
    find_points(position.filled[seat], held(position, seat), tables.side, scratch.points)
    masks = scratch.masks
    for k in range(DEPTH):
        take_away(masks[k], 0, masks[k])
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face >= 0:
            for k in range(DEPTH):
                add(masks[k], 0, tables.offers[face, k])
    struck = 0
    if not find_largest(tables, scratch, masks) and position.boards[seat, STRIKES] < tables.strikes:
        struck = 1
        find_largest(tables, scratch, tables.offers[ANY])
    find_best(tables, scratch, struck)
    total = 0
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face >= 0:
            total += scratch.tied[ANY if struck else face]
    index = np.int64(below(bits, np.uint64(total)))
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face < 0:
            continue
        row = ANY if struck else face
        if index < scratch.tied[row]:
            return face, struck, np.int64(scratch.ties[row, index])
        index -= scratch.tied[row]
    return 0, 0, -1


@inlined
def find_points(filled, colour, side, points):
    """Find the squares that count as corner points: not drawn, and not beside the colour."""
    own = filled[colour]
    for x in range(side):
        spoilt = np.int64(own[x]) << 1 | np.int64(own[x]) >> 1
        if x > 0:
            spoilt |= np.int64(own[x - 1])
        if x < side - 1:
            spoilt |= np.int64(own[x + 1])
        for other in range(len(COLOURS)):
            spoilt |= np.int64(filled[other, x])
        points[x + 1] = (~spoilt & (1 << side) - 1) << 1


@inlined
def find_largest(tables, scratch, masks):
    """Find the words that have placements of the largest size that fits; say whether there are any."""
    busy, wanted = scratch.busy, scratch.wanted
    for size in range(LONGEST, 0, -1):
        copy(masks, wanted)
        for k in range(DEPTH):
            take_away(wanted[k], 0, tables.unsized[size, k])
        some = 0
        for step in range(len(busy)):
            busy[step] = meeting(scratch.fitting, STEP * step, wanted[step % DEPTH])
            some |= busy[step]
        if some:
            return True
    return False


@inlined
def find_best(tables, scratch, struck):
    """Find those placements of the largest size that have the most corner points, by row of the list."""
    tied, points = scratch.tied, scratch.points
    tied[:] = 0
    best = 0
    for step in range(len(scratch.busy)):
        busy = scratch.busy[step]
        while busy:
            i = np.int64(lowest(busy))
            busy &= busy - 1
            cell, k = divmod(STEP * step + i, DEPTH)
            around = view(points, cell, tables.stride)
            rest = np.uint32(scratch.fitting[STEP * step + i] & scratch.wanted[step % DEPTH, i])
            while rest:
                o = BITS * k + np.int64(lowest(rest))
                rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
                value = ones(around & tables.corners[o])
                if value < best:
                    continue
                if value > best:
                    best = value
                    tied[:] = 0
                row = ANY if struck else np.int64(tables.row[o])
                scratch.ties[row, tied[row]] = BITS * DEPTH * cell + o
                tied[row] += 1


@inlined
def view(points, cell, stride):
    """Return the squares round the placements of a cell that count as corner points, in the order of Tables.corners."""
    y = cell // stride
    x = cell - y * stride - LONGEST
    around = 0
    for column in range(VIEW):
        around |= (points[x + column] >> y & (1 << VIEW) - 1) << VIEW * column
    return around


@called
def noisy_placement(position, tables, scratch, sigma, seed, block, who, round_, index, seat):
    """Return face, strike and spot of the best placement in the eyes of noisy; spot -1 if there is none.

    One draw for each placement, die by die, in the order of the legal actions; with strikes only when forced.
    """
    find_points(position.filled[seat], held(position, seat), tables.side, scratch.points)
    fitting = scratch.fitting
    chosen, found, best = 0, np.int64(-1), 0.0
    for struck in range(2 if position.boards[seat, STRIKES] < tables.strikes else 1):
        for die in range(DICE_MOST):
            face = left(position, tables, die)
            if face < 0:
                continue
            offered = tables.offered[ANY if struck else face]
            for step in range(tables.words):
                rest = np.uint32(fitting[step] & offered[step])
                if rest == 0:
                    continue
                cell, k = divmod(step, DEPTH)
                around = view(scratch.points, cell, tables.stride)
                while rest:
                    o = BITS * k + np.int64(lowest(rest))
                    rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
                    error = normal(tables.quantiles, word(seed, block, who, round_, index))
                    index += np.uint64(1)
                    points = np.float64(ones(around & tables.corners[o])) / POINTS_A_SQUARE
                    value = np.float64(tables.sizes[o]) + points + sigma * error
                    if found < 0 or value > best:
                        chosen, found, best = face, BITS * DEPTH * cell + o, value
        if found >= 0:
            return chosen, struck, found
    return 0, 0, -1
