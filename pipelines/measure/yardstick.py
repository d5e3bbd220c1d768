"""The yardsticks: programs in C that play a game at random, with which the speed of its kernel is compared."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from engine import games
from pipelines.records.record_file import BENCHMARKS_FOLDER

COMPILER_FLAGS: Final = ("-O3", "-march=native")


class Yardstick(NamedTuple):
    """The result of a yardstick: games for four in which every legal action is equally likely."""

    games: int
    games_a_second: float
    """Games a second of processor time; the best of several measurements."""
    placements: float
    """Shapes placed in a game by all seats together, on average."""
    results: tuple[float, ...]
    """(seats,) What each seat has at the end, on average: in Blokus the squares left, in BLOXX! the score."""


def find_yardsticks() -> dict[str, Path]:
    """Return the program of each ruleset that has one: `yardstick_<game>.c` plays the standard ruleset for four."""
    sources = {
        name: BENCHMARKS_FOLDER / f"yardstick_{name.replace('-', '_')}.c" for name in games.game_names()
    }
    return {f"{name}-4p": source for name, source in sources.items() if source.is_file()}


def run_yardstick(ruleset: str, seconds: float, seed: int = 1) -> Yardstick | None:
    """Compile the yardstick of a ruleset and run it for about `seconds`. Return None without a C compiler.

    Raises subprocess.CalledProcessError if it does not compile or does not run.
    """
    source = find_yardsticks()[ruleset]
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        subprocess.run([compiler, *COMPILER_FLAGS, str(source), "-o", str(program)], check=True)  # noqa: S603 - a command made here
        numbers = subprocess.run(  # noqa: S603 - the program compiled above
            [str(program), str(seconds), str(seed)], check=True, capture_output=True, text=True
        ).stdout.split()
    played, games_a_second, placements, *results = map(float, numbers)
    return Yardstick(int(played), games_a_second, placements, tuple(results))
