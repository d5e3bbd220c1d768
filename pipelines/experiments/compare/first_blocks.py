"""A preview of a comparison: its first blocks, played in this process while the worker processes start.

These are the blocks with which the run begins, so the preview and the run agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.experiments.compare.comparison import Comparison, compare_outcomes
from pipelines.experiments.progressive import play_design_blocks, play_steps
from pipelines.runs.outcomes import Outcomes, outcomes_from_table
from pipelines.simulate.shards import timed_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.design.designs import ComparisonDesign


def preview_comparison(
    design: ComparisonDesign, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Comparison]:
    """Play the blocks of a comparison and yield the comparison after the first ones, then several times a second.

    The preview ends after all blocks of the design, or after a step when `stopped` returns True.
    """

    def play_blocks(blocks: range) -> Outcomes:
        return outcomes_from_table(design, play_design_blocks(design, blocks)["seats"], blocks)

    for outcomes, _ in play_steps(timed_steps(design.blocks), play_blocks, _join_outcomes, stopped):
        yield compare_outcomes(outcomes)


def _join_outcomes(first: Outcomes, second: Outcomes) -> Outcomes:
    pairs = ((getattr(first, name), getattr(second, name)) for name in ("blocks", "scores", "ranks", "wins"))
    return Outcomes(first.design, *(np.concatenate(pair) for pair in pairs))
