"""What one placed cube scores, compiled: clauses SP-8 to SP-12, and how Spexxx is compiled.

`b`, `t` and `lane` are as in `kernel_rules.py`.
"""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np

_u64 = np.uint64
# Nothing is allocated in compiled code, and without Numba's counting of references (_nrt) it takes half of the time.
# Only what Python calls needs to be wrapped for it: wrappers that unpack all these arrays take most of the compiling.
jit_entry: Final = nb.njit(cache=True, nogil=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
jit_internal: Final = nb.njit(
    cache=True, nogil=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True, no_cpython_wrapper=True
)
jit_inlined: Final = nb.njit(
    cache=True,
    nogil=True,
    error_model="numpy",
    _nrt=False,
    no_cfunc_wrapper=True,
    no_cpython_wrapper=True,
    forceinline=True,
)

# Compiled as a part of its caller and never by itself.
jit_merged: Final = nb.njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")


@jit_inlined
def opposite_step(step):
    """Return a step the other way: it wraps around, as unsigned numbers do."""
    return _u64(0) - step


@jit_inlined
def run_length(grid, lane, spot, step, mine):
    """SP-8: count the own cubes from a spot onwards without a break."""
    length = 0
    spot += step
    while grid[lane, spot] == mine:
        length += 1
        spot += step
    return length


@jit_inlined
def line_points(points, spot, step, before, after):
    """SP-9, SP-10: points of the cube and of the sides that were in no Spexxx of this direction."""
    scored = np.int64(points[spot])
    if before < 3:
        for further in range(1, before + 1):
            scored += points[spot - _u64(further) * step]
    if after < 3:
        for further in range(1, after + 1):
            scored += points[spot + _u64(further) * step]
    return scored


@jit_inlined
def line_bonuses(before, after):
    """SP-11: how many bonuses a cube earns that joins two runs."""
    return (before + 1 + after) // 5 - max(before // 5, after // 5)


@jit_inlined
def line_value(b, spot, step, before, after):
    """Return all that a cube scores in one direction."""
    if before + after < 2:
        return np.int64(0)
    return line_points(b.points, spot, step, before, after) + b.line_bonus * line_bonuses(before, after)


@jit_inlined
def completed_block_corner(b, t, lane, seat, spot):
    """SP-12: return the first block that a cube on a free spot would complete and count, by its lowest-left spot, or 0."""
    for k in range(9):
        corner = spot - b.corners[k]
        if t.blocks[lane, seat, corner] == 8:
            return corner
    return _u64(0)
