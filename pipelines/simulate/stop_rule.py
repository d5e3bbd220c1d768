"""The stopping rule of a comparison that is played until it is decided, applied to its finished shards.

The rule is checked at looks: numbers of blocks that are fixed in advance. A look uses the blocks before it and nothing
else, so the run ends after the same block on any machine and with any number of workers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pipelines.design.designs import read_as_comparison
from pipelines.design.lineups import FIRST_LOOK_BLOCKS, side_pairs
from pipelines.design.metrics import METRICS
from pipelines.runs.outcomes import PairColumns, difference_bounds, pair_columns, read_shard_outcomes
from pipelines.statistics import StoppingRule

if TYPE_CHECKING:
    from pipelines.design.designs import ComparisonDesign
    from pipelines.design.lineups import Pair
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.statistics import SequentialLook

FAMILY_ERROR_RATE: Final = 0.05
"""Probability of any wrong decision in such a comparison, over all looks and all pairs, under the condition that
`pipelines.statistics.sequential` states."""


def make_stopping_rule(design: ComparisonDesign) -> StoppingRule:
    """Return the stopping rule of each pair of a comparison. The errors of all pairs add up to FAMILY_ERROR_RATE.

    Raises ValueError if the design is not played until it is decided.
    """
    contest = design.contest
    if contest.most_blocks is None:
        raise ValueError("This run is not played until it is decided.")
    level = 1 - FAMILY_ERROR_RATE / len(side_pairs(len(design.lineup)))
    return StoppingRule(
        contest.most_blocks,
        contest.margin,
        level=level,
        first_look=min(FIRST_LOOK_BLOCKS, contest.most_blocks),
    )


class SequentialMonitor:
    """Follows the finished shards of an unfinished comparison, in the order of their blocks."""

    def __init__(self, partial: UnfinishedRun) -> None:
        design = read_as_comparison(partial.design)
        self._partial, self._design, self._metric = partial, design, METRICS[design.contest.metric]
        self._rule, self._shards = make_stopping_rule(design), design.shards
        self._looks = set(design.contest.look_schedule)
        self._shards_read = 0
        self._columns: dict[Pair, list[PairColumns]] = {pair: [] for pair in side_pairs(len(design.lineup))}

    def blocks_needed(self) -> int | None:
        """Return the number of blocks after which the comparison is decided or its budget is spent, or None until then."""
        finished = self._partial.finished_shards
        while self._shards_read in finished:
            blocks = self._shards[self._shards_read]
            folder = self._partial.shards_folder / f"{self._shards_read:06}"
            outcomes = read_shard_outcomes(self._design, folder, blocks)
            for pair, columns in self._columns.items():
                columns.append(pair_columns(outcomes, pair, self._metric))
            self._shards_read += 1
            if blocks.stop == self._design.blocks or (blocks.stop in self._looks and self._is_decided()):
                return blocks.stop
        return None

    def _is_decided(self) -> bool:
        return all(self._judge_pair(pair).is_over for pair in self._columns)

    def _judge_pair(self, pair: Pair) -> SequentialLook:
        columns = PairColumns(*(np.concatenate(values) for values in zip(*self._columns[pair], strict=True)))
        bounds = difference_bounds(self._design, pair, self._metric, columns)
        return self._rule.judge_differences(columns.differences, bounds)
