"""Ctrl-C at any moment: a command says that it stops, ends in time without a traceback, and keeps what is done."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipelines.cli import app
from pipelines.runs.library import Library
from tests.faults import interrupts
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.processes import StartProcess

pytestmark = pytest.mark.usefixtures("start_process")  # `interrupts` starts processes by itself


@pytest.fixture(scope="module")
def prepared_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs and files that the commands use."""
    folder = tmp_path_factory.mktemp("interrupted")
    interrupts.prepare_library(folder)
    return folder


def test_every_command_is_interrupted() -> None:
    assert {words[0] for words, _ in interrupts.COMMANDS.values()} == {
        command.name for command in app.registered_commands
    }


@pytest.mark.parametrize("second_after", [None, 0.05])
@pytest.mark.parametrize("command", ["simulate with one worker", "verify"])
def test_ctrl_c_ends_a_command_in_time(
    prepared_library: Path, command: str, second_after: float | None
) -> None:
    trial = interrupts.interrupt_command(prepared_library, command, 1.5, second_after)
    assert trial.fault is None, trial
    assert trial.code == 130
    assert trial.errors.startswith("stopping ... (Ctrl-C again ends at once)\n")


def test_sigterm_prints_what_ctrl_c_prints(prepared_library: Path, start_process: StartProcess) -> None:
    words = ["simulate", "bloxx-2p", "-s", "rollout,random", "--games", "40000", "--name", "ended"]
    command = [sys.executable, "-m", "pipelines", *words, "--data", str(prepared_library), "--quiet"]
    with start_process(command, stderr=subprocess.PIPE) as process:
        shards = prepared_library / "runs" / "ended.partial" / "shards"
        wait_until(lambda: shards.is_dir() and any(shards.iterdir()))
        process.send_signal(signal.SIGTERM)
        errors = process.communicate(timeout=30)[1]
    lines = errors.splitlines()
    assert (process.returncode, lines[0]) == (143, "stopping ... (Ctrl-C again ends at once)")
    assert re.fullmatch(
        r"stopped: [1-9]\d* of 40,?000 games are saved; resume with: reroll resume .*", lines[1]
    )
    assert len(lines) == 2


def test_ctrl_c_while_the_command_line_is_loaded_prints_one_line(prepared_library: Path) -> None:
    trial = interrupts.interrupt_command(prepared_library, "ls", 0.1, None)
    assert trial.fault is None, trial
    assert (trial.code, len(trial.errors.splitlines())) == (130, 1)


def test_a_command_that_does_not_stop_is_ended_when_its_time_is_over(start_process: StartProcess) -> None:
    deaf = """
import time
from pipelines import interrupts
interrupts.install_handler()
try:
    print("ready", flush=True)
    time.sleep(30)
except KeyboardInterrupt:
    time.sleep(30)
"""
    with start_process(
        [sys.executable, "-c", deaf], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=30)[1]
    assert process.returncode == 130
    assert errors.splitlines() == [
        "stopping ... (Ctrl-C again ends at once)",
        "ended; reroll ls lists what is saved",
    ]


def test_ctrl_c_while_a_compiled_module_is_imported_ends_the_command_without_a_word_of_that_module(
    start_process: StartProcess,
) -> None:
    """Compiled modules may abort when the Python code that they call while they are imported raises an exception."""
    loading = """
import enum, time
from pipelines import interrupts
interrupts.install_handler()

def wait_in_enumeration(*_, **__):
    print("ready", flush=True)
    time.sleep(30)

enum.EnumType.__call__ = wait_in_enumeration
import duckdb
"""
    with start_process(
        [sys.executable, "-c", loading], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=30)[1]
    assert (process.returncode, errors) == (130, "stopping ... (Ctrl-C again ends at once)\n")


@pytest.mark.night
def test_ctrl_c_at_two_hundred_random_moments_never_prints_a_traceback(
    prepared_library: Path, record_property: Callable[[str, object], None]
) -> None:
    dice, names = random.Random(14), list(interrupts.COMMANDS)
    trials = [
        interrupts.interrupt_at_random(prepared_library, dice, names[number % len(names)])
        for number in range(200)
    ]
    interrupted = [trial for trial in trials if not trial.finished_before]
    record_property("interrupted", len(interrupted))
    record_property("longest_seconds", max(trial.seconds for trial in interrupted))
    assert [trial for trial in trials if trial.fault] == []
    assert not Library(prepared_library).broken_files()
