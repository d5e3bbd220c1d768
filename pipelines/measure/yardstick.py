"""The yardsticks: programs in C that play a game at random, with which the speed of its kernel is compared."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

YARDSTICK_SOURCES: Final = {
    ruleset: Path(__file__).parents[2] / "benchmarks" / f"yardstick_{game}.c"
    for game, ruleset in (("blokus", "blokus-4p"), ("bloxx", "bloxx-4p"))
}
"""The program of each ruleset that has one."""
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


def run_yardstick(ruleset: str, seconds: float, seed: int = 1) -> Yardstick | None:
    """Compile the yardstick of a ruleset and run it for about `seconds`. Return None without a C compiler or the source.

    Raises subprocess.CalledProcessError if it does not compile or does not run.
    """
    source = YARDSTICK_SOURCES[ruleset]
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or not source.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        subprocess.run([compiler, *COMPILER_FLAGS, str(source), "-o", str(program)], check=True)  # noqa: S603 - a command made here
        numbers = subprocess.run(  # noqa: S603 - the program compiled above
            [str(program), str(seconds), str(seed)], check=True, capture_output=True, text=True
        ).stdout.split()
    games, games_a_second, placements, *results = map(float, numbers)
    return Yardstick(int(games), games_a_second, placements, tuple(results))
