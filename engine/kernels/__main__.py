"""Compile the kernels ahead of time: `python -m engine.kernels [--low-priority] [GAME ...]`.

Several games are compiled side by side, each in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

from engine import games
from engine.catalogue import Catalogue
from engine.kernels.loader import find_kernel

LOW_PRIORITY_OPTION: Final = "--low-priority"
LOW_PRIORITY: Final = 10
"""Niceness of a process that compiles while others work."""


def compile_kernel(game: str) -> None:
    """Compile the kernel of a game in this process; its compiled code does not depend on the ruleset."""
    find_kernel(next(ruleset for ruleset in Catalogue().rulesets.values() if ruleset.game == game))


def compile_kernels(names: list[str]) -> int:
    """Compile the kernels of several games side by side; return the number of processes that failed."""
    command = [sys.executable, "-P", "-m", "engine.kernels"]
    processes = [subprocess.Popen([*command, name]) for name in names]  # noqa: S603 - our own command
    return sum(process.wait() != 0 for process in processes)


if __name__ == "__main__":
    if LOW_PRIORITY_OPTION in sys.argv:
        os.nice(LOW_PRIORITY)
    chosen = [name for name in sys.argv[1:] if name != LOW_PRIORITY_OPTION] or list(games.game_names())
    if len(chosen) == 1:
        compile_kernel(chosen[0])
    else:
        sys.exit(compile_kernels(chosen))
