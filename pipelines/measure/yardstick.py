"""The yardstick in plain C: compiled where a compiler is at hand, and run beside the kernel that it measures."""

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
    """What plain C does: Blokus for four, every legal placement equally likely."""

    games: int
    games_a_second: float
    """Of processor time; the best of several pieces."""
    placements: float
    """A game, on average."""
    left: tuple[float, ...]
    """Squares that each seat has left, on average."""


def run_yardstick(seconds: float, seed: int = 1) -> Yardstick | None:
    """Compile the yardstick and run it; None without a compiler or without the source.

    Raises subprocess.CalledProcessError if it cannot be compiled or does not run.
    """
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or not YARDSTICK_SOURCE.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        subprocess.run([compiler, *COMPILER_FLAGS, str(YARDSTICK_SOURCE), "-o", str(program)], check=True)  # noqa: S603 - our own list
        told = subprocess.run(  # noqa: S603 - as above
            [str(program), str(seconds), str(seed)], check=True, capture_output=True, text=True
        ).stdout.split()
    return Yardstick(int(told[0]), float(told[1]), float(told[2]), tuple(map(float, told[3:])))
