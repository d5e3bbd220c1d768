"""Compile the kernels ahead of time: `python -m engine.kernels [GAME ...]`, in one process for each game."""

from __future__ import annotations

import subprocess
import sys

from engine import games
from engine.catalogue import Catalogue
from engine.kernels.loader import find_kernel


def compile_kernel(game: str) -> None:
    """Compile the kernel of a game in this process; its compiled code does not depend on the ruleset."""
    find_kernel(next(ruleset for ruleset in Catalogue().rulesets.values() if ruleset.game == game))


def compile_kernels(names: list[str]) -> int:
    """Compile the kernels of several games side by side; return the number of processes that failed."""
    command = [sys.executable, "-m", "engine.kernels"]
    processes = [subprocess.Popen([*command, name]) for name in names]  # noqa: S603 - our own command
    return sum(process.wait() != 0 for process in processes)


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(games.game_names())
    if len(chosen) == 1:
        compile_kernel(chosen[0])
    else:
        sys.exit(compile_kernels(chosen))
