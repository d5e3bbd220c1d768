"""What boards look like at the end of some games, told from their scenes: circles, crosses, gaps, cubes, for any game.

Scenes are drawn from the plain rules, which takes time: a process of its own does it, and the page shows what there is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipelines.run import Run
from pipelines.workers import pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from engine.scene import Scene

BATCH: Final = 12
"""Games between two looks."""


@dataclass
class Painted:
    """What the squares of so many games carried at their ends."""

    games: int = 0
    results: Counter[str] = field(default_factory=Counter)
    """Seats of each strategy in these games."""
    marks: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """Boards, by strategy, glyph and square."""

    def add(self, other: Painted) -> None:
        """Count the games of another sample too."""
        self.games += other.games
        self.results.update(other.results)
        self.marks.update(other.marks)


def paint_of(scene: Scene) -> Painted:
    """Count the marks on the boards at the end of a game; on a shared board a mark is of who painted it."""
    strategies = scene["strategies"]
    last: dict[tuple[int, int], tuple[str, str]] = {}
    for step in scene["steps"]:
        for at, cell, mark in step["paint"]:
            seat = scene["boards"][int(at)]["seat"]
            seat = step["seat"] if seat is None else seat
            if seat >= 0:
                last[int(at), int(cell)] = strategies[seat], scene["marks"][str(mark)]["glyph"]
    marks = Counter((strategy, glyph, cell) for (_, cell), (strategy, glyph) in last.items())
    return Painted(1, Counter(strategies), marks)


def painted(path: Path, games: Sequence[int]) -> Painted:
    """Count the marks at the ends of some games of a run. Runs in a process of its own."""
    run, found = Run(path), Painted()
    for game in games:
        found.add(paint_of(run.scene(game)))
    return found


def sampling(path: Path, games: Sequence[int], stopped: Callable[[], bool]) -> Iterator[Painted]:
    """Yield what more and more of the games say, each time a new object."""
    batches = [games[at : at + BATCH] for at in range(0, len(games), BATCH)]
    with pool(1) as executor:
        so_far = Painted()
        for result in executor.map(painted, [path] * len(batches), batches):
            grown = Painted(so_far.games, Counter(so_far.results), Counter(so_far.marks))
            grown.add(result)
            so_far = grown
            yield so_far
            if stopped():
                executor.shutdown(wait=False, cancel_futures=True)
                return
