"""Ctrl-C at any moment: a command says that it stops, ends in time without a traceback, and keeps what is done."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pipelines.runs.library import Library
from tests.faults import interrupts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def prepared_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs and files that the commands use."""
    folder = tmp_path_factory.mktemp("interrupted")
    interrupts.prepare_library(folder)
    return folder


@pytest.mark.parametrize("second_after", [None, 0.05])
@pytest.mark.parametrize("command", ["simulate with one worker", "verify"])
def test_ctrl_c_ends_a_command_in_time(
    prepared_library: Path, command: str, second_after: float | None
) -> None:
    trial = interrupts.interrupt_command(prepared_library, command, 1.5, second_after)
    assert trial.fault is None, trial
    assert trial.code == 130
    assert trial.errors.startswith("stopping ... (Ctrl-C again ends at once)\n")


def test_ctrl_c_while_the_command_line_is_loaded_prints_one_line(prepared_library: Path) -> None:
    trial = interrupts.interrupt_command(prepared_library, "ls", 0.1, None)
    assert trial.fault is None, trial
    assert (trial.code, len(trial.errors.splitlines())) == (130, 1)


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
