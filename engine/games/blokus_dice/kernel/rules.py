"""The rules of Blokus Dice, compiled: clauses BD-2 to BD-13 as changes of a `Position`.

`tables` explains what spots, orientations, placements, planes and windows are.
"""

from __future__ import annotations

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import (
    add_words,
    count_shared_members,
    subtract_words,
)
from engine.games.blokus_dice.kernel.position import (
    ANY_FACE,
    BOARD_COLOURS,
    BOARD_STRIKES,
    BOARD_UNFILLED,
    PLANE_APART,
    PLANE_FREE,
    PLANE_JOINED,
    TURN_DUE,
    TURN_DUE_END,
    TURN_OUT_COUNT,
    TURN_ROLL,
    TURN_ROUND,
    TURN_STARTER,
)
from engine.games.blokus_dice.kernel.tables import (
    LONGEST_SHAPE,
    MAX_DICE,
    SPOT_STRIDE,
    SPOT_WORDS,
    WINDOW_CORNERS,
    WINDOW_EDGES,
    WINDOW_HITS,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.kernels.compiling import jit_inlined, jit_inlined_entry
from engine.kernels.luck import counter_key, number_below, random_word
from engine.luck import PURPOSE_DICE


@jit_inlined
def held_colour(position, seat):
    """BD-10, BD-11: return the colour of the marker that a seat holds; & 3 is the remainder modulo 4."""
    return seat - position.turn[TURN_ROUND] & 3


@jit_inlined_entry
def store_fitting(position, seat, fitting):
    """BD-4, BD-5: write to `fitting` (words,) the placements of unused shapes that fit in the colour held."""
    colour = held_colour(position, seat)
    free = position.planes[seat, PLANE_FREE]
    joined = position.planes[seat, PLANE_JOINED + colour]
    apart = position.planes[seat, PLANE_APART + colour]
    for i in range(len(fitting)):
        fitting[i] = free[i] & joined[i] & apart[i]


@jit_inlined_entry
def untaken_face(position, tables, die):
    """Return the face of a die of the roll (BD-2); -1 if it is taken, or if an equal one before it is not."""
    faces = tables.roll_faces[position.turn[TURN_ROLL]]
    if position.takers[die] >= 0 or (
        die > 0 and faces[die - 1] == faces[die] and position.takers[die - 1] < 0
    ):
        return -1
    return np.int64(faces[die])


@jit_inlined
def count_placements(position, tables, workspace, seat):
    """BD-7: count the legal placements by face in `workspace.counts`; return how many there are with all dice left.

    `workspace.fitting` must have been stored.
    """
    total = 0
    counts, fitting = workspace.counts, workspace.fitting
    can_strike = position.boards[seat, BOARD_STRIKES] < tables.strikes
    # BD-6: a strike opens all rows of the list.
    counts[ANY_FACE] = count_shared_members(fitting, tables.offered[ANY_FACE]) if can_strike else 0
    for die in range(MAX_DICE):
        face = untaken_face(position, tables, die)
        if face >= 0:
            counts[face] = count_shared_members(fitting, tables.offered[face])  # BD-3
            total += counts[face] + counts[ANY_FACE]
    return total


@jit_inlined
def placement_corner(tables, placement):
    """Return column, row and orientation of a placement."""
    spot = placement // SPOT_STRIDE
    orientation = placement - spot * SPOT_STRIDE
    y = spot // tables.row_stride
    return spot - y * tables.row_stride - LONGEST_SHAPE, y, orientation


@jit_inlined
def draw_placement(position, tables, seat, placement):
    """Draw a placement on a seat's board in the colour held."""
    colour = held_colour(position, seat)
    x, y, orientation = placement_corner(tables, placement)
    planes, board = position.planes[seat], position.boards[seat]
    if board[BOARD_COLOURS] >> colour & 1 == 0:  # BD-4: corner squares count for a colour's first shape only
        planes[PLANE_JOINED + colour][:] = 0
        board[BOARD_COLOURS] |= 1 << colour
    update_planes(
        tables, planes[PLANE_FREE], planes[PLANE_JOINED + colour], planes[PLANE_APART + colour], placement
    )
    for column in range(np.int64(tables.widths[orientation])):
        squares = np.uint32(tables.squares[orientation, column] << np.uint32(y))
        position.filled[seat, colour, x + column] |= squares
    board[BOARD_UNFILLED] -= tables.sizes[orientation]


@jit_inlined
def update_planes(tables, free, joined, apart, placement):
    """Change the planes that a drawn placement changes: the free placements, and two planes of its colour."""
    x, y, orientation = placement_corner(tables, placement)
    for row in range(
        max(0, y - LONGEST_SHAPE), min(tables.side, y + np.int64(tables.heights[orientation]) + 1)
    ):
        first = SPOT_WORDS * (tables.row_stride * row + x) + 1
        window = tables.windows[orientation, row - y + LONGEST_SHAPE]
        subtract_words(free, first, window[WINDOW_HITS])
        subtract_words(apart, first, window[WINDOW_EDGES])  # BD-5
        add_words(joined, first, window[WINDOW_CORNERS])  # BD-5
    other_shapes = tables.other_shapes[tables.shapes[orientation]]
    for i in range(tables.words):
        free[i] &= other_shapes[i]  # BD-3: each shape is used once


@jit_inlined_entry
def play_placement(position, tables, face, strike, placement):
    """BD-3, BD-6: the seat that is due takes a die of this face and draws a placement, with a strike (1) or without."""
    turn = position.turn
    seat = position.order[turn[TURN_DUE]]
    die = 0
    while tables.roll_faces[turn[TURN_ROLL], die] != face or position.takers[die] >= 0:
        die += 1
    position.takers[die] = seat
    position.boards[seat, BOARD_STRIKES] += strike
    draw_placement(position, tables, seat, placement)
    advance_turn(position, tables)


@jit_inlined_entry
def drop_out(position, tables):
    """BD-8, BD-9: the seat that is due is out of the game for good and takes no die."""
    turn = position.turn
    position.gone[turn[TURN_OUT_COUNT]] = position.order[turn[TURN_DUE]]
    turn[TURN_OUT_COUNT] += 1
    advance_turn(position, tables)


@jit_inlined
def advance_turn(position, tables):
    """BD-10, BD-12: go on to the next seat, the next round, or the end."""
    turn = position.turn
    turn[TURN_DUE] += 1
    if turn[TURN_DUE] < turn[TURN_DUE_END] or turn[TURN_OUT_COUNT] == tables.players:
        return
    waiting = 0
    starter = turn[TURN_STARTER]
    for step in range(1, tables.players + 1):
        seat = (starter + step) % tables.players
        is_out = False
        for other in range(turn[TURN_OUT_COUNT]):
            is_out |= position.gone[other] == seat
        if not is_out:
            position.order[waiting] = seat
            waiting += 1
    turn[TURN_ROUND] += 1
    turn[TURN_STARTER] = position.order[0]
    turn[TURN_ROLL] = -1
    turn[TURN_DUE] = 0
    turn[TURN_DUE_END] = waiting
    position.takers[:] = -1


@jit_inlined
def roll_dice(tables, dice, seed, block, round_):
    """BD-2: return the action of the roll of `dice` dice by the luck of a block in a round."""
    key = counter_key(np.uint64(PURPOSE_DICE), np.uint64(0))
    code = 0
    for die in range(dice):
        bits = random_word(seed, block, key, round_, np.uint64(die))
        code += np.int64(number_below(bits, np.uint64(FACE_COUNT))) * FACE_COUNT**die
    return np.int64(tables.roll_actions[dice, code])


@jit_inlined_entry
def action_offset(position, tables, seat, face, strike):
    """Return the number that is added to a placement's number in the rules to give the action; see `ruleset.py`."""
    block = (2 * face + strike) * len(COLOUR_NAMES) + held_colour(position, seat)
    return tables.out_action + 1 + block * tables.placement_count
