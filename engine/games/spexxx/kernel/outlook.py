"""What one placed cube scores (clauses SP-8 to SP-12), and what every free square promises to every seat.

The outlook is updated from cube to cube; it is what the builder looks at. For a seat and
a free square the rows of `LaneBoards.outlook` are, added up over the four directions:

NOW: the points that a cube would score now, for lines, bonuses and block;
NEAR: by how much the cube would raise what the next squares in line score then;
NEAR_LIKELY: the same, each times the chance to fill that next square in a turn, in 1 / CHANCE_SCALE;
FAR: the points of the lines of three through the square that hold no cube yet and touch no own cube;
FAR_LIKELY: the same, each times the chances of the two other squares, in 1 / CHANCE_SCALE;
BLOCK: the cubed number of own cubes, for each block around the square that holds no cube of another seat.

A square with a cube has OCCUPIED_POINTS for NOW and 0 for the rest. All numbers are integers, so what is added and
subtracted again leaves no rounding error.

In all compiled functions of this kernel `boards` is a `position.LaneBoards` and `lane` one of its games. Lanes, seats,
squares, spots, steps and hands are unsigned: signed indices would be tested for being negative.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.games.spexxx.kernel.position import (
    OUTLOOK_BLOCK,
    OUTLOOK_FAR,
    OUTLOOK_FAR_LIKELY,
    OUTLOOK_NEAR,
    OUTLOOK_NEAR_LIKELY,
    OUTLOOK_NOW,
)
from engine.games.spexxx.kernel.tables import CHANCE_SCALE, LANES
from engine.kernels.compiling import jit_entry, jit_inlined, jit_internal

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


OCCUPIED_POINTS: Final = -1_000_000
"""So few points that no weights make up for them."""


@jit_inlined
def _three_square_points(tables, spot, second, third):
    """Return the points of three squares, and the same times the chances of the second and the third."""
    points = np.int64(tables.points[spot]) + tables.points[second] + tables.points[third]
    return points, points * tables.chances[second] * tables.chances[third] // CHANCE_SCALE


@jit_internal
def _add_direction_outlook(tables, boards, lane, seat, spot, step, sign):
    """Add (`sign` 1) or subtract (-1) what a free square promises in one direction."""
    grid, mine = boards.grid, np.int8(seat + _u64(1))
    back = opposite_step(step)
    before, after = run_length(grid, lane, spot, back, mine), run_length(grid, lane, spot, step, mine)
    joined = before + 1 + after
    now = line_value(tables, spot, LineRuns(step, before, after))
    near = near_likely = far = far_likely = np.int64(0)
    for _ in range(2):  # with the line and against it
        end = spot + _u64(after + 1) * step
        if grid[lane, end] == 0:
            beyond = run_length(grid, lane, end, step, mine)
            if joined + beyond >= 2:
                raised = line_value(tables, end, LineRuns(step, joined, beyond))
                raised -= line_value(tables, end, LineRuns(step, after, beyond))
                near += raised
                near_likely += raised * tables.chances[end]
            elif grid[lane, end + step] == 0:
                points, likely = _three_square_points(tables, spot, end, end + step)
                far += points
                far_likely += likely
        before, after = after, before
        step, back = back, step
    if joined == 1 and grid[lane, spot + step] == 0 and grid[lane, spot + back] == 0:
        points, likely = _three_square_points(tables, spot, spot + step, spot + back)
        far += points
        far_likely += likely
    i = _u64(tables.square_at[spot]) * _u64(LANES) + lane
    boards.outlook[OUTLOOK_NOW, seat, i] += np.int32(sign * now)
    boards.outlook[OUTLOOK_NEAR, seat, i] += np.int32(sign * near)
    boards.outlook[OUTLOOK_NEAR_LIKELY, seat, i] += np.int32(sign * near_likely)
    boards.outlook[OUTLOOK_FAR, seat, i] += np.int32(sign * far)
    boards.outlook[OUTLOOK_FAR_LIKELY, seat, i] += np.int32(sign * far_likely)


@jit_internal
def add_block_outlook(tables, boards, lane, seat, corner, sign):
    """Add or subtract what a block promises its free squares, if it can still count and holds only own cubes."""
    cubes = np.int64(boards.blocks[lane, seat, corner])
    if cubes < 1:
        return
    mine = np.int8(seat + _u64(1))
    for k in range(9):
        content = boards.grid[lane, corner + tables.inside[k]]
        if content > 0 and content != mine:
            return
    for k in range(9):
        spot = corner + tables.inside[k]
        if boards.grid[lane, spot] == 0:
            i = _u64(tables.square_at[spot]) * _u64(LANES) + lane
            boards.outlook[OUTLOOK_BLOCK, seat, i] += np.int32(sign * cubes * cubes * cubes)


@jit_internal
def add_spot_outlook(tables, boards, lane, spot, sign):
    """Add or subtract, for all seats, everything that depends on the content of a spot, except for the bonus of a block.

    On each side in a line two free squares depend on it: the first after the own cubes, and the first after the own
    cubes beyond that.
    """
    for number in range(boards.potential.shape[0]):
        seat = _u64(number)
        mine = np.int8(number + 1)
        for direction in range(4):
            step = tables.steps[direction]
            for _ in range(2):
                end = spot
                for _ in range(2):
                    end += _u64(run_length(boards.grid, lane, end, step, mine) + 1) * step
                    if boards.grid[lane, end] != 0:
                        break
                    _add_direction_outlook(tables, boards, lane, seat, end, tables.steps[direction], sign)
                step = opposite_step(step)
        for k in range(9):
            add_block_outlook(tables, boards, lane, seat, spot - tables.corners[k], sign)


@jit_inlined
def close_square(boards, lane, square):
    """Set the outlook of a square on which no seat can score any more."""
    i = square * _u64(LANES) + lane
    for seat in range(boards.potential.shape[0]):
        for row in range(boards.outlook.shape[0]):
            boards.outlook[row, seat, i] = 0
        boards.outlook[OUTLOOK_NOW, seat, i] = OCCUPIED_POINTS


@jit_entry
def rebuild_outlook(tables, boards, lane):
    """Compute the whole outlook of one game."""
    for player in range(boards.potential.shape[0]):
        seat = _u64(player)
        for number in range(tables.cells.shape[0]):
            square = _u64(number)
            spot, i = _u64(tables.spots[square]), square * _u64(LANES) + lane
            for row in range(boards.outlook.shape[0]):
                boards.outlook[row, seat, i] = 0
            if boards.grid[lane, spot] != 0:
                boards.outlook[OUTLOOK_NOW, seat, i] = OCCUPIED_POINTS
                continue
            for direction in range(4):
                _add_direction_outlook(tables, boards, lane, seat, spot, tables.steps[direction], 1)
            if completed_block_corner(tables, boards, lane, seat, spot):
                boards.outlook[OUTLOOK_NOW, seat, i] += tables.block_bonus
        for block in range(tables.blocks.shape[0]):
            add_block_outlook(tables, boards, lane, seat, _u64(tables.blocks[block]), 1)
