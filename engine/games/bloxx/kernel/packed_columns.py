"""The columns of a sheet side by side in a few integers: what there is to know about their bits.

A column is a set of rows, one bit a row, and a lane is room for one such set: 16, 32 or 64 bits. As many lanes as go
into 64 bits share an integer, the first column lowest, so that one operation asks the same question of an orientation
at several columns of its left edge. A shift moves all columns of an integer down at once; what comes into a lane from
the next one stays above the sheet, because a lane has more bits than the sheet and the highest shape have rows
together. For the same reason no integer is ever negative.

A `group` is the columns of one integer, counted from the left edge of the sheet; `spots` are squares of a group.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.games.bloxx.kernel.compiling import jit_internal


def _make_bit_operation(instruction):
    """Make an operation on a set that is an integer."""

    def bit_operation(_typing, bits):  # noqa: ARG001 - Numba asks for them by name
        def codegen(_context, builder, _signature, arguments):
            return instruction(builder, arguments[0])

        return types.int64(types.int64), codegen

    return intrinsic(bit_operation)


lowest_bit: Any = _make_bit_operation(lambda builder, bits: builder.cttz(bits, ir.IntType(1)(1)))
"""(bits): the number of the lowest bit of an integer that is not 0."""
count_bits: Any = _make_bit_operation(lambda builder, bits: builder.ctpop(bits))
"""(bits): the number of bits that are set."""


@jit_internal
def add_rows_to_column(sets, column, rows, bits):
    """Add rows to a column of `sets`: it holds at c + lanes the lanes from column c onwards, so lane 0 is c."""
    lanes = 64 // bits
    for lane in range(lanes):
        sets[column + lanes - lane] |= rows << bits * lane
