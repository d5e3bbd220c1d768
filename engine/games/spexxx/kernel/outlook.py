"""What every free square promises to every seat, kept up to date from cube to cube: what the builder looks at.

For a seat and a free square the rows of `Table.outlook` are, summed over the four directions:

NOW: the points that a cube would score now, lines, bonuses and block;
NEAR: by how much the cube would raise what the next squares in line score then;
NEAR_LIKELY: the same, each times the chance to fill that next square in a turn, in 1 / CHANCE;
FAR: the points of the lines of three through the square that hold no cube yet and touch no own cube;
FAR_LIKELY: the same, each times the chances of the two other squares, in 1 / CHANCE;
BLOCK: cubes of the own cubes (k * k * k) of each block around the square that nobody else has spoilt.

A square with a cube has NEVER for its points. Nothing else is kept for it. Whole numbers: what is added and taken
away again leaves nothing behind.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.games.spexxx.kernel.lines import (
    completed_block_corner,
    jit_entry,
    jit_inlined,
    jit_internal,
    line_value,
    opposite_step,
    run_length,
)
from engine.games.spexxx.kernel.position import (
    OUTLOOK_BLOCK,
    OUTLOOK_FAR,
    OUTLOOK_FAR_LIKELY,
    OUTLOOK_NEAR,
    OUTLOOK_NEAR_LIKELY,
    OUTLOOK_NOW,
)
from engine.games.spexxx.kernel.tables import CHANCE_SCALE, LANES

OCCUPIED_POINTS: Final = -1_000_000
"""Fewer points than any weight could make up for."""

_u64 = np.uint64


@jit_inlined
def _three_square_points(b, one, two, three):
    """Return the points of three squares, and times the chances of the two last."""
    points = np.int64(b.points[one]) + b.points[two] + b.points[three]
    return points, points * b.chances[two] * b.chances[three] // CHANCE_SCALE


@jit_internal
def _add_direction_outlook(b, t, lane, seat, spot, step, sign):
    """Add or take away what a free square promises in one direction."""
    grid, mine = t.grid, np.int8(seat + _u64(1))
    back_ = opposite_step(step)
    before, after = run_length(grid, lane, spot, back_, mine), run_length(grid, lane, spot, step, mine)
    joined = before + 1 + after
    now = line_value(b, spot, step, before, after)
    near = near_likely = far = far_likely = np.int64(0)
    for _ in range(2):  # with the line and against it
        end = spot + _u64(after + 1) * step
        if grid[lane, end] == 0:
            beyond = run_length(grid, lane, end, step, mine)
            if joined + beyond >= 2:
                raised = line_value(b, end, step, joined, beyond) - line_value(b, end, step, after, beyond)
                near += raised
                near_likely += raised * b.chances[end]
            elif grid[lane, end + step] == 0:
                points, likely = _three_square_points(b, spot, end, end + step)
                far += points
                far_likely += likely
        before, after = after, before
        step, back_ = back_, step
    if joined == 1 and grid[lane, spot + step] == 0 and grid[lane, spot + back_] == 0:
        points, likely = _three_square_points(b, spot, spot + step, spot + back_)
        far += points
        far_likely += likely
    i = _u64(b.square_at[spot]) * _u64(LANES) + lane
    t.outlook[OUTLOOK_NOW, seat, i] += np.int32(sign * now)
    t.outlook[OUTLOOK_NEAR, seat, i] += np.int32(sign * near)
    t.outlook[OUTLOOK_NEAR_LIKELY, seat, i] += np.int32(sign * near_likely)
    t.outlook[OUTLOOK_FAR, seat, i] += np.int32(sign * far)
    t.outlook[OUTLOOK_FAR_LIKELY, seat, i] += np.int32(sign * far_likely)


@jit_internal
def add_block_outlook(b, t, lane, seat, corner, sign):
    """Add or take away what a block promises its free squares, if it can still count and holds own cubes alone."""
    cubes = np.int64(t.blocks[lane, seat, corner])
    if cubes < 1:
        return
    mine = np.int8(seat + _u64(1))
    for k in range(9):
        there = t.grid[lane, corner + b.inside[k]]
        if there > 0 and there != mine:
            return
    for k in range(9):
        spot = corner + b.inside[k]
        if t.grid[lane, spot] == 0:
            i = _u64(b.square_at[spot]) * _u64(LANES) + lane
            t.outlook[OUTLOOK_BLOCK, seat, i] += np.int32(sign * cubes * cubes * cubes)


@jit_internal
def add_spot_outlook(b, t, lane, spot, sign):
    """Add or take away, for all seats, all that depends on what stands on a spot, but not the bonus of a block.

    In line these are two free squares on each side: the first after own cubes, and the first after own cubes again.
    """
    for who in range(t.potential.shape[0]):
        seat = _u64(who)
        mine = np.int8(who + 1)
        for direction in range(4):
            step = b.steps[direction]
            for _ in range(2):
                end = spot
                for _ in range(2):
                    end += _u64(run_length(t.grid, lane, end, step, mine) + 1) * step
                    if t.grid[lane, end] != 0:
                        break
                    _add_direction_outlook(b, t, lane, seat, end, b.steps[direction], sign)
                step = opposite_step(step)
        for k in range(9):
            add_block_outlook(b, t, lane, seat, spot - b.corners[k], sign)


@jit_inlined
def close_square(t, lane, square):
    """Nobody can score on this square any more."""
    i = square * _u64(LANES) + lane
    for seat in range(t.potential.shape[0]):
        for row in range(t.outlook.shape[0]):
            t.outlook[row, seat, i] = 0
        t.outlook[OUTLOOK_NOW, seat, i] = OCCUPIED_POINTS


@jit_entry
def rebuild_outlook(b, t, lane):
    """Find the outlook of one game afresh."""
    for who in range(t.potential.shape[0]):
        seat = _u64(who)
        for number in range(b.cells.shape[0]):
            square = _u64(number)
            spot, i = _u64(b.spots[square]), square * _u64(LANES) + lane
            for row in range(t.outlook.shape[0]):
                t.outlook[row, seat, i] = 0
            if t.grid[lane, spot] != 0:
                t.outlook[OUTLOOK_NOW, seat, i] = OCCUPIED_POINTS
                continue
            for direction in range(4):
                _add_direction_outlook(b, t, lane, seat, spot, b.steps[direction], 1)
            if completed_block_corner(b, t, lane, seat, spot):
                t.outlook[OUTLOOK_NOW, seat, i] += b.block_bonus
        for block in range(b.blocks.shape[0]):
            add_block_outlook(b, t, lane, seat, _u64(b.blocks[block]), 1)
