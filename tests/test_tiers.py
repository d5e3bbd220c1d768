"""Each test finds its tier by what it asks for."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.tiers import MARKS_OF_FIXTURES, find_tier

if TYPE_CHECKING:
    from pathlib import Path

    from tests.processes import RunProcess


@pytest.fixture
def other_python(run_process: RunProcess) -> RunProcess:
    return run_process


def test_a_test_that_asks_for_nothing_special_is_quick(request: pytest.FixtureRequest) -> None:
    assert find_tier(request.node.keywords) == "quick"
    assert not [mark for mark in MARKS_OF_FIXTURES.values() if request.node.get_closest_marker(mark)]


@pytest.mark.usefixtures("other_python")
def test_a_test_that_asks_for_a_process_through_another_fixture_is_slow(
    request: pytest.FixtureRequest,
) -> None:
    assert find_tier(request.node.keywords) == "slow"
    assert request.node.get_closest_marker("process")


@pytest.mark.quick
@pytest.mark.usefixtures("run_process")
def test_a_mark_by_hand_wins(request: pytest.FixtureRequest) -> None:
    assert find_tier(request.node.keywords) == "quick"
    assert request.node.get_closest_marker("process")


def test_a_test_with_the_marks_of_two_tiers_is_in_the_later_one() -> None:
    assert find_tier({"slow", "night"}) == "night"


SECOND_TRY_TESTS = """
import pytest

tries = []

@pytest.fixture
def serve_dashboard():
    pass

def test_with_a_server(serve_dashboard):
    tries.append("server")
    assert tries.count("server") == 2

def test_without_one():
    tries.append("none")
    assert tries.count("none") == 2
"""


@pytest.mark.parametrize(("ci", "outcome"), [("true", "1 rerun in"), ("", "2 failed")])
def test_only_in_ci_a_test_with_a_server_has_a_second_try_which_is_named(
    tmp_path: Path, run_process: RunProcess, ci: str, outcome: str
) -> None:
    module = tmp_path / "test_tries.py"
    module.write_text(SECOND_TRY_TESTS)
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | (
        {"CI": ci} if ci else {}
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.tiers",
        "-raR",
        f"--rootdir={tmp_path}",
        str(module),
    ]
    printed = run_process(command, env=environment).stdout
    assert outcome in printed.splitlines()[-1]
    assert ("RERUN test_tries.py::test_with_a_server" in printed) == bool(ci)
