"""The tiers of the suite. `make test` runs the quick tests, `make test-ci` also the slow ones, `make test-all` all of them.

A test finds its tier itself: one of the scripts in `benchmarks` runs at night, one that asks for a browser, a server or a
process is slow, and every other one is quick. A mark by hand wins.

In CI, where nobody looks, a test with a browser, a server or a process that fails is run once more, and the summary names it: on a
busy machine one of hundreds meets a page that has not come to rest or a process that has not begun.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Container, Generator, Sequence

    from xdist.workermanage import WorkerController

MARKS_OF_FIXTURES: Final = {
    "browser": "browser",
    "serve_dashboard": "server",
    "run_process": "process",
    "start_process": "process",
}
"""The mark of a test that asks for a fixture, directly or through other fixtures."""
NIGHT_FOLDER: Final = Path(__file__).parent / "benchmarks"
"""Its tests run at night: scripts that few people start, and not often."""
COMMANDS: Final = {"quick": "make test", "slow": "make test-ci", "night": "make test-all"}
"""The tiers; for each the command that runs it and all tiers before it."""

left_out_key = pytest.StashKey[Counter[str]]()


def find_tier(marks: Container[str]) -> str:
    """Return the tier of a test with these marks."""
    return next(tier for tier in reversed(COMMANDS) if tier in marks)


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count the tests of each tier that are left out."""
    config.stash[left_out_key] = Counter()


@pytest.hookimpl(tryfirst=True)  # before pytest selects tests by their marks
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark each test with what it asks for and with its tier."""
    for item in items:
        marks = {mark for fixture, mark in MARKS_OF_FIXTURES.items() if fixture in item.fixturenames}
        for mark in marks:
            item.add_marker(mark)
        if "CI" in os.environ and marks:
            item.add_marker(pytest.mark.flaky(reruns=1))
        if not any(item.get_closest_marker(tier) for tier in COMMANDS):
            is_of_night = item.path.is_relative_to(NIGHT_FOLDER)
            item.add_marker("night" if is_of_night else "slow" if marks else "quick")


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count the tests that are left out."""
    for item in items:
        item.config.stash[left_out_key][find_tier(item.keywords)] += 1


def pytest_collection_finish(session: pytest.Session) -> None:
    """Send the counts from a worker of xdist to the process that reports."""
    if hasattr(session.config, "workeroutput"):
        left_out = session.config.stash[left_out_key]
        session.config.workeroutput["left_out"] = dict(left_out)


@pytest.hookimpl(optionalhook=True)  # a run without xdist has no such hook
def pytest_testnodedown(node: WorkerController, error: object | None) -> None:
    """Take the counts of a worker. All workers leave out the same tests."""
    if error is None:
        node.config.stash[left_out_key] = Counter(node.workeroutput["left_out"])


@pytest.hookimpl(wrapper=True, tryfirst=True)  # the outermost hook writes last
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Say in the last line how many tests were left out and which command runs them."""
    yield
    left_out = session.config.stash[left_out_key]
    parts = [
        f"{left_out[tier]:,} run with `{COMMANDS[tier]}`" for tier in ("slow", "night") if left_out[tier]
    ]
    if parts and not hasattr(session.config, "workeroutput"):
        session.config.get_terminal_writer().line(f"Left out of these tests: {', '.join(parts)}.")
