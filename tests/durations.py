"""With `--slowest`, pytest says at the end which tests are in the wrong tier, and where its seconds went."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from tests.tiers import MARKS_OF_FIXTURES, find_tier

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

SLOW_SECONDS: Final = 1.0
"""A test of the quick tier that takes longer should become cheaper, or be marked `slow`."""
QUICK_SECONDS: Final = 0.3
"""A test that is marked `slow` by hand and takes less time may be quick."""
FOLDER_DEPTH: Final = 3
"""Seconds are added up for folders such as tests/pipelines/runs."""


class DurationRecorder:
    """Collects how long the tests take, their fixtures included."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.marks: dict[str, frozenset[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the duration of one phase of a test."""
        self.seconds[report.nodeid] += report.duration
        self.marks[report.nodeid] = frozenset(report.keywords)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the three lists."""
        asked = frozenset(MARKS_OF_FIXTURES.values())
        tiers = {test: find_tier(marks) for test, marks in self.marks.items()}
        by_hand = {test for test, tier in tiers.items() if tier == "slow" and not asked & self.marks[test]}
        slow = [test for test, tier in tiers.items() if tier == "quick" and self.seconds[test] > SLOW_SECONDS]
        quick = [test for test in by_hand if self.seconds[test] < QUICK_SECONDS]
        folders: defaultdict[str, float] = defaultdict(float)
        for test, seconds in self.seconds.items():
            folder = PurePath(test.split("::")[0]).parent
            folders["/".join(folder.parts[:FOLDER_DEPTH])] += seconds

        def print_list(title: str, seconds: Callable[[str], float], names: list[str]) -> None:
            terminalreporter.section(title)
            for name in sorted(names, key=seconds, reverse=True):
                terminalreporter.line(f"{seconds(name):8.2f} s  {name}")

        print_list(f"quick tests above {SLOW_SECONDS:g} s", self.seconds.__getitem__, slow)
        print_list(f"tests marked slow below {QUICK_SECONDS:g} s", self.seconds.__getitem__, quick)
        print_list("seconds of each folder", folders.__getitem__, list(folders))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slowest", action="store_true", help="list tests in the wrong tier, and the seconds of each folder"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("slowest"):
        config.pluginmanager.register(DurationRecorder())
