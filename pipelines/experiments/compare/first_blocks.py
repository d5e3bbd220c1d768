"""The first blocks of a comparison, played here and at once, while the processes that will play all of it still start.

They are the very blocks that the run begins with, so what a page shows first is no other experiment.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np

from pipelines.experiments.compare.comparison import Comparison, compare_outcomes
from pipelines.runs.outcomes import Outcomes, outcomes_from_table
from pipelines.simulate import compiled_games
from pipelines.simulate.shard_tables import ShardColumns
from pipelines.simulate.shards import play_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.design.design import Design

FIRST_LOOK_BLOCKS: Final = 10
"""Blocks before the first look: from as many an interval can be given."""
STEP_SECONDS: Final = 0.4
"""How long a page waits for the next look, about."""


def preview_comparison(design: Design, stopped: Callable[[], bool] = lambda: False) -> Iterator[Comparison]:
    """Play the blocks of a comparison and yield what is known after a few, and then a few times a second."""
    compiled = compiled_games.find_design_kernel(design)
    done, known, step = 0, None, min(FIRST_LOOK_BLOCKS, design.blocks)
    while done < design.blocks and not stopped():
        started = time.monotonic()
        blocks = range(done, min(done + step, design.blocks))
        if compiled:
            seats = compiled_games.play_blocks(design.model_copy(update={"log": "scores"}), compiled, blocks)[
                "seats"
            ]
        else:
            columns = ShardColumns()
            for block in blocks:
                for rotation in range(design.rotations):
                    columns.add_game(design, play_game(design, block, rotation))
            seats = columns.build_table("seats")
        found = outcomes_from_table(design, seats, blocks)
        known = found if known is None else _join_outcomes(known, found)
        done = blocks.stop
        yield compare_outcomes(known)
        spent = max(time.monotonic() - started, 1e-3)
        step = max(1, min(2 * step, int(step * STEP_SECONDS / spent)))


def _join_outcomes(one: Outcomes, other: Outcomes) -> Outcomes:
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("blocks", "scores", "ranks", "wins"))
    return Outcomes(one.design, *(np.concatenate(pair) for pair in pairs))
