"""The columns of a sheet side by side in bytes, and the compiled functions that treat all of them at once.

A column is a set of rows, one bit for each row. A *lane* is the part of an array that holds one such set: 16, 32 or 64
bits. The lanes of a sheet lie one behind the other, with MARGIN lanes before the first column. An integer of 64 bits is
loaded from any lane on: it holds that column in its lowest lane, and the next ones (all processors that Numba supports
store the lowest byte first). A shift to the right moves all its columns down at once, so that one operation tests an
orientation at several columns of its left edge. Bits that come into a lane from the next one stay above the sheet,
because a lane has more bits than the sheet and the highest shape have rows together. For the same reason no integer is
ever negative.

A *group* is the columns of one integer, counted from the left edge of the sheet. Two groups are a *pair*, which one
vector holds. *Spots* are squares of a group, as bits of its integer.

What `find_spots` does for an orientation is a list of *steps*: load the lanes from a byte on, and move them down by a
number of rows. All orientations have equally many steps, so that the processor can foresee all jumps; smaller ones repeat
a step.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.kernels.compiling import jit_internal, vector_pointer

MARGIN: Final = 1
"""Lanes before the first column."""
UNDER_STEPS: Final = 4
BESIDE_STEPS: Final = 5
"""Steps in a *part* of the list: first those with `under`, then those with `beside`. Larger shapes take several parts."""
PART_LENGTH: Final = 2 * (UNDER_STEPS + BESIDE_STEPS)
"""Numbers in a part: of each step its first byte and its shift."""

_WORD: Final = ir.IntType(64)
_PAIR: Final = ir.VectorType(_WORD, 2)


@jit_internal
def add_rows_to_column(sets, column, rows, lane_bits):
    """Add rows to a column of `sets`, an array of bytes."""
    first = (column + MARGIN) * (lane_bits >> 3)
    if lane_bits == 16:
        add_bits(sets, first, np.int16(rows))
    else:
        add_bits(sets, first, rows)  # the next lane, if it is in the same 64 bits, stays as it is


@intrinsic
def add_bits(_typing, sets, _first, bits):
    """Add the bits of an integer to an array of bytes, from the byte `_first` on."""

    def codegen(context, builder, signature, arguments):
        of_sets, of_first, (_, added) = zip(signature.args, arguments, strict=True)
        pointer = vector_pointer(context, builder, of_sets, of_first, bits.bitwidth // 8)
        pointer = builder.bitcast(pointer, added.type.as_pointer())
        builder.store(builder.or_(builder.load(pointer, align=1), added), pointer, align=1)
        return context.get_dummy_value()

    return types.void(sets, types.int64, bits), codegen


@intrinsic
def find_spots(_typing, under, beside, steps, _parts, _touched, _mask, spots, _group):
    """Write to `spots`, (groups,), the legal spots of an orientation in two groups, from `_group` on; return how many.

    `under` and `beside` are those of a sheet (see Position). `steps` are those of the orientation and the pair: the spots
    at which all of it lies on the sheet, (2,), then `_parts` parts. A spot is legal if it is free and the orientation
    stands on something there, or if it is free, in `_mask`, and in `_touched` or where a square touches a drawn one.

    Each column of the sheet is moved down by the lowest row of the orientation there. Their union is the set of rows from
    0 to the one in which it stands on something drawn; it is empty where only the bottom edge is below.
    """

    def codegen(context, builder, signature, arguments):
        of_under, of_beside, of_steps, (_, count), (_, at_first), (_, in_mask), of_spots, (_, group) = zip(
            signature.args, arguments, strict=True
        )

        def pair_pointer(array, index):
            lanes = 16 // (array[0].dtype.bitwidth // 8)
            pointer = vector_pointer(context, builder, array, (types.int64, index), lanes)
            return builder.bitcast(pointer, _PAIR.as_pointer())

        def fill_pair(number):
            first = builder.insert_element(ir.Constant(_PAIR, ir.Undefined), number, ir.IntType(32)(0))
            return builder.insert_element(first, number, ir.IntType(32)(1))

        def step_number(index):
            pointer = vector_pointer(context, builder, of_steps, (types.int64, index), 1)
            return builder.load(builder.bitcast(pointer, _WORD.as_pointer()), align=8)

        def take_step(sets, found, index):
            lanes = builder.load(pair_pointer(sets, step_number(index)), align=1)
            return builder.or_(
                found, builder.lshr(lanes, fill_pair(step_number(builder.add(index, _WORD(1)))))
            )

        initial = _WORD(2), ir.Constant(_PAIR, [0, 0]), fill_pair(at_first)
        before, loop = builder.block, builder.append_basic_block("part")
        builder.branch(loop)
        builder.position_at_end(loop)
        index, stands, touches = state = [builder.phi(value.type) for value in initial]
        for _ in range(UNDER_STEPS):
            stands, index = take_step(of_under, stands, index), builder.add(index, _WORD(2))
        for _ in range(BESIDE_STEPS):
            touches, index = take_step(of_beside, touches, index), builder.add(index, _WORD(2))
        for phi, first, value in zip(state, initial, (index, stands, touches), strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(value, loop)
        after = builder.append_basic_block("after")
        end = builder.add(builder.mul(count, _WORD(PART_LENGTH)), _WORD(2))
        builder.cbranch(builder.icmp_signed("<", index, end), loop, after)
        builder.position_at_end(after)
        on_sheet = builder.load(pair_pointer(of_steps, _WORD(0)), align=8)
        free = builder.and_(on_sheet, builder.not_(builder.lshr(stands, fill_pair(_WORD(1)))))
        legal = builder.and_(free, builder.or_(stands, builder.and_(touches, fill_pair(in_mask))))
        builder.store(legal, pair_pointer(of_spots, group), align=8)
        return builder.add(
            *(builder.ctpop(builder.extract_element(legal, ir.IntType(32)(half))) for half in (0, 1))
        )

    return types.int64(
        under, beside, steps, types.int64, types.int64, types.int64, spots, types.int64
    ), codegen
