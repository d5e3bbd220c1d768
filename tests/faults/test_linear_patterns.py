"""What strangers write is read in a time and a memory that grow with its length, whatever stands in it."""

from __future__ import annotations

import gc
import time
import tracemalloc
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import pytest

from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from engine.games.blokus.blksgf import read_trees
from engine.transcript import tidy_notation
from pipelines.exchange.game_files import read_log
from pipelines.report.show.html import _bind_names
from pipelines.report.wording import hide_folders
from pipelines.runs.query import explain_failure
from pipelines.runs.query_parameters import find_parameters
from pipelines.runs.query_process import _QUERY_START_PATTERN

if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN_COLUMN: Final = 'Binder Error: Referenced column "x" not found in FROM clause!'
READERS: Final[dict[str, tuple[Callable[[str], object], tuple[str, ...]]]] = {
    "hints of SQL": (
        lambda text: explain_failure(text, UNKNOWN_COLUMN),
        ("/*", "a'", "$a$", "--", '"', "/* */", "=  "),
    ),
    "parameters of SQL": (find_parameters, ("/*", "*/", "$a$b", "e'", "''", '"', "$", "a$")),
    "start of SQL": (_QUERY_START_PATTERN.match, ("/*", "/**/", "(", "-- \n", " ", "--")),
    "games of Pentobi": (read_trees, ("(;", ";B[", "[\\]", "(", ")(;", "\\", ";C[x]")),
    "logs": (read_log, ("reroll log 2\n", "1 > ", "#", "dice > 1", "- 1 ")),
    "notations": (tidy_notation, ("a1,", "1 ", ":", " ", "a1o")),
    "Markdown": (escape_markdown, (":", ":a", "www", "http:", "a@", "https://", " ", "\u202a")),
    "names in HTML": (_bind_names, ("a-", "-2p", "2p-", "-", "a", "a-2")),
    "folders": (hide_folders, ("/", "/a", "~/", "a:/", "\\", "//", '/"')),
}
BASE_LENGTH: Final = 40_000
FACTOR: Final = 4
MAX_GROWTH: Final = 9.0
"""A square would take 16 times as long. Caches and other processes may double a time."""
MIN_SECONDS: Final = 0.1
"""Shorter times say nothing; at this length, a square takes seconds."""
ATTEMPTS: Final = 4


def measure_seconds(read: Callable[[str], object], text: str) -> float:
    """Return the time of this thread, without that of other processes, and without that of looking for garbage in all tests."""
    gc.disable()
    try:
        start = time.thread_time()
        with suppress(GameError):
            read(text)
        return time.thread_time() - start
    finally:
        gc.enable()


def grows_in_proportion(read: Callable[[str], object], text: str) -> bool:
    before, after = measure_seconds(read, text), measure_seconds(read, text * FACTOR)
    return after < max(MAX_GROWTH * before, MIN_SECONDS)


@pytest.mark.parametrize("name", READERS)
def test_the_time_grows_in_proportion_to_the_text(name: str) -> None:
    read, parts = READERS[name]
    for part in parts:
        text = part * (BASE_LENGTH // len(part))
        assert any(grows_in_proportion(read, text) for _ in range(ATTEMPTS)), part


def test_a_long_comment_of_a_game_takes_little_memory() -> None:
    text = f"(;C[{'x' * 1_000_000}])"
    tracemalloc.start()
    read_trees(text)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20 * len(text)
