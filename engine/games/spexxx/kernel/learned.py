"""The plan of the strategy `learned`, compiled: what a cube on each square adds to the points that the seats may expect.

`engine.games.spexxx.learned_values` says what the values are; `strategies.learned_square_values` computes the same in
plain Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.games.spexxx.kernel.position import TALLY_CUBES_LEFT
from engine.games.spexxx.kernel.square_values import MAX_WORTH
from engine.games.spexxx.kernel.tables import LANES, Tables, spot_of_cell
from engine.games.spexxx.learned_values import (
    BLOCK_CLOSED,
    BLOCK_STATES,
    DENIAL_PERCENT,
    OFF_FRAME,
    OTHERS_CUBE,
    OWN_CUBE,
    PATTERNS,
    STAGE_ENDS,
    WINDOW_SIZE,
    make_value_layout,
)
from engine.games.spexxx.ruleset import SpexxxRuleset, iter_cells
from engine.kernels.compiling import forbid_inlining, jit_inlined, jit_internal

if TYPE_CHECKING:
    from numpy.typing import NDArray


_u64 = np.uint64


class LearnedPlayer(NamedTuple):
    """Learned values, and room for a decision by them."""

    values: NDArray[np.int16]
    """(values,) in thousandths of a point. In training they are float64."""
    window_spots: NDArray[np.uint16]
    """(windows, WINDOW_SIZE) a spot off the board for a place without a square."""
    window_values_at: NDArray[np.int64]
    """(windows,) where the value of pattern 0 in stage 0 is."""
    block_spots: NDArray[np.uint16]
    """(blocks, 9) the lowest-left spot first."""
    denial_percent: int
    """Weight of a point that the other seats, on average, may expect less."""
    values_of_stage: int
    """Values of windows in a stage."""
    changes: NDArray[np.int64]
    """(squares,) what a cube adds to the points that its seat may expect. In training float64, like `denials`."""
    denials: NDArray[np.int64]
    """(squares,) what it adds to those of all other seats."""


def make_learned_player(
    ruleset: SpexxxRuleset, tables: Tables, values: NDArray[np.int16], room: type = np.int64
) -> LearnedPlayer:
    """Return a player with these values; `room` is the type of their sums."""
    layout = make_value_layout(ruleset)
    return LearnedPlayer(
        values=values,
        window_spots=np.array(
            [
                [0 if cell == OFF_FRAME else spot_of_cell(ruleset, cell) for cell in window.cells]
                for window in layout.windows
            ],
            np.uint16,
        ),
        window_values_at=np.array([layout.window_value_at(window.kind, 0) for window in layout.windows]),
        block_spots=np.array(
            [[spot_of_cell(ruleset, cell) for cell in iter_cells(block)] for block in layout.blocks],
            np.uint16,
        ).reshape(-1, 9),
        denial_percent=DENIAL_PERCENT,
        values_of_stage=layout.kinds * PATTERNS,
        changes=np.zeros(len(tables.cells), room),
        denials=np.zeros(len(tables.cells), room),
    )


@jit_inlined
def stage_of(left):
    """Return the stage of a seat with `left` cubes left."""
    stage = 0
    for n in range(len(STAGE_ENDS)):
        stage += left > STAGE_ENDS[n]
    return stage


@jit_internal
def block_state(boards, learned, lane, seat, block):
    """Return the number of own cubes in a block, or BLOCK_CLOSED."""
    spots = learned.block_spots[block]
    cubes = np.int64(boards.blocks[lane, seat, spots[0]])
    if cubes < 0 or cubes >= BLOCK_CLOSED:
        return np.int64(BLOCK_CLOSED)
    mine = np.int8(seat + _u64(1))
    for k in range(9):
        content = boards.grid[lane, spots[k]]
        if content > 0 and content != mine:
            return np.int64(BLOCK_CLOSED)
    return cubes


@jit_internal
def add_changes(tables, boards, learned, lane, seat, left, cube, changes):
    """Add to `changes`, (squares,), what a cube on each free square changes in the points that a seat may expect.

    The seat has `left` cubes left after it; `cube` is the digit of the cube in the patterns of this seat. Returns the
    points that the seat may expect without the cube, except for a constant for each number of cubes left.
    """
    forbid_inlining()
    values, grid, mine = learned.values, boards.grid[lane], np.int8(seat + _u64(1))
    expected = values[0] * 0
    if left < 1:
        return expected
    stage = stage_of(left)
    first = stage * learned.values_of_stage
    for w in range(_u64(learned.window_spots.shape[0])):
        spots = learned.window_spots[w]
        at, place = first + learned.window_values_at[w], 1
        for i in range(WINDOW_SIZE):
            content = grid[spots[i]]
            if content > 0:
                at += place * (OWN_CUBE if content == mine else OTHERS_CUBE)
            place *= 3
        before = values[at]
        expected += before
        place = cube
        for i in range(WINDOW_SIZE):
            if grid[spots[i]] == 0:
                changes[tables.square_at[spots[i]]] += values[at + place] - before
            place *= 3
    blocks = learned.block_spots.shape[0]
    first = values.shape[0] - (len(STAGE_ENDS) + 1 - stage) * blocks * BLOCK_STATES
    for block in range(blocks):
        state = block_state(boards, learned, lane, seat, block)
        at = first + block * BLOCK_STATES
        before = values[at + state]
        expected += before
        if state != BLOCK_CLOSED:
            change = values[at + (state + 1 if cube == OWN_CUBE else np.int64(BLOCK_CLOSED))] - before
            for k in range(9):
                spot = learned.block_spots[block, k]
                if grid[spot] == 0:
                    changes[tables.square_at[spot]] += change
    return expected


@jit_internal
def make_learned_plan(tables, boards, learned, lane, seat, plan):
    """Plan a turn in one lane: points now, and what the cube changes in the points that each seat may expect.

    The boards have the values of squares of a greedy seat whose potential is 0. Returns what `add_changes` returns.
    """
    forbid_inlining()
    changes, denials = learned.changes, learned.denials
    changes[:] = 0
    denials[:] = 0
    players = boards.potential.shape[0]
    left = np.int64(boards.tally[lane, seat, TALLY_CUBES_LEFT]) - 1
    expected = add_changes(tables, boards, learned, lane, seat, left, OWN_CUBE, changes)
    for number in range(players):
        other = _u64(number)
        if other != seat:
            left = np.int64(boards.tally[lane, other, TALLY_CUBES_LEFT])
            add_changes(tables, boards, learned, lane, other, left, OTHERS_CUBE, denials)
    for square in range(_u64(tables.cells.shape[0])):
        i = square * _u64(LANES) + lane
        worth = np.int64(0)
        if boards.grid[lane, tables.spots[square]] == 0:
            denied = learned.denial_percent * denials[square] // (100 * (players - 1))
            worth = np.int64(boards.worth[seat, i] + changes[square] - denied)
        plan[i] = min(max(worth, 0), MAX_WORTH)
    return expected
