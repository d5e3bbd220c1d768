"""Games that begin with a fixed prefix: the games of a what-if run, and games with an opening.

Each game of a what-if run repeats the first plies of a logged game and continues with its own luck. A block is one
continuation, and its rotations are the branches: the original and the changed one, or the changed one alone if only the
luck differs. So a what-if run is replayed, verified and counted like any other run.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.kernels.results import Batch, PlyLog, join_batches
from engine.play import Ply
from pipelines.design.openings import play_opening, prepend_openings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player
    from pipelines.design.design import Design


def begin_game(design: Design, block: int, rotation: int) -> tuple[State, list[Ply]]:
    """Return the state at which a game starts to be played, and the plies before it.

    These plies are the prefix of the parent game, an opening, or none. Raises InvalidError or IllegalError if the rules
    do not allow the prefix.
    """
    if design.has_parent_game:
        return play_prefix(design.rules, design.parent_actions(rotation))
    return play_opening(design.rules, design.luck_of_block(block), design.opening)


def play_prefix(ruleset: Ruleset, actions: Sequence[int]) -> tuple[State, list[Ply]]:
    """Play actions from the start of a game; return the state after them and their plies.

    Raises IllegalError at the first action that is not legal.
    """
    state, plies = games.start_state(ruleset), []
    for action in actions:
        before, state = state, state.play(action)
        seated = before.seat != CHANCE
        options = len(before.actions) if seated else None
        score = state.score(before.seat) if seated else None
        plies.append(Ply(before.round, before.seat, action, options, score))
    return state, plies


def play_forked_blocks(
    compiled: Kernel,
    design: Design,
    seatings: Sequence[Sequence[Player]],
    blocks: Sequence[int],
    *,
    logged: bool,
) -> Batch:
    """Play blocks of a design with parent games by the compiled game; the games are ordered by block, then by rotation."""
    luck = [design.luck_number(block) for block in blocks]
    branches = []
    for rotation, seating in enumerate(seatings):
        state, plies = play_prefix(design.rules, design.parent_actions(rotation))
        batch = compiled.play_from_state(state, seating, design.seed, luck, logged=logged)
        branches.append(prepend_openings(batch, [plies] * len(luck)))
    return interleave_batches(branches)


def interleave_batches(branches: Sequence[Batch]) -> Batch:
    """Join batches of equal size: the first game of each batch, then the second of each, and so on."""
    whole = join_batches(branches)
    order = np.arange(len(whole.plies)).reshape(len(branches), -1).T.ravel()
    columns = {
        field.name: getattr(whole, field.name)[order] for field in fields(Batch) if field.name != "log"
    }
    if whole.log is None:
        return Batch(**columns, log=None)
    lengths = whole.plies.astype(np.int64)
    starts, ordered = np.cumsum(lengths) - lengths, lengths[order]
    rows = np.repeat(starts[order] - (np.cumsum(ordered) - ordered), ordered) + np.arange(ordered.sum())
    log = replace(whole.log, **{field.name: getattr(whole.log, field.name)[rows] for field in fields(PlyLog)})
    return Batch(**columns, log=log)
