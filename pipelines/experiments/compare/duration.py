"""How long a comparison will take on this machine, estimated from a few of its games."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.experiments.progressive import play_design_blocks
from pipelines.simulate.workers import usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.design.design import Design

MEASURING_SECONDS: Final = 0.5
"""Games are timed for about so long, but at least two blocks."""
SLOW_BLOCK_SECONDS: Final = 2.0
"""If the first block takes longer, there is an estimate after it; otherwise it only loads the compiled game."""
START_SECONDS: Final = 1.5
"""The time beside that of the games, in which processes start, the compiled game is loaded, and the file is written. On two idle
cores of an AMD EPYC, `reroll simulate` takes 1.8 s for 2 games, its own start included."""


class GamePace(NamedTuple):
    """The time of the games that were measured."""

    games: int
    seconds: float

    def estimate_seconds(self, games: int) -> float:
        """Return how long so many games take with one process for each processor, once these have started."""
        return self.seconds / self.games * games / usable_cpus()


def measure_pace(design: Design, stopped: Callable[[], bool] = lambda: False) -> Iterator[GamePace]:
    """Play a few blocks of a design and yield how long its games take, each time more precisely.

    The first block may include the time in which the game is loaded or compiled, so it does not count once there are
    others.
    """
    started = time.perf_counter()
    play_design_blocks(design, range(1))
    first = time.perf_counter() - started
    if first > SLOW_BLOCK_SECONDS:
        yield GamePace(design.rotations, first)
    blocks, count, seconds = 1, 1, 0.0
    while seconds < MEASURING_SECONDS and not stopped():
        started = time.perf_counter()
        play_design_blocks(design, range(blocks, blocks + count))
        seconds += time.perf_counter() - started
        blocks += count
        count = min(2 * count, 1000)
        yield GamePace((blocks - 1) * design.rotations, seconds)
