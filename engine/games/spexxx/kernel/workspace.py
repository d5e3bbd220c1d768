"""What the compiled functions of Spexxx work with beside the boards: strategies, results, and room for a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.spexxx.dice import HANDS
from engine.games.spexxx.kernel.position import LaneBoards, make_boards
from engine.games.spexxx.kernel.tables import LANES, Tables, aligned_zeros
from engine.games.spexxx.kernel.turns import SolvedTurn, make_solved_turn
from engine.kernels.results import LogColumns, make_log_columns
from engine.luck import normal_quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray


RANDOM, GREEDY, NOISY, BUILDER, ROLLOUT, LEARNED = range(6)
"""Codes of strategies: their places in `SpexxxKernel.strategies`."""
NORMAL_QUANTILES: Final = np.array(normal_quantiles())


class SeatStrategies(NamedTuple):
    """The strategies of all seats of all seatings."""

    codes: NDArray[np.int64]
    """(seatings, seats)"""
    potentials: NDArray[np.int32]
    """(seatings, seats) as `LaneBoards.potential`, for seats that use the greedy player's values."""
    settings: NDArray[np.float64]
    """(seatings, seats, parameters)"""
    weights: NDArray[np.float64]
    """(seatings, seats, weights) of builders. Rollouts play and imagine the builder as it was tuned."""


class SeatStrategy(NamedTuple):
    """The strategy of one seat, neither random nor greedy."""

    code: np.int64
    settings: NDArray[np.float64]
    """(parameters,)"""
    weights: NDArray[np.float64]
    """(weights,)"""


class Workspace(NamedTuple):
    """Room for the games that are played side by side, for their decisions, and for imagined games."""

    boards: LaneBoards
    """(LANES,) the games that are played."""
    start_values: NDArray[np.int32]
    """(seatings, seats, squares) values of squares to greedy seats at the start."""
    scratch: LogColumns
    """The plies of seatings x LANES games; the same room for each game."""
    turn: SolvedTurn
    """The turn that is played."""
    values: NDArray[np.float32]
    """(squares x LANES)"""
    quantiles: NDArray[np.float64]
    """Those of the normal distribution."""
    imagined_boards: LaneBoards
    """(LANES,) imagined games; no games if no strategy imagines any."""
    imagined_faces: NDArray[np.uint16]
    """(LANES, throws, turns) their dice, as `Turns.faces`."""
    imagined_turn: SolvedTurn
    """A turn in them."""
    hand_chances: NDArray[np.float64]
    """(hands,) chance to come to a hand."""
    fill_chances: NDArray[np.float64]
    """(squares,) chance that a square is filled in the turn."""
    estimates: NDArray[np.float64]
    """(squares,) worth of a square, in points."""
    margins: NDArray[np.float64]
    """(squares,) sum of the results of the playouts of one comparison, in points."""
    candidates: NDArray[np.intp]
    """(squares,) the squares that are compared; those that are left come first."""


def make_workspace(tables: Tables, codes: NDArray[np.int64], turns: int, scratch_plies: int) -> Workspace:
    """Return room for one batch: for strategies by their codes (seatings, seats), and for the turns and plies of a game."""
    squares = len(tables.cells)
    seatings, players = codes.shape
    has_rollouts = bool((codes == ROLLOUT).any())
    has_builders = has_rollouts or bool((codes == BUILDER).any())
    return Workspace(
        boards=make_boards(tables, players, LANES, with_values=True, with_outlook=has_builders),
        start_values=np.zeros((seatings, players, squares), dtype=np.int32),
        scratch=make_log_columns(seatings * LANES * scratch_plies),
        turn=make_solved_turn(tables),
        values=aligned_zeros((squares * LANES,), np.float32),
        quantiles=NORMAL_QUANTILES,
        imagined_boards=make_boards(
            tables, players, LANES * has_rollouts, with_values=True, with_outlook=True
        ),
        imagined_faces=np.zeros((LANES, tables.throws, turns * has_rollouts), dtype=np.uint16),
        imagined_turn=make_solved_turn(tables),
        hand_chances=np.zeros(len(HANDS)),
        fill_chances=np.zeros(squares),
        estimates=np.zeros(squares),
        margins=np.zeros(squares),
        candidates=np.zeros(squares, dtype=np.intp),
    )
