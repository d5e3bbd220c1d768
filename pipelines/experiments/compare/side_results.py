"""The results of each compared strategy over all its games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pipelines import statistics
from pipelines.design.metrics import PARTS_OF_A_WIN
from pipelines.statistics.bounded_means import block_interval, plausible_bounds

if TYPE_CHECKING:
    from pipelines.runs.outcomes import Outcomes
    from pipelines.statistics import Interval


@dataclass(frozen=True)
class SideResult:
    """The results of one compared strategy over all its games."""

    strategy: str
    seats_per_block: int
    score: Interval | None
    """Mean score of a seat."""
    win_share: Interval | None
    """Mean share of the win of one of its seats, with ties split: 1 / players if all strategies are equal."""


def side_results(outcomes: Outcomes) -> tuple[SideResult, ...]:
    """Return the results of every strategy of a line-up, in its order."""
    seatings = np.array(outcomes.design.seatings)
    bounds = plausible_bounds(outcomes.scores)
    results = []
    for side, strategy in enumerate(outcomes.design.labels):
        own = seatings == side
        results.append(
            SideResult(
                strategy,
                int(own.sum()),
                block_interval(outcomes.scores[:, own].mean(axis=1), bounds),
                statistics.share_interval(outcomes.wins[:, own].mean(axis=1) / PARTS_OF_A_WIN),
            )
        )
    return tuple(results)
