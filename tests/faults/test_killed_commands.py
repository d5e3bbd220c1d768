"""SIGKILL of any command that writes: no run and no note is lost, nothing half is left, and the same command works once more."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pipelines.cli import app
from tests.faults.interrupts import COMMANDS as ALL_COMMANDS
from tests.faults.kill_commands import COMMANDS, Killed, KillLibrary, kill_command

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("start_process")  # `kill_commands` starts processes by itself

READ_ONLY = {"ask", "bench", "card", "dashboard", "docs", "doctor", "games", "help", "info", "openings", "review", "rule", "rulesets", "show", "strategies", "verify"}  # fmt: skip
"""Commands that write no run, note or file of the user; the dashboard starts the others."""


@pytest.fixture(scope="module")
def killed_library(tmp_path_factory: pytest.TempPathFactory) -> KillLibrary:
    folder = tmp_path_factory.mktemp("killed") / "prepared"
    folder.mkdir()
    return KillLibrary(folder)


def test_every_command_that_writes_is_killed() -> None:
    names = {command.name for command in app.registered_commands}
    assert {words[0] for words, _ in ALL_COMMANDS.values()} == names
    assert {command.words[0] for command in COMMANDS.values()} == names - READ_ONLY


@pytest.mark.parametrize("step", [1, 2])
def test_a_run_that_is_deleted_leaves_no_log_that_keeps_its_name(
    killed_library: KillLibrary, step: int
) -> None:
    killed = kill_command(killed_library, "rm with a log", random.Random(1), step)
    assert (killed.is_killed, killed.faults) == (True, ())


@pytest.mark.night
def test_two_hundred_kills_of_all_commands_lose_nothing(
    killed_library: KillLibrary, record_property: Callable[[str, object], None]
) -> None:
    dice, names = random.Random(52), [name for name in COMMANDS if name != "demo"]
    trials: list[Killed] = []
    while sum(trial.is_killed for trial in trials) < 200:
        trials.append(kill_command(killed_library, names[len(trials) % len(names)], dice))
    record_property("trials", len(trials))
    assert [trial for trial in trials if trial.faults] == []
