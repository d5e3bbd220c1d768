"""Deciding: whether a comparison that is being played until it is decided has been, asked at looks settled beforehand.

The looks are blocks, not times, and only what lies before a look is looked at: so the run ends after the same block
wherever it is played, and by however many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pipelines.design.seatings import FIRST_LOOK_BLOCKS, side_pairs
from pipelines.runs.outcomes import block_differences, read_shard_outcomes
from pipelines.statistics import StoppingRule

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.design.seatings import Pair
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.statistics.distributions import Floats

FAMILY_ERROR_RATE: Final = 0.05
"""Chance of any wrong answer in a comparison that is played until it is decided, over all looks and all pairs."""


def make_stopping_rule(design: Design) -> StoppingRule:
    """Return the rule that stops a comparison, for each of its pairs; their errors add up to no more than ERROR."""
    asked = design.contest
    if asked is None or asked.most_blocks is None:
        raise ValueError("This run is not played until it is decided.")
    level = 1 - FAMILY_ERROR_RATE / len(side_pairs(len(design.lineup)))
    return StoppingRule(
        asked.most_blocks, asked.margin, level=level, first_look=min(FIRST_LOOK_BLOCKS, asked.most_blocks)
    )


class SequentialMonitor:
    """Follows the finished shards of an unfinished run in their order."""

    def __init__(self, partial: UnfinishedRun) -> None:
        design = partial.design
        if design.contest is None:
            raise ValueError("This run is no comparison.")
        self._partial, self._design, self._metric = partial, design, design.contest.metric
        self._rule, self._shards = make_stopping_rule(design), design.shards
        self._looks = set(design.contest.look_schedule)
        self._read = 0
        self._values: dict[Pair, list[Floats]] = {pair: [] for pair in side_pairs(len(design.lineup))}

    def blocks_needed(self) -> int | None:
        """Return after how many blocks it is decided or the budget spent; None as long as neither is known."""
        finished = self._partial.finished_shards
        while self._read in finished:
            blocks = self._shards[self._read]
            folder = self._partial.shards_folder / f"{self._read:06}"
            outcomes = read_shard_outcomes(self._design, folder, blocks)
            for pair, values in self._values.items():
                values.append(block_differences(outcomes, pair, self._metric))
            self._read += 1
            if blocks.stop == self._design.blocks or (blocks.stop in self._looks and self._is_decided()):
                return blocks.stop
        return None

    def _is_decided(self) -> bool:
        return all(
            self._rule.judge_differences(np.concatenate(values)).is_over for values in self._values.values()
        )
