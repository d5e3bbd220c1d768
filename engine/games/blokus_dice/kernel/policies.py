"""The strategies `random`, `greedy` and `noisy` of Blokus Dice, compiled. Each looks at the legal placements once.

Every function that chooses returns face, strike (1 or 0) and placement; the placement is -1 if none is legal.
`Workspace.fitting` must have been stored before.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import (
    add_words,
    nth_shared_member,
    shared_words_mask,
    subtract_words,
)
from engine.games.blokus_dice.kernel.position import ANY_FACE, BOARD_STRIKES
from engine.games.blokus_dice.kernel.rules import held_colour, untaken_face
from engine.games.blokus_dice.kernel.tables import (
    LONGEST_SHAPE,
    MAX_DICE,
    SPOT_STRIDE,
    SPOT_WORDS,
    VECTOR_WORDS,
    VIEW_SIDE,
    WORD_BITS,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit
from engine.kernels.compiling import copy_array, jit_inlined, jit_internal
from engine.kernels.luck import normal_number, number_below, random_word

_CORNER_POINTS_PER_SQUARE: Final = 16.0
"""Corner points that `noisy` counts as one square: more than any shape has, so that they decide only between equal
sizes."""


@jit_inlined
def choose_random(position, tables, workspace, options, bits_of_luck):
    """Choose among `options` legal placements, each equally likely; they must just have been counted."""
    n = np.int64(number_below(bits_of_luck, np.uint64(options)))
    counts = workspace.counts
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face < 0:
            continue
        if n < counts[face]:
            return face, 0, nth_shared_member(workspace.fitting, tables.offered[face], n)
        n -= counts[face]
        if n < counts[ANY_FACE]:
            return face, 1, nth_shared_member(workspace.fitting, tables.offered[ANY_FACE], n)
        n -= counts[ANY_FACE]
    return 0, 0, -1


@jit_inlined
def choose_greedy(position, tables, workspace, seat, bits_of_luck):
    """Choose one of the best placements by the ranking of `strategies.py`; 32 random bits choose among equal ones."""
    mark_corner_points(position.filled[seat], held_colour(position, seat), tables.side, workspace)
    _store_offered_pattern(position, tables, workspace.offered)
    strike = 0
    if (
        not _mark_largest_placements(tables, workspace, workspace.offered)
        and position.boards[seat, BOARD_STRIKES] < tables.strikes
    ):
        strike = 1
        _mark_largest_placements(tables, workspace, tables.offered_patterns[ANY_FACE])
    _list_best_placements(tables, workspace, strike)
    total = 0
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            total += workspace.tie_counts[ANY_FACE if strike else face]
    n = np.int64(number_below(bits_of_luck, np.uint64(total)))
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face < 0:
            continue
        row = ANY_FACE if strike else face
        if n < workspace.tie_counts[row]:
            return face, strike, np.int64(workspace.ties[row, n])
        n -= workspace.tie_counts[row]
    return 0, 0, -1


@jit_inlined
def mark_corner_points(filled, colour, side, workspace):
    """Write to `workspace.corner_points` the squares that count: not drawn, and not beside the colour."""
    own = filled[colour]
    for x in range(side):
        excluded = np.int64(own[x]) << 1 | np.int64(own[x]) >> 1
        if x > 0:
            excluded |= np.int64(own[x - 1])
        if x < side - 1:
            excluded |= np.int64(own[x + 1])
        for other in range(len(COLOUR_NAMES)):
            excluded |= np.int64(filled[other, x])
        workspace.corner_points[x + 1] = (~excluded & (1 << side) - 1) << 1


@jit_inlined
def _store_offered_pattern(position, tables, pattern):
    """Write to `pattern` the placements of all rows of the list that dice offer."""
    for k in range(SPOT_WORDS):
        subtract_words(pattern[k], 0, pattern[k])
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            for k in range(SPOT_WORDS):
                add_words(pattern[k], 0, tables.offered_patterns[face, k])


@jit_inlined
def _mark_largest_placements(tables, workspace, offered):
    """Mark the words with placements of the largest size that is offered and fits; return whether there are any.

    They are in `workspace.words_with_members`, the pattern of the size in `workspace.of_size`.
    """
    marked, of_size = workspace.words_with_members, workspace.of_size
    for size in range(LONGEST_SHAPE, 0, -1):
        copy_array(offered, of_size)
        for k in range(SPOT_WORDS):
            subtract_words(of_size[k], 0, tables.not_of_size[size, k])
        some = 0
        for vector in range(len(marked)):
            pattern = of_size[vector % SPOT_WORDS]
            marked[vector] = shared_words_mask(workspace.fitting, VECTOR_WORDS * vector, pattern)
            some |= marked[vector]
        if some:
            return True
    return False


@jit_inlined
def _list_best_placements(tables, workspace, strike):
    """List the marked placements with the most corner points in `workspace.ties`, by the face of their row."""
    tie_counts = workspace.tie_counts
    tie_counts[:] = 0
    best = 0
    for vector in range(len(workspace.words_with_members)):
        marked = workspace.words_with_members[vector]
        while marked:
            i = np.int64(lowest_bit(marked))
            marked = clear_lowest_bit(marked)
            word = VECTOR_WORDS * vector + i
            spot, k = divmod(word, SPOT_WORDS)
            around = corner_points_around(workspace, tables, spot)
            rest = np.uint32(workspace.fitting[word] & workspace.of_size[vector % SPOT_WORDS, i])
            while rest:
                orientation = WORD_BITS * k + np.int64(lowest_bit(rest))
                rest = clear_lowest_bit(rest)
                value = count_bits(around & tables.corner_points[orientation])
                if value < best:
                    continue
                if value > best:
                    best = value
                    tie_counts[:] = 0
                row = ANY_FACE if strike else np.int64(tables.faces[orientation])
                workspace.ties[row, tie_counts[row]] = SPOT_STRIDE * spot + orientation
                tie_counts[row] += 1


@jit_inlined
def corner_points_around(workspace, tables, spot):
    """Return the squares around a spot that count as corner points, bits as in `Tables.corner_points`."""
    y = spot // tables.row_stride
    x = spot - y * tables.row_stride - LONGEST_SHAPE
    around = 0
    for column in range(VIEW_SIDE):
        rows = workspace.corner_points[x + column] >> y & (1 << VIEW_SIDE) - 1
        around |= rows << VIEW_SIDE * column
    return around


@jit_internal
def choose_noisy(position, tables, workspace, seat, sigma, luck):
    """Choose the best placement by the ranking of `strategies.py` with a normal error on each.

    Each placement takes one draw, die by die, in the order of the legal actions; placements with a strike count only if
    no other is legal. `luck` is (seed, block, key, round, index) of the first draw.
    """
    seed, block, key, round_, index = luck
    mark_corner_points(position.filled[seat], held_colour(position, seat), tables.side, workspace)
    best_face, best_placement, best = 0, np.int64(-1), 0.0
    for strike in range(2 if position.boards[seat, BOARD_STRIKES] < tables.strikes else 1):
        for die in range(MAX_DICE):
            face = untaken_face(position, tables, die)
            if face < 0:
                continue
            offered = tables.offered[ANY_FACE if strike else face]
            for word in range(tables.words):
                rest = np.uint32(workspace.fitting[word] & offered[word])
                if rest == 0:
                    continue
                spot, k = divmod(word, SPOT_WORDS)
                around = corner_points_around(workspace, tables, spot)
                while rest:
                    orientation = WORD_BITS * k + np.int64(lowest_bit(rest))
                    rest = clear_lowest_bit(rest)
                    bits = random_word(seed, block, key, round_, index)
                    index += np.uint64(1)
                    corner_points = np.float64(count_bits(around & tables.corner_points[orientation]))
                    value = np.float64(tables.sizes[orientation]) + corner_points / _CORNER_POINTS_PER_SQUARE
                    value += sigma * normal_number(tables.quantiles, bits)
                    if best_placement < 0 or value > best:
                        best_face, best_placement, best = face, SPOT_STRIDE * spot + orientation, value
        if best_placement >= 0:
            return best_face, strike, best_placement
    return 0, 0, -1
