"""Count the marks on the boards at the end of games: circles, crosses, gaps and cubes, for any game.

The counts come from scenes, which the plain rules compute slowly. So this module is run as a process of its own, which
writes its counts batch by batch: `python -m pipelines.questions.scores.sampled_squares RUN_FILE GAMES`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import GameError, InvalidError
from pipelines.questions.scores.square_counts import logged_games
from pipelines.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.scene import Scene

GAMES_PER_BATCH: Final = 40
"""Games between two lines of output."""


@dataclass
class MarkCounts:
    """The marks on the squares of the boards at the end of some games."""

    games: int = 0
    results: Counter[str] = field(default_factory=Counter)
    """By strategy: the number of boards."""
    marks: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """By strategy, glyph and square: the number of boards."""

    def add(self, other: MarkCounts) -> None:
        """Add the counts of another sample."""
        self.games += other.games
        self.results.update(other.results)
        self.marks.update(other.marks)


def count_marks(scene: Scene) -> MarkCounts:
    """Count the marks on the boards at the end of a game. On a shared board a mark counts for the seat that made it."""
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
    """Yield the counts of more and more of the first logged games of a run, each time as a new object.

    `multiprocessing` cannot start the process: it would run the page, which Streamlit makes the main module. Raises
    InvalidError if a game cannot be drawn.
    """
    command = [
        sys.executable,
        "-P",
        "-m",
        "pipelines.questions.scores.sampled_squares",
        str(path),
        str(games),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - a constant command
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


def _write_mark_counts(counts: MarkCounts) -> str:
    marks = [[*key, count] for key, count in counts.marks.items()]
    return json.dumps({"games": counts.games, "results": counts.results, "marks": marks})


def _read_mark_counts(line: str) -> MarkCounts:
    document = json.loads(line)
    marks = Counter({(name, glyph, cell): count for name, glyph, cell, count in document["marks"]})
    return MarkCounts(document["games"], Counter(document["results"]), marks)


def main(path: str, games: str) -> None:
    """Write the counts of more and more games, a line of JSON for each batch: the process of `iter_mark_counts`."""
    run = Run(Path(path))
    with run.connect() as connection:
        numbers = logged_games(connection, int(games))
    counts = MarkCounts()
    for done, game in enumerate(numbers, start=1):
        counts.add(count_marks(run.scene(game)))
        if done % GAMES_PER_BATCH == 0 or done == len(numbers):
            sys.stdout.write(f"{_write_mark_counts(counts)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except GameError as error:
        sys.exit(str(error))
