"""Positions of Spexxx, and logs, as the arrays that compiled code works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.spexxx.kernel.tables import NO_BLOCK, OFF_BOARD, aligned_zeros, spot_of_cell, square_words
from engine.games.spexxx.rules import SeatState, SpexxxState
from engine.games.spexxx.ruleset import iter_cells, make_set

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.spexxx.kernel.tables import Tables
    from engine.games.spexxx.ruleset import SpexxxRuleset

(
    TALLY_CUBES_LEFT,
    TALLY_LINES,
    TALLY_LINE_POINTS,
    TALLY_LINE_BONUS,
    TALLY_BLOCKS,
    TALLY_DISCARDS,
    TALLY_SCORE,
) = range(7)
"""Columns of a tally: the numbers of `rules.Seat`."""
TALLY_COLUMNS: Final = 7
NOT_GREEDY: Final = -1
OUTLOOK_NOW, OUTLOOK_NEAR, OUTLOOK_NEAR_LIKELY, OUTLOOK_FAR, OUTLOOK_FAR_LIKELY, OUTLOOK_BLOCK = range(6)
OUTLOOK_ROWS: Final = 6
"""Rows of an outlook: see `kernel_outlook`."""


class LaneBoards(NamedTuple):
    """What lies on the table, in some games side by side."""

    grid: NDArray[np.int8]
    """(games, spots) OFF_BOARD, 0 for a free square, else the number of the cube's seat + 1."""
    blocks: NDArray[np.int8]
    """(games, seats, spots) Own cubes in the block from this lowest-left spot; less than 0 if it cannot count."""
    counted: NDArray[np.int8]
    """(games, seats, spots) SP-12: 1 for the spots of blocks that have counted."""
    free: NDArray[np.uint64]
    """(games, words) The set of free squares."""
    tally: NDArray[np.int32]
    """(games, seats, TALLY)"""
    worth: NDArray[np.int32]
    """(seats, rows x games) To greedy seats, value of every square and, when a turn is solved, of every throw."""
    potential: NDArray[np.int32]
    """(seats,) What potential is worth to a greedy seat, in hundredths; NOT_GREEDY for any other."""
    outlook: NDArray[np.int32]
    """(OUTLOOKS, seats, squares x games) What a square promises to each seat, if anybody looks: `kernel_outlook`."""


class Position(NamedTuple):
    """A position of one game."""

    round: int
    thrower: int
    throws: int
    dice: int
    table: LaneBoards

    @property
    def is_over(self) -> bool:
        """SP-13."""
        return not self.table.tally[0, self.thrower, TALLY_CUBES_LEFT]


class LogColumns(NamedTuple):
    """The columns of a log as they are written."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: NDArray[np.int32]
    options: NDArray[np.int32]
    score: NDArray[np.int32]

    @classmethod
    def allocate(cls, rows: int) -> LogColumns:
        """Return room for so many."""
        return cls(
            np.empty(rows, dtype=np.uint16),
            np.empty(rows, dtype=np.int8),
            np.empty(rows, dtype=np.int32),
            np.empty(rows, dtype=np.int32),
            np.empty(rows, dtype=np.int32),
        )


def make_boards(
    b: Tables, players: int, games: int, *, valued: bool = False, surveyed: bool = False
) -> LaneBoards:
    """Return tables without any meaning yet; `surveyed` ones keep the outlook."""
    spots = len(b.points)
    return LaneBoards(
        np.zeros((games, spots), dtype=np.int8),
        np.zeros((games, players, spots), dtype=np.int8),
        np.zeros((games, players, spots), dtype=np.int8),
        np.zeros((games, b.matches.shape[1]), dtype=np.uint64),
        np.zeros((games, players, TALLY_COLUMNS), dtype=np.int32),
        aligned_zeros((players, b.rows * games * valued), np.int32),
        np.full(players, NOT_GREEDY, dtype=np.int32),
        aligned_zeros((OUTLOOK_ROWS, players, len(b.cells) * games * surveyed), np.int32),
    )


def clone_boards(of: LaneBoards) -> LaneBoards:
    """Return tables with the same on them."""
    return LaneBoards(
        of.grid.copy(),
        of.blocks.copy(),
        of.counted.copy(),
        of.free.copy(),
        of.tally.copy(),
        of.worth.copy(),
        of.potential.copy(),
        of.outlook.copy(),
    )


def pack_state(b: Tables, state: SpexxxState) -> Position:
    """Return a position of the rules as arrays."""
    ruleset, squares = state.ruleset, b.cells.tolist()
    made = make_boards(b, ruleset.players, 1)
    made.grid[:] = OFF_BOARD
    made.grid[0, b.spots] = 0
    made.free[0] = square_words(
        (square for square, place in enumerate(squares) if state.free >> place & 1), len(squares)
    )
    made.blocks[:] = NO_BLOCK
    within = b.blocks[:, None] + b.inside.astype(np.intp)
    for seat, own in enumerate(state.seats):
        made.grid[0, [spot_of_cell(ruleset, place) for place in iter_cells(own.cubes)]] = seat + 1
        made.counted[0, seat, [spot_of_cell(ruleset, place) for place in iter_cells(own.counted)]] = 1
        cubes = (made.grid[0, within] == seat + 1).sum(axis=1)
        closed = made.counted[0, seat, within].any(axis=1)
        made.blocks[0, seat, b.blocks] = np.where(closed, NO_BLOCK, cubes)
        made.tally[0, seat] = (
            own.left,
            own.lines,
            own.line_points,
            own.line_bonus,
            own.blocks,
            own.discards,
            own.score,
        )
    return Position(state.round, state.thrower, state.throws, state.dice, made)


def unpack_state(b: Tables, ruleset: SpexxxRuleset, position: Position) -> SpexxxState:
    """Return a position of the rules from arrays."""
    now = position.table
    seats = []
    for seat in range(ruleset.players):
        cubes = b.cells[now.grid[0, b.spots] == seat + 1].tolist()
        counted = b.cells[now.counted[0, seat, b.spots] == 1].tolist()
        left, lines, line_points, line_bonus, blocks, discards, score = now.tally[0, seat].tolist()
        seats.append(
            SeatState(
                left,
                make_set(cubes),
                make_set(counted),
                lines,
                line_points,
                line_bonus,
                blocks,
                discards,
                score,
            )
        )
    free = [
        place
        for square, place in enumerate(b.cells.tolist())
        if int(now.free[0, square // 64]) >> square % 64 & 1
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
