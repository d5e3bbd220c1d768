"""The same what-if question about many games of a run: the mean effect over positions, with intervals that count blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pipelines.experiments.whatif import WhatIf, play_whatif
from pipelines.statistics.bounded_means import SHARE_BOUNDS, ValueBounds, clustered_interval
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pipelines.experiments.fork import Fork
    from pipelines.statistics import Interval


@dataclass(frozen=True)
class WhatIfPositions:
    """The same change at many positions of a run.

    A position counts once, however many continuations it has. Games of one block share their luck, so the intervals count
    blocks: the mean over positions is a ratio of two sums over blocks (`clustered_interval`).
    """

    played: tuple[WhatIf, ...]
    skipped: dict[int, str]
    """The reason why a game could not be forked, by number of the game."""

    @property
    def blocks(self) -> int:
        """Number of different blocks of the games."""
        return len({whatif.fork.block for whatif in self.played})

    @property
    def has_enough_blocks(self) -> bool:
        return self.blocks >= MIN_BLOCKS

    def mean_over_positions(self, value: Callable[[WhatIf], float], bounds: ValueBounds) -> Interval | None:
        """Return the mean of a value over the positions; None for fewer than two blocks.

        `bounds` are the possible values.
        """
        values = np.array([value(whatif) for whatif in self.played], dtype=np.float64)
        return clustered_interval(values, np.array([whatif.fork.block for whatif in self.played]), bounds)

    @cached_property
    def score(self) -> Interval | None:
        """Mean final score of the seat, changed minus original."""
        if not self.played:
            return None
        spread = max(whatif.score_bounds.high - whatif.score_bounds.low for whatif in self.played)
        return self.mean_over_positions(
            lambda whatif: _estimate(whatif.score_difference(whatif.fork.seat)), ValueBounds(-spread, spread)
        )

    @cached_property
    def win_share(self) -> Interval | None:
        """Mean share of the win of the seat, changed minus original."""
        return self.mean_over_positions(
            lambda whatif: _estimate(whatif.seat_effect(whatif.fork.seat).win_share),
            SHARE_BOUNDS.minus(SHARE_BOUNDS),
        )

    @cached_property
    def differing_share(self) -> Interval | None:
        """Share of positions at which at least one continuation differs between the branches."""
        return self.mean_over_positions(
            lambda whatif: float(whatif.differing_share.estimate > 0), SHARE_BOUNDS
        )

    @property
    def unchanged(self) -> int:
        """Number of positions at which the change is none, such as a strategy in place of itself."""
        return sum(bool(one.fork.change) and one.fork.has_equal_branches for one in self.played)


def _estimate(interval: Interval | None) -> float:
    """Return the estimate of a position, which has at least two continuations."""
    return interval.estimate if interval else math.nan


def play_every_fork(
    forks: Iterable[Fork], *, n: int, seed: int, stopped: Callable[[], bool] = lambda: False
) -> Iterator[WhatIf]:
    """Continue every fork `n` times and yield the results of each; every fork has its own luck.

    Play ends when `stopped` returns True. The fork that is then being played is left out.
    """
    for number, fork in enumerate(forks):
        answers = list(play_whatif(fork, n=n, seed=seed, number=number, stopped=stopped))
        if not answers or answers[-1].n < n:
            return
        yield answers[-1]
