"""The open files of the dashboard: raise the limit of the process, close what sessions have left, and stop if none is free.

Each session of Streamlit has an event loop with three descriptors, which stay open until Python collects the session as
garbage. Without a watch, the limit of macOS (256) is reached after a minute of twenty visitors; then asyncio logs every
connection that it cannot accept, thousands of times a second.
"""

from __future__ import annotations

import errno
import gc
import logging
import os
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Final

WANTED_OPEN_FILES: Final = 4096
"""Open files that the process may have if the hard limit allows it."""
CHECK_INTERVAL_SECONDS: Final = 0.5
COLLECTED_FILES: Final = 64
"""Files opened since the last collection that start the next one: those of about 20 sessions. A collection takes 0.2 s.
They are an eighth of the limit if that is less."""
RESERVED_FILES: Final = 8
"""Fewer free files than these count as none: a query needs some."""
EXHAUSTED_SECONDS: Final = 30.0
"""Seconds without a free file after which the dashboard ends."""
NO_FILE_ERRORS: Final = (errno.EMFILE, errno.ENFILE)
FILE_ERROR_LOGGERS: Final = ("asyncio", "uvicorn.error")
"""Loggers that report a connection for which no file is free."""


def raise_open_file_limit() -> int:
    """Raise the soft limit of open files to `WANTED_OPEN_FILES`, or to the hard limit; return the limit that holds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return WANTED_OPEN_FILES if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def count_open_files() -> int | None:
    """Return the number of descriptors of this process; None if not even one is free to count them with."""
    try:
        return sum(1 for _ in Path("/dev/fd").iterdir())
    except OSError as error:
        if error.errno not in NO_FILE_ERRORS:
            raise
        return None


def is_without_file_error(record: logging.LogRecord) -> bool:
    """Return whether a line of the log is about something else than a missing file; the watch reports those itself."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, OSError) and error.errno in NO_FILE_ERRORS)


class OpenFileWatch:
    """Collects garbage when many files were opened, and says when none has been free for `EXHAUSTED_SECONDS`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._step = min(COLLECTED_FILES, limit // 8)
        self._collect_from = self._step
        self._exhausted_since: float | None = None

    def check(self, now: float) -> bool:
        """Return whether files have been missing for too long at the time `now`, in seconds of a monotonic clock."""
        if self._is_over(self._collect_from):
            gc.collect()
            self._collect_from = (count_open_files() or self.limit) + self._step
        if not self._is_over(self.limit - RESERVED_FILES):
            self._exhausted_since = None
            return False
        gc.collect()
        self._exhausted_since = self._exhausted_since or now
        return now - self._exhausted_since >= EXHAUSTED_SECONDS

    def _is_over(self, number: int) -> bool:
        count = count_open_files()
        return count is None or count > number


def _watch_open_files(watch: OpenFileWatch) -> None:
    while not watch.check(time.monotonic()):
        time.sleep(CHECK_INTERVAL_SECONDS)
    sys.stderr.write(
        f"reroll: the dashboard ends: all {watch.limit} files that it may open are open; close some of its pages, or "
        f"allow more before you start it: ulimit -n {WANTED_OPEN_FILES}\n"
    )
    os._exit(1)


_start_lock: Final = threading.Lock()
_watchers: list[threading.Thread] = []


def watch_open_files() -> None:
    """Raise the limit and watch the open files of this process until it ends; further calls do nothing."""
    with _start_lock:
        if _watchers:
            return
        for name in FILE_ERROR_LOGGERS:
            logging.getLogger(name).addFilter(is_without_file_error)
        watch = OpenFileWatch(raise_open_file_limit())
        _watchers.append(threading.Thread(target=_watch_open_files, args=(watch,), daemon=True))
        _watchers[0].start()
