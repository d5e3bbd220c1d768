"""Positions of Spexxx, and logs, as the arrays that compiled code works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.spexxx.kernel.tables import NO_BLOCK, OFF_BOARD, aligned, spot, words
from engine.games.spexxx.rules import Seat, SpexxxState
from engine.games.spexxx.ruleset import cells_of, together

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.spexxx.kernel.tables import Board
    from engine.games.spexxx.ruleset import SpexxxRuleset

LEFT, LINES, LINE_POINTS, LINE_BONUS, BLOCKS, DISCARDS, SCORE = range(7)
"""Columns of a tally: the numbers of `rules.Seat`."""
TALLY: Final = 7
NOT_GREEDY: Final = -1
NOW, NEAR, NEAR_LIKELY, FAR, FAR_LIKELY, BLOCK = range(6)
OUTLOOKS: Final = 6
"""Rows of an outlook: see `kernel_outlook`."""


class Table(NamedTuple):
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
    table: Table

    @property
    def is_over(self) -> bool:
        """SP-13."""
        return not self.table.tally[0, self.thrower, LEFT]


class Plies(NamedTuple):
    """The columns of a log as they are written."""

    round: NDArray[np.uint16]
    seat: NDArray[np.int8]
    action: NDArray[np.int32]
    options: NDArray[np.int32]
    score: NDArray[np.int32]

    @classmethod
    def room(cls, rows: int) -> Plies:
        """Return room for so many."""
        return cls(
            np.empty(rows, dtype=np.uint16),
            np.empty(rows, dtype=np.int8),
            np.empty(rows, dtype=np.int32),
            np.empty(rows, dtype=np.int32),
            np.empty(rows, dtype=np.int32),
        )


def table(b: Board, players: int, games: int, *, valued: bool = False, surveyed: bool = False) -> Table:
    """Return tables without any meaning yet; `surveyed` ones keep the outlook."""
    spots = len(b.points)
    return Table(
        np.zeros((games, spots), dtype=np.int8),
        np.zeros((games, players, spots), dtype=np.int8),
        np.zeros((games, players, spots), dtype=np.int8),
        np.zeros((games, b.matches.shape[1]), dtype=np.uint64),
        np.zeros((games, players, TALLY), dtype=np.int32),
        aligned((players, b.rows * games * valued), np.int32),
        np.full(players, NOT_GREEDY, dtype=np.int32),
        aligned((OUTLOOKS, players, len(b.cells) * games * surveyed), np.int32),
    )


def copied(of: Table) -> Table:
    """Return tables with the same on them."""
    return Table(
        of.grid.copy(),
        of.blocks.copy(),
        of.counted.copy(),
        of.free.copy(),
        of.tally.copy(),
        of.worth.copy(),
        of.potential.copy(),
        of.outlook.copy(),
    )


def packed(b: Board, state: SpexxxState) -> Position:
    """Return a position of the rules as arrays."""
    ruleset, squares = state.ruleset, b.cells.tolist()
    made = table(b, ruleset.players, 1)
    made.grid[:] = OFF_BOARD
    made.grid[0, b.spots] = 0
    made.free[0] = words(
        (square for square, place in enumerate(squares) if state.free >> place & 1), len(squares)
    )
    made.blocks[:] = NO_BLOCK
    within = b.blocks[:, None] + b.inside.astype(np.intp)
    for seat, own in enumerate(state.seats):
        made.grid[0, [spot(ruleset, place) for place in cells_of(own.cubes)]] = seat + 1
        made.counted[0, seat, [spot(ruleset, place) for place in cells_of(own.counted)]] = 1
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


def unpacked(b: Board, ruleset: SpexxxRuleset, position: Position) -> SpexxxState:
    """Return a position of the rules from arrays."""
    now = position.table
    seats = []
    for seat in range(ruleset.players):
        cubes = b.cells[now.grid[0, b.spots] == seat + 1].tolist()
        counted = b.cells[now.counted[0, seat, b.spots] == 1].tolist()
        left, lines, line_points, line_bonus, blocks, discards, score = now.tally[0, seat].tolist()
        seats.append(
            Seat(
                left,
                together(cubes),
                together(counted),
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
        together(free),
        position.throws,
        position.dice,
    )
