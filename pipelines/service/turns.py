"""Turns of the computations that a server does at once. Others wait for a while, and are refused then."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_COMPUTATIONS: Final = 2
"""Answers that are computed at once."""
MAX_WAITING: Final = 8
"""Requests that may wait for their turn. Each of them holds one of the threads that also read Streamlit's files."""
WAIT_SECONDS: Final = 20.0
"""Seconds that a request waits for its turn."""
RETRY_SECONDS: Final = 10
"""Seconds after which a program may ask again."""
BUSY: Final = "Other answers are computed at the moment; ask again."


class BusyError(Exception):
    """Other answers are computed, and none was ready in time."""


class Turns:
    """The turns of one server. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(MAX_COMPUTATIONS)
        self._waiting = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for a turn and hold it. Raises BusyError after `WAIT_SECONDS`, and at once if many wait already."""
        with self._lock:
            if self._waiting >= MAX_WAITING:
                raise BusyError
            self._waiting += 1
        try:
            has_turn = self._turns.acquire(timeout=WAIT_SECONDS)
        finally:
            with self._lock:
                self._waiting -= 1
        if not has_turn:
            raise BusyError
        try:
            yield
        finally:
            self._turns.release()


server_turns: Final = Turns()
"""The turns of this process."""
