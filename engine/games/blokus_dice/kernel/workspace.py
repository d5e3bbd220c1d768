"""Arrays that the compiled functions of Blokus Dice work in: nothing is allocated during a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.position import Position, make_start_position
from engine.games.blokus_dice.kernel.tables import SPOT_WORDS, VECTOR_WORDS, VIEW_SIDE
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.polyomino import SHAPES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Numbers, Tables, Words

MAX_CANDIDATES: Final = 64
"""Candidates that `rollout` compares at most."""


class Workspace(NamedTuple):
    """Room for one decision."""

    fitting: Words
    """(words,) placements of unused shapes that may be drawn in the colour held, whatever their row of the list."""
    counts: NDArray[np.int64]
    """(FACE_COUNT + 1,) legal placements by face; the last: with a strike, for each different die."""
    corner_points: NDArray[np.int64]
    """(side + VIEW_SIDE,) columns of the squares that count as corner points, a bit for each row. Column 0 and row 0
    are to the left of and below the play area."""
    offered: Words
    """(SPOT_WORDS, VECTOR_WORDS) pattern of the placements that the dice offer."""
    of_size: Words
    """(SPOT_WORDS, VECTOR_WORDS) pattern of those of one size."""
    words_with_members: NDArray[np.int64]
    """(vectors of a plane,) a bit for each word that has such a placement that fits."""
    tie_counts: NDArray[np.int64]
    """(FACE_COUNT + 1,) how many equally good placements `greedy` has by face; the last: with a strike."""
    ties: Numbers
    """(FACE_COUNT + 1, placements) these placements."""


class KeeperWorkspace(NamedTuple):
    """Room to value the placements of one decision. A candidate is a placement together with the die for it."""

    placements: Numbers
    """(candidates,)"""
    faces: Numbers
    """(candidates,) face of the die that the candidate takes."""
    strikes: Numbers
    """(candidates,) 1 if it takes a strike, else 0."""
    values: NDArray[np.float64]
    """(candidates,) in squares: higher is better."""
    shape_placements: NDArray[np.int64]
    """(shapes,) free placements of each shape that fit in some colour."""
    allowed: Words
    """(colours, words) placements that each colour allows."""
    planes: Words
    """(3, words) free, joined and apart after a candidate."""
    fitting_words: Words
    """(SPOT_WORDS, VECTOR_WORDS) orientations that fit somewhere, word by word as in a plane."""
    fitting_orientations: Words
    """(SPOT_WORDS,) these orientations, a bit for each."""
    next_round: NDArray[np.int64]
    """(2,) seats that are in, and how many of them come before the own seat in the next round."""


class GameWorkspace(NamedTuple):
    """Room for a game and its decisions."""

    position: Position
    """The game that is played."""
    decision: Workspace
    keeper: KeeperWorkspace
    after: Position
    """The own board after a candidate; other boards have no meaning."""
    imagined: Position
    """The own board in a playout; other boards have no meaning."""
    candidates: NDArray[np.int64]
    """(MAX_CANDIDATES,) candidates of `keeper` that `rollout` still compares."""
    values: NDArray[np.float64]
    """(MAX_CANDIDATES,) sum of their results so far: higher is better."""


def make_workspace(tables: Tables) -> GameWorkspace:
    """Return room for the games of one ruleset."""
    return GameWorkspace(
        position=make_start_position(tables),
        decision=_make_decision_workspace(tables),
        keeper=_make_keeper_workspace(tables),
        after=make_start_position(tables),
        imagined=make_start_position(tables),
        candidates=np.empty(MAX_CANDIDATES, np.int64),
        values=np.empty(MAX_CANDIDATES, np.float64),
    )


def _make_decision_workspace(tables: Tables) -> Workspace:
    return Workspace(
        fitting=np.empty(tables.words, np.uint32),
        counts=np.zeros(FACE_COUNT + 1, np.int64),
        corner_points=np.zeros(tables.side + VIEW_SIDE, np.int64),
        offered=np.zeros((SPOT_WORDS, VECTOR_WORDS), np.uint32),
        of_size=np.zeros((SPOT_WORDS, VECTOR_WORDS), np.uint32),
        words_with_members=np.zeros(tables.words // VECTOR_WORDS, np.int64),
        tie_counts=np.zeros(FACE_COUNT + 1, np.int64),
        ties=np.empty((FACE_COUNT + 1, tables.placement_count), np.int32),
    )


def _make_keeper_workspace(tables: Tables) -> KeeperWorkspace:
    return KeeperWorkspace(
        placements=np.empty(tables.placement_count, np.int32),
        faces=np.empty(tables.placement_count, np.int32),
        strikes=np.empty(tables.placement_count, np.int32),
        values=np.empty(tables.placement_count, np.float64),
        shape_placements=np.empty(len(SHAPES), np.int64),
        allowed=np.empty((len(COLOUR_NAMES), tables.words), np.uint32),
        planes=np.empty((3, tables.words), np.uint32),
        fitting_words=np.empty((SPOT_WORDS, VECTOR_WORDS), np.uint32),
        fitting_orientations=np.empty(SPOT_WORDS, np.uint32),
        next_round=np.empty(2, np.int64),
    )
