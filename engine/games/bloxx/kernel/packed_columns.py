"""The columns of a sheet side by side in a few integers: what to know about their bits.

A column is a set of rows, one bit for each row. A *lane* is the part of an integer that holds one such set: 16, 32 or
64 bits. As many lanes as fit share an integer of 64 bits, the first column in the lowest lane, so that one operation
tests an orientation at several columns of its left edge. A shift to the right moves all columns of an integer down at
once. Bits that come into a lane from the next one stay above the sheet, because a lane has more bits than the sheet and
the highest shape have rows together. For the same reason no integer is ever negative.

A *group* is the columns of one integer, counted from the left edge of the sheet. *Spots* are squares of a group, as
bits of its integer.
"""

from __future__ import annotations

from engine.kernels.compiling import jit_internal


@jit_internal
def add_rows_to_column(sets, column, rows, lane_bits):
    """Add rows to a column of `sets`, whose element c + lanes holds column c and those after it, c in the lowest lane."""
    lanes = 64 // lane_bits
    for lane in range(lanes):
        sets[column + lanes - lane] |= rows << lane_bits * lane
