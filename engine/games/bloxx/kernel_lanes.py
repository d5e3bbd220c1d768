"""The columns of a sheet side by side in a few integers: every trick with bits is in here.

A column is a set of rows, one bit a row, and a lane has room for one such set. Four lanes of 16 bits, or two of 32,
share an integer of 64 bits, so that one operation asks the same question of an orientation at several columns of its
left edge. `lanes` are all lanes of a sheet, a tuple of two integers of four lanes or of eight of two.

The highest bit of a lane stays empty, so no integer is ever negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic

from engine.games.bloxx.kernel_compiling import compiled


def _number(instruction):
    """Make an operation on a set that is an integer."""

    def operation(_typing, bits):  # noqa: ARG001 - Numba asks for them by name
        def code(_context, builder, _signature, arguments):
            return instruction(builder, arguments[0])

        return types.int64(types.int64), code

    return intrinsic(operation)


lowest: Any = _number(lambda builder, bits: builder.cttz(bits, ir.IntType(1)(1)))
"""(bits): the number of the lowest bit of an integer that is not 0."""
count: Any = _number(lambda builder, bits: builder.ctpop(bits))
"""(bits): the number of bits that are set."""


@compiled
def bits_of(lanes):
    """Return the bits of a lane."""
    return 16 if len(lanes) == 2 else 32


@compiled
def everywhere(bits, rows):
    """Return an integer with the same rows in every lane."""
    return rows * (0x1_0001_0001_0001 if bits == 16 else 0x1_0000_0001)


@compiled
def enter(lanes, sets, seat, column, rows):
    """Add rows to a column of sets[seat]: `sets` holds at c the lanes of the columns from c onwards."""
    bits = bits_of(lanes)
    if bits == 16:
        sets[seat, column + 3] |= rows
        sets[seat, column + 2] |= rows << 16
        sets[seat, column + 1] |= rows << 32
        sets[seat, column] |= rows << 48
    else:
        sets[seat, column + 3] |= rows
        sets[seat, column + 2] |= rows << 32


@compiled
def lanes_at(lanes, sets, seat, column, down):
    """Return the columns of sets[seat] from one onwards, each moved down by some rows; `lanes` are any, for their form."""
    bits = bits_of(lanes)
    kept = everywhere(bits, ((1 << bits) - 1) >> down)
    for n in range(len(lanes)):
        lanes = tuple_setitem(lanes, n, (sets[seat, 3 + column + n * (64 // bits)] >> down) & kept)
    return lanes


@compiled
def either(lanes, other):
    """Return the rows in either."""
    for n in range(len(lanes)):
        lanes = tuple_setitem(lanes, n, lanes[n] | other[n])
    return lanes


@compiled
def both(lanes, other):
    """Return the rows in both."""
    for n in range(len(lanes)):
        lanes = tuple_setitem(lanes, n, lanes[n] & other[n])
    return lanes


@compiled
def without(lanes, other):
    """Return the rows in the first but not in the second."""
    for n in range(len(lanes)):
        lanes = tuple_setitem(lanes, n, lanes[n] & ~other[n])
    return lanes


@compiled
def lower_edge(lanes):
    """Return row 0 only."""
    row = everywhere(bits_of(lanes), 1)
    for n in range(len(lanes)):
        lanes = tuple_setitem(lanes, n, lanes[n] & row)
    return lanes


@compiled
def one_down(lanes):
    """Return all rows moved down by one."""
    bits = bits_of(lanes)
    kept = everywhere(bits, ((1 << bits) - 1) >> 1)
    for n in range(len(lanes)):
        lanes = tuple_setitem(lanes, n, (lanes[n] >> 1) & kept)
    return lanes


@compiled
def size(lanes):
    """Return how many rows there are in all lanes together."""
    rows = 0
    for n in range(len(lanes)):
        rows += count(lanes[n])
    return rows


@compiled
def lane(lanes, column):
    """Return the rows of one column."""
    if len(lanes) == 2:
        return (lanes[column >> 2] >> ((column & 3) << 4)) & 0xFFFF
    return (lanes[column >> 1] >> ((column & 1) << 5)) & 0xFFFFFFFF


@compiled
def in_row(lanes, row):
    """Return the columns that hold this row, one bit a column."""
    columns = 0
    if len(lanes) == 2:
        for n in range(len(lanes)):
            rows = lanes[n] >> row
            columns |= (rows & 1 | rows >> 15 & 2 | rows >> 30 & 4 | rows >> 45 & 8) << 4 * n
    else:
        for n in range(len(lanes)):
            rows = lanes[n] >> row
            columns |= (rows & 1 | rows >> 31 & 2) << 2 * n
    return columns


@compiled
def occupied(lanes):
    """Return the columns that hold any row, one bit a column."""
    bits = bits_of(lanes)
    empty = everywhere(bits, (1 << bits - 1) - 1)
    for n in range(len(lanes)):
        lanes = tuple_setitem(lanes, n, lanes[n] + empty)  # any row carries over into the highest bit
    return in_row(lanes, bits - 1)
