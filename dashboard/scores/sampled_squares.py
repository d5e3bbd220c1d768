"""What boards look like at the end of some games, told from their scenes: circles, crosses, gaps, cubes, for any game.

Scenes are drawn from the plain rules, which takes time: a process of its own does it, and the page shows what there is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dashboard.queries.squares import logged_games
from engine.errors import GameError, InvalidError
from pipelines.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.scene import Scene

GAMES_PER_BATCH: Final = 40
"""Games between two looks."""


@dataclass
class MarkCounts:
    """What the squares of so many games carried at their ends."""

    games: int = 0
    results: Counter[str] = field(default_factory=Counter)
    """Seats of each strategy in these games."""
    marks: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """Boards, by strategy, glyph and square."""

    def add(self, other: MarkCounts) -> None:
        """Count the games of another sample too."""
        self.games += other.games
        self.results.update(other.results)
        self.marks.update(other.marks)


def count_marks(scene: Scene) -> MarkCounts:
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
    return MarkCounts(1, Counter(strategies), marks)


def iter_mark_counts(path: Path, games: int, stopped: Callable[[], bool]) -> Iterator[MarkCounts]:
    """Yield what more and more of the first logged games of a run say, each time a new object.

    The process is a plain one: those of `multiprocessing` would begin by running the page that Streamlit makes their main
    module. Raises InvalidError if a game cannot be drawn.
    """
    command = [sys.executable, "-m", "dashboard.scores.sampled_squares", str(path), str(games)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            for line in process.stdout or ():
                yield _read_mark_counts(line)
                if stopped():
                    return
            if process.wait():
                complaint = (process.stderr.read() if process.stderr else "").strip().splitlines()
                raise InvalidError(complaint[-1] if complaint else f"{path}: its games cannot be drawn")
        finally:
            process.kill()


def _write_mark_counts(found: MarkCounts) -> str:
    marks = [[*key, count] for key, count in found.marks.items()]
    return json.dumps({"games": found.games, "results": found.results, "marks": marks})


def _read_mark_counts(line: str) -> MarkCounts:
    found = json.loads(line)
    marks = Counter({(name, glyph, cell): count for name, glyph, cell, count in found["marks"]})
    return MarkCounts(found["games"], Counter(found["results"]), marks)


def main(path: str, games: str) -> None:
    """Write what more and more games say, a line of JSON a batch: the process behind `iter_mark_counts`."""
    run = Run(Path(path))
    with run.connect() as connection:
        wanted = logged_games(connection, int(games))
    found = MarkCounts()
    for number, game in enumerate(wanted, start=1):
        found.add(count_marks(run.scene(game)))
        if number % GAMES_PER_BATCH == 0 or number == len(wanted):
            sys.stdout.write(f"{_write_mark_counts(found)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except GameError as error:
        sys.exit(str(error))
