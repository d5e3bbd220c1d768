"""The rules of Blokus Dice compiled: clauses BD-2 to BD-13 as changes of a `Position`."""

from __future__ import annotations

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import add, compiled, counted, inlined, take_away
from engine.games.blokus_dice.kernel.position import (
    ANY,
    APART,
    BEGUN,
    DUE,
    ENDS,
    FREE,
    JOINED,
    OUTS,
    ROLL,
    ROUND,
    STARTER,
    STRIKES,
    UNFILLED,
)
from engine.games.blokus_dice.kernel.tables import BITS, CORNER, DEPTH, DICE_MOST, EDGE, HIT, LONGEST
from engine.games.blokus_dice.ruleset import COLOURS, FACES
from engine.kernels.luck import below, key, word
from engine.luck import DICE


@inlined
def held(position, seat):
    """BD-10, BD-11: return the colour of the marker that a seat holds; & 3 is the remainder modulo 4."""
    return seat - position.turn[ROUND] & 3


@compiled
def fit(position, seat, found):
    """BD-4, BD-5: find the placements of unused shapes that may be drawn in the colour held."""
    colour = held(position, seat)
    free = position.planes[seat, FREE]
    joined = position.planes[seat, JOINED + colour]
    apart = position.planes[seat, APART + colour]
    for i in range(len(found)):
        found[i] = free[i] & joined[i] & apart[i]


@compiled
def left(position, tables, die):
    """Return the face of a die of the roll, -1 if it is taken or an equal one before it is left. BD-2."""
    faces = tables.faces[position.turn[ROLL]]
    if position.takers[die] >= 0 or (
        die > 0 and faces[die - 1] == faces[die] and position.takers[die - 1] < 0
    ):
        return -1
    return np.int64(faces[die])


@inlined
def count(position, tables, scratch, seat):
    """BD-7: count the legal placements by face, and return how many there are with all dice left."""
    total = 0
    counts = scratch.counts
    # BD-6: a strike opens all rows
    can_strike = position.boards[seat, STRIKES] < tables.strikes
    counts[ANY] = counted(scratch.fitting, tables.offered[ANY]) if can_strike else 0
    for die in range(DICE_MOST):
        face = left(position, tables, die)
        if face >= 0:
            counts[face] = counted(scratch.fitting, tables.offered[face])  # BD-3
            total += counts[face] + counts[ANY]
    return total


@inlined
def draw(position, tables, seat, spot):
    """Draw a placement on a seat's board in the colour held."""
    colour = held(position, seat)
    cell = spot // BITS // DEPTH
    o = spot - cell * DEPTH * BITS
    y = cell // tables.stride
    x = cell - y * tables.stride - LONGEST
    planes, board = position.planes[seat], position.boards[seat]
    if board[BEGUN] >> colour & 1 == 0:  # BD-4: corner squares count for the first shape of a colour only
        planes[JOINED + colour][:] = 0
        board[BEGUN] |= 1 << colour
    mark(tables, planes[FREE], planes[JOINED + colour], planes[APART + colour], spot)
    for column in range(np.int64(tables.widths[o])):
        position.filled[seat, colour, x + column] |= np.uint32(tables.squares[o, column] << np.uint32(y))
    board[UNFILLED] -= tables.sizes[o]


@inlined
def mark(tables, free, joined, apart, spot):
    """Change the planes that a drawn placement changes: the free placements, and two planes of its colour."""
    cell = spot // BITS // DEPTH
    o = spot - cell * DEPTH * BITS
    y = cell // tables.stride
    x = cell - y * tables.stride - LONGEST
    for row in range(max(0, y - LONGEST), min(tables.side, y + np.int64(tables.heights[o]) + 1)):
        first = DEPTH * (tables.stride * row + x) + 1
        window = tables.windows[o, row - y + LONGEST]
        take_away(free, first, window[HIT])
        take_away(apart, first, window[EDGE])  # BD-5
        add(joined, first, window[CORNER])  # BD-5
    others = tables.others[tables.shape[o]]
    for i in range(tables.words):
        free[i] &= others[i]  # BD-3: each shape is used once


@compiled
def place(position, tables, face, struck, spot):
    """BD-3, BD-6: the seat that is due takes a die of this face and draws a placement, with a strike (1) or without."""
    turn = position.turn
    seat = position.order[turn[DUE]]
    die = 0
    while tables.faces[turn[ROLL], die] != face or position.takers[die] >= 0:
        die += 1
    position.takers[die] = seat
    position.boards[seat, STRIKES] += struck
    draw(position, tables, seat, spot)
    go_on(position, tables)


@compiled
def leave(position, tables):
    """BD-8, BD-9: the seat that is due is out of the game for good, without taking a die."""
    turn = position.turn
    position.gone[turn[OUTS]] = position.order[turn[DUE]]
    turn[OUTS] += 1
    go_on(position, tables)


@inlined
def go_on(position, tables):
    """BD-10, BD-12: go on to the next seat, the next round, or the end."""
    turn = position.turn
    turn[DUE] += 1
    if turn[DUE] < turn[ENDS] or turn[OUTS] == tables.players:
        return
    waiting = 0
    starter = turn[STARTER]
    for step in range(1, tables.players + 1):
        seat = (starter + step) % tables.players
        is_out = False
        for other in range(turn[OUTS]):
            is_out |= position.gone[other] == seat
        if not is_out:
            position.order[waiting] = seat
            waiting += 1
    turn[ROUND] += 1
    turn[STARTER] = position.order[0]
    turn[ROLL] = -1
    turn[DUE] = 0
    turn[ENDS] = waiting
    position.takers[:] = -1


@inlined
def rolled(position, tables, seed, block):
    """BD-2, BD-9: return the roll of this block's luck, one die per seat still in the game."""
    round_ = np.uint64(position.turn[ROUND])
    code = 0
    for die in range(position.turn[ENDS]):
        bits = word(seed, block, key(np.uint64(DICE), np.uint64(0)), round_, np.uint64(die))
        code += np.int64(below(bits, np.uint64(FACES))) * FACES**die
    return np.int64(tables.rolls[position.turn[ENDS], code])


@compiled
def first_number(position, tables, seat, face, struck):
    """Return the number to which a placement's number is added to give the action; see `ruleset.py`."""
    block = (2 * face + struck) * len(COLOURS) + held(position, seat)
    return tables.out + 1 + block * tables.placements
