"""A process that has played a game and waits for its command, so that a job of the dashboard starts at once.

`pipelines.service.jobs` starts it. It carries out one command and ends; it also ends when the process that started it does.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.catalogue import Catalogue
from engine.errors import GameError
from pipelines.cli.output import tabulate_run
from pipelines.design.designs import design_simulation
from pipelines.questions.lineups import suggest_lineup
from pipelines.service.jobs import MAX_COMMAND_BYTES
from pipelines.simulate.simulate import simulate_run


def wait_for_command(descriptor: int, game: str) -> list[str]:
    """Get ready for a game, and return the arguments of the command; exit if there will be none."""
    with suppress(GameError, OSError):
        play_one_block(game)
    with socket.socket(fileno=descriptor) as waiting:
        command, files, _, _ = socket.recv_fds(waiting, MAX_COMMAND_BYTES, 1)
    if not command:
        sys.exit(0)
    for standard in (1, 2):
        os.dup2(files[0], standard)
    os.close(files[0])
    return list(json.loads(command))


def play_one_block(game: str) -> None:
    """Play and seal a run that nobody sees: this imports, loads and opens whatever a run of the game needs."""
    ruleset = next(ruleset for ruleset in Catalogue().rulesets.values() if ruleset.game == game)
    design = design_simulation(ruleset, list(suggest_lineup(ruleset)), blocks=1, seed=0)
    with TemporaryDirectory() as folder:
        tabulate_run(simulate_run(design, Path(folder) / "spare.duckdb", workers=1))
