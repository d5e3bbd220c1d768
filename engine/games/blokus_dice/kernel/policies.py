"""What `random`, `greedy` and `noisy` do in compiled games: each looks at the legal placements once."""

from __future__ import annotations

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import (
    add_words,
    copy_array,
    count_bits,
    jit_inlined,
    jit_internal,
    lowest_bit,
    nth_shared_member,
    shared_words_mask,
    subtract_words,
)
from engine.games.blokus_dice.kernel.position import ANY_FACE, BOARD_STRIKES
from engine.games.blokus_dice.kernel.rules import held_colour, untaken_face
from engine.games.blokus_dice.kernel.tables import (
    CELL_WORDS,
    LONGEST_SHAPE,
    MAX_DICE,
    VECTOR_WORDS,
    VIEW_SIDE,
    WORD_BITS,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES
from engine.kernels.luck import normal_number, number_below, random_word

CORNER_POINTS_PER_SQUARE = 16.0
"""Corner points that noisy counts as one square: more than any shape has, so that they only decide between equals."""


@jit_inlined
def choose_random(position, tables, scratch, options, bits):
    """Return face, strike and spot of a placement, each legal one equally likely; spot -1 if there is none."""
    index = np.int64(number_below(bits, np.uint64(options)))
    counts = scratch.counts
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face < 0:
            continue
        if index < counts[face]:
            return face, 0, nth_shared_member(scratch.fitting, tables.offered[face], index)
        index -= counts[face]
        if index < counts[ANY_FACE]:
            return face, 1, nth_shared_member(scratch.fitting, tables.offered[ANY_FACE], index)
        index -= counts[ANY_FACE]
    return 0, 0, -1


@jit_inlined
def choose_greedy(position, tables, scratch, seat, bits):
    """Return face, strike and spot of one of the best placements in the eyes of greedy; spot -1 if there is none."""
    mark_corner_points(position.filled[seat], held_colour(position, seat), tables.side, scratch.points)
    masks = scratch.masks
    for k in range(CELL_WORDS):
        subtract_words(masks[k], 0, masks[k])
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            for k in range(CELL_WORDS):
                add_words(masks[k], 0, tables.offers[face, k])
    struck = 0
    if (
        not mark_largest_placements(tables, scratch, masks)
        and position.boards[seat, BOARD_STRIKES] < tables.strikes
    ):
        struck = 1
        mark_largest_placements(tables, scratch, tables.offers[ANY_FACE])
    list_best_placements(tables, scratch, struck)
    total = 0
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            total += scratch.tied[ANY_FACE if struck else face]
    index = np.int64(number_below(bits, np.uint64(total)))
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face < 0:
            continue
        row = ANY_FACE if struck else face
        if index < scratch.tied[row]:
            return face, struck, np.int64(scratch.ties[row, index])
        index -= scratch.tied[row]
    return 0, 0, -1


@jit_inlined
def mark_corner_points(filled, colour, side, points):
    """Find the squares that count as corner points: not drawn, and not beside the colour."""
    own = filled[colour]
    for x in range(side):
        spoilt = np.int64(own[x]) << 1 | np.int64(own[x]) >> 1
        if x > 0:
            spoilt |= np.int64(own[x - 1])
        if x < side - 1:
            spoilt |= np.int64(own[x + 1])
        for other in range(len(COLOUR_NAMES)):
            spoilt |= np.int64(filled[other, x])
        points[x + 1] = (~spoilt & (1 << side) - 1) << 1


@jit_inlined
def mark_largest_placements(tables, scratch, masks):
    """Find the words that have placements of the largest size that fits; say whether there are any."""
    busy, wanted = scratch.busy, scratch.wanted
    for size in range(LONGEST_SHAPE, 0, -1):
        copy_array(masks, wanted)
        for k in range(CELL_WORDS):
            subtract_words(wanted[k], 0, tables.unsized[size, k])
        some = 0
        for step in range(len(busy)):
            busy[step] = shared_words_mask(scratch.fitting, VECTOR_WORDS * step, wanted[step % CELL_WORDS])
            some |= busy[step]
        if some:
            return True
    return False


@jit_inlined
def list_best_placements(tables, scratch, struck):
    """Find those placements of the largest size that have the most corner points, by row of the list."""
    tied, points = scratch.tied, scratch.points
    tied[:] = 0
    best = 0
    for step in range(len(scratch.busy)):
        busy = scratch.busy[step]
        while busy:
            i = np.int64(lowest_bit(busy))
            busy &= busy - 1
            cell, k = divmod(VECTOR_WORDS * step + i, CELL_WORDS)
            around = corner_points_around(points, cell, tables.stride)
            rest = np.uint32(scratch.fitting[VECTOR_WORDS * step + i] & scratch.wanted[step % CELL_WORDS, i])
            while rest:
                o = WORD_BITS * k + np.int64(lowest_bit(rest))
                rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
                value = count_bits(around & tables.corners[o])
                if value < best:
                    continue
                if value > best:
                    best = value
                    tied[:] = 0
                row = ANY_FACE if struck else np.int64(tables.row[o])
                scratch.ties[row, tied[row]] = WORD_BITS * CELL_WORDS * cell + o
                tied[row] += 1


@jit_inlined
def corner_points_around(points, cell, stride):
    """Return the squares round the placements of a cell that count as corner points, in the order of Tables.corners."""
    y = cell // stride
    x = cell - y * stride - LONGEST_SHAPE
    around = 0
    for column in range(VIEW_SIDE):
        around |= (points[x + column] >> y & (1 << VIEW_SIDE) - 1) << VIEW_SIDE * column
    return around


@jit_internal
def choose_noisy(position, tables, scratch, sigma, seed, block, who, round_, index, seat):
    """Return face, strike and spot of the best placement in the eyes of noisy; spot -1 if there is none.

    One draw for each placement, die by die, in the order of the legal actions; with strikes only when forced.
    """
    mark_corner_points(position.filled[seat], held_colour(position, seat), tables.side, scratch.points)
    fitting = scratch.fitting
    chosen, found, best = 0, np.int64(-1), 0.0
    for struck in range(2 if position.boards[seat, BOARD_STRIKES] < tables.strikes else 1):
        for die in range(MAX_DICE):
            face = untaken_face(position, tables, die)
            if face < 0:
                continue
            offered = tables.offered[ANY_FACE if struck else face]
            for step in range(tables.words):
                rest = np.uint32(fitting[step] & offered[step])
                if rest == 0:
                    continue
                cell, k = divmod(step, CELL_WORDS)
                around = corner_points_around(scratch.points, cell, tables.stride)
                while rest:
                    o = WORD_BITS * k + np.int64(lowest_bit(rest))
                    rest = np.uint32(rest & np.uint32(rest - np.uint32(1)))
                    error = normal_number(tables.quantiles, random_word(seed, block, who, round_, index))
                    index += np.uint64(1)
                    points = np.float64(count_bits(around & tables.corners[o])) / CORNER_POINTS_PER_SQUARE
                    value = np.float64(tables.sizes[o]) + points + sigma * error
                    if found < 0 or value > best:
                        chosen, found, best = face, WORD_BITS * CELL_WORDS * cell + o, value
        if found >= 0:
            return chosen, struck, found
    return 0, 0, -1
