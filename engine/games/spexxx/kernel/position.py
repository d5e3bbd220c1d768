"""Positions of Spexxx as the arrays that compiled code works on, and their conversion from and to those of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.spexxx.kernel.tables import (
    NO_BLOCK,
    OFF_BOARD,
    Tables,
    aligned_zeros,
    spot_of_cell,
    square_words,
)
from engine.games.spexxx.rules import SeatState, SpexxxState
from engine.games.spexxx.ruleset import SpexxxRuleset, iter_cells
from engine.number_sets import make_set

if TYPE_CHECKING:
    from numpy.typing import NDArray


(
    TALLY_CUBES_LEFT,
    TALLY_LINES,
    TALLY_LINE_POINTS,
    TALLY_LINE_BONUS,
    TALLY_BLOCKS,
    TALLY_DISCARDS,
    TALLY_SCORE,
    TALLY_LOST_THROWS,
) = range(8)
"""Columns of a tally: the numbers of `rules.SeatState`."""
TALLY_COLUMNS: Final = 8
NOT_GREEDY: Final = -1
"""Potential of a seat for which no values of squares are maintained."""
OUTLOOK_NOW, OUTLOOK_NEAR, OUTLOOK_NEAR_LIKELY, OUTLOOK_FAR, OUTLOOK_FAR_LIKELY, OUTLOOK_BLOCK = range(6)
OUTLOOK_ROWS: Final = 6
"""Rows of an outlook: see the module `outlook`."""


class LaneBoards(NamedTuple):
    """The boards of some games side by side. *Lane* i of an array is game i."""

    grid: NDArray[np.int8]
    """(games, spots) OFF_BOARD, 0 for a free square, otherwise the number of the cube's seat + 1."""
    blocks: NDArray[np.int8]
    """(games, seats, spots) own cubes in the block with this lowest-left spot; less than 0 if it cannot count."""
    counted: NDArray[np.int8]
    """(games, seats, spots) 1 for the spots of blocks that have counted (SP-12)."""
    free: NDArray[np.uint64]
    """(games, words) set of the free squares."""
    tally: NDArray[np.int32]
    """(games, seats, TALLY_COLUMNS)"""
    worth: NDArray[np.int32]
    """(seats, rows x games) for greedy seats: value of every square and, after a turn is solved, of every throw, in
    thousandths of a point."""
    potential: NDArray[np.int32]
    """(seats,) worth of potential to a greedy seat, in hundredths of a point; NOT_GREEDY for other seats."""
    outlook: NDArray[np.int32]
    """(OUTLOOK_ROWS, seats, squares x games) what a square promises to each seat; without squares if no strategy needs
    it."""


class Position(NamedTuple):
    """A position of one game."""

    round: int
    thrower: int
    throws: int
    dice: int
    """Number of the hand."""
    boards: LaneBoards
    """Those of one game."""

    @property
    def is_over(self) -> bool:
        """Whether the game is over (SP-13)."""
        return not self.boards.tally[0, self.thrower, TALLY_CUBES_LEFT]


def make_boards(
    tables: Tables, players: int, games: int, *, with_values: bool = False, with_outlook: bool = False
) -> LaneBoards:
    """Return room for the boards of some games, with values of squares and with an outlook only if they are needed."""
    spots = len(tables.points)
    return LaneBoards(
        grid=np.zeros((games, spots), dtype=np.int8),
        blocks=np.zeros((games, players, spots), dtype=np.int8),
        counted=np.zeros((games, players, spots), dtype=np.int8),
        free=np.zeros((games, tables.matches.shape[1]), dtype=np.uint64),
        tally=np.zeros((games, players, TALLY_COLUMNS), dtype=np.int32),
        worth=aligned_zeros((players, tables.rows * games * with_values), np.int32),
        potential=np.full(players, NOT_GREEDY, dtype=np.int32),
        outlook=aligned_zeros((OUTLOOK_ROWS, players, len(tables.cells) * games * with_outlook), np.int32),
    )


def clone_boards(boards: LaneBoards) -> LaneBoards:
    """Return a copy of boards."""
    return LaneBoards._make(array.copy() for array in boards)


def pack_state(tables: Tables, state: SpexxxState) -> Position:
    """Return a position of the rules as arrays."""
    ruleset, cells = state.ruleset, tables.cells.tolist()
    boards = make_boards(tables, ruleset.players, 1)
    boards.grid[:] = OFF_BOARD
    boards.grid[0, tables.spots] = 0
    boards.free[0] = square_words(
        (square for square, cell in enumerate(cells) if state.free >> cell & 1), len(cells)
    )
    boards.blocks[:] = NO_BLOCK
    within = tables.blocks[:, None] + tables.inside.astype(np.intp)
    for seat, own in enumerate(state.seats):
        boards.grid[0, [spot_of_cell(ruleset, cell) for cell in iter_cells(own.cubes)]] = seat + 1
        boards.counted[0, seat, [spot_of_cell(ruleset, cell) for cell in iter_cells(own.counted)]] = 1
        cubes = (boards.grid[0, within] == seat + 1).sum(axis=1)
        closed = boards.counted[0, seat, within].any(axis=1)
        boards.blocks[0, seat, tables.blocks] = np.where(closed, NO_BLOCK, cubes)
        boards.tally[0, seat] = (
            own.left,
            own.lines,
            own.line_points,
            own.line_bonus,
            own.blocks,
            own.discards,
            own.score,
            own.lost_throws,
        )
    return Position(state.round, state.thrower, state.throws, state.dice, boards)


def unpack_state(tables: Tables, ruleset: SpexxxRuleset, position: Position) -> SpexxxState:
    """Return arrays as a position of the rules."""
    boards = position.boards
    seats = []
    for seat in range(ruleset.players):
        cubes = tables.cells[boards.grid[0, tables.spots] == seat + 1].tolist()
        counted = tables.cells[boards.counted[0, seat, tables.spots] == 1].tolist()
        left, *rest = boards.tally[0, seat].tolist()
        seats.append(SeatState(left, make_set(cubes), make_set(counted), *rest))  # the order of the columns
    free = [
        cell
        for square, cell in enumerate(tables.cells.tolist())
        if int(boards.free[0, square // 64]) >> square % 64 & 1
    ]
    return SpexxxState(
        ruleset,
        position.round,
        position.thrower,
        tuple(seats),
        make_set(free),
        position.throws,
        position.dice,
    )
