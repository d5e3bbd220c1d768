"""The open files of the dashboard: the limit is raised, what sessions left is closed, and a lack of files is said once."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import resource
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pipelines.service.server import (
    EXHAUSTED_SECONDS,
    OpenFileWatch,
    count_open_files,
    is_without_file_error,
    raise_open_file_limit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class LeftSession:
    """What Streamlit leaves of a session: an event loop that closes when the session is collected."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.circle = self

    def __del__(self) -> None:
        self.loop.close()


def open_files() -> int:
    count = count_open_files()
    assert count is not None
    return count


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Let Python collect no garbage by itself."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_the_limit_of_open_files_is_raised_as_far_as_the_system_allows() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
    try:
        limit = raise_open_file_limit()
        assert 200 < limit == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        assert limit == raise_open_file_limit()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("no_collection")
def test_the_files_of_sessions_that_left_are_closed() -> None:
    watch = OpenFileWatch(open_files() + 1000)
    assert not watch.check(0.0)
    before = open_files()
    for _ in range(40):
        LeftSession()
    assert open_files() >= before + 120
    assert not watch.check(1.0)
    assert open_files() < before + 20  # a thread of another test may open a few files meanwhile


@pytest.mark.slow
def test_a_lack_of_files_ends_the_dashboard_unless_it_passes() -> None:
    gc.collect()
    # Threads of other tests may open or close a few files meanwhile.
    watch = OpenFileWatch(open_files() + 40)
    assert not watch.check(0.0)
    with ExitStack() as held:
        for _ in range(24):
            held.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        with ExitStack() as more:
            for _ in range(16):
                more.callback(os.close, os.open(os.devnull, os.O_RDONLY))
            assert not watch.check(10.0)
        assert not watch.check(10.0 + EXHAUSTED_SECONDS)
        for _ in range(16):
            held.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        assert not watch.check(100.0)
        assert not watch.check(99.0 + EXHAUSTED_SECONDS)
        assert watch.check(100.0 + EXHAUSTED_SECONDS)


@pytest.mark.parametrize(
    ("error", "logged"),
    [
        (OSError(errno.EMFILE, "Too many open files"), []),
        (OSError(errno.ECONNRESET, "Connection reset"), ["said"]),
        (None, ["said"]),
    ],
)
def test_the_log_is_not_filled_with_connections_that_find_no_file(
    error: OSError | None, logged: list[str]
) -> None:
    record = logging.LogRecord(
        "asyncio", logging.ERROR, "", 0, "said", (), (OSError, error, None) if error else None
    )
    assert [line.msg for line in [record] if is_without_file_error(line)] == logged
