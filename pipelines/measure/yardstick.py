"""The yardstick: a program in plain C that plays Blokus at random, with which the speed of the kernel is compared."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

YARDSTICK_SOURCE: Final = Path(__file__).parents[2] / "benchmarks" / "yardstick.c"
COMPILER_FLAGS: Final = ("-O3", "-march=native")


class Yardstick(NamedTuple):
    """The result of the yardstick: games of Blokus for four in which every legal placement is equally likely."""

    games: int
    games_a_second: float
    """Games a second of processor time; the best of several measurements."""
    placements: float
    """Placements in a game, on average."""
    left: tuple[float, ...]
    """(seats,) Squares that each seat has left at the end, on average."""


def run_yardstick(seconds: float, seed: int = 1) -> Yardstick | None:
    """Compile the yardstick and run it for about `seconds`. Return None without a C compiler or the source.

    Raises subprocess.CalledProcessError if it does not compile or does not run.
    """
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or not YARDSTICK_SOURCE.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        subprocess.run([compiler, *COMPILER_FLAGS, str(YARDSTICK_SOURCE), "-o", str(program)], check=True)  # noqa: S603 - a command made here
        numbers = subprocess.run(  # noqa: S603 - the program compiled above
            [str(program), str(seconds), str(seed)], check=True, capture_output=True, text=True
        ).stdout.split()
    games, games_a_second, placements, *left = map(float, numbers)
    return Yardstick(int(games), games_a_second, placements, tuple(left))
