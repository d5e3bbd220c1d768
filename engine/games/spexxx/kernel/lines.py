"""What one placed cube scores, compiled: clauses SP-8 to SP-12.

In all compiled functions of this kernel `boards` is a `position.LaneBoards` and `lane` one of its games. Lanes, seats,
squares, spots, steps and hands are unsigned: signed indices would be tested for being negative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernels.compiling import jit_inlined

_u64 = np.uint64


class LineRuns(NamedTuple):
    """Own cubes in one direction of a spot, up to the first spot without one."""

    step: np.uint64
    """From a spot to the next in this direction."""
    before: np.int64
    """Own cubes against the direction."""
    after: np.int64
    """Own cubes in the direction."""


@jit_inlined
def opposite_step(step):
    """Return the step in the opposite direction: unsigned numbers wrap around."""
    return _u64(0) - step


@jit_inlined
def run_length(grid, lane, spot, step, mine):
    """Count the own cubes that follow a spot in one direction without a break (SP-8)."""
    length = 0
    spot += step
    while grid[lane, spot] == mine:
        length += 1
        spot += step
    return length


@jit_inlined
def line_runs(grid, lane, spot, step, mine):
    """Return the own cubes on both sides of a spot."""
    before = run_length(grid, lane, spot, opposite_step(step), mine)
    return LineRuns(step, before, run_length(grid, lane, spot, step, mine))


@jit_inlined
def line_points(points, spot, runs):
    """Return the points of a cube and of the sides that were in no Spexxx of this direction (SP-9, SP-10)."""
    step, before, after = runs
    scored = np.int64(points[spot])
    if before < 3:
        for further in range(1, before + 1):
            scored += points[spot - _u64(further) * step]
    if after < 3:
        for further in range(1, after + 1):
            scored += points[spot + _u64(further) * step]
    return scored


@jit_inlined
def line_bonuses(runs):
    """Return how many bonuses a cube earns that joins two runs (SP-11)."""
    _, before, after = runs
    return (before + 1 + after) // 5 - max(before // 5, after // 5)


@jit_inlined
def line_value(tables, spot, runs):
    """Return all points that a cube scores in one direction."""
    _, before, after = runs
    if before + after < 2:
        return np.int64(0)
    return line_points(tables.points, spot, runs) + tables.line_bonus * line_bonuses(runs)


@jit_inlined
def completed_block_corner(tables, boards, lane, seat, spot):
    """Return the lowest-left spot of the first block that a cube would complete and count (SP-12), or 0."""
    for k in range(9):
        corner = spot - tables.corners[k]
        if boards.blocks[lane, seat, corner] == 8:
            return corner
    return _u64(0)
