"""The progress of long work on many games: how many games are done, and how many seconds are left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    ProgressCallback: TypeAlias = Callable[[int, int, float | None], None]
    """Called with the games done, the games in total, and the seconds left (None while they are unknown)."""


class ProgressClock:
    """Count games and estimate the time left from the speed since this object was made."""

    def __init__(self, games: int, done: int, progress: ProgressCallback | None) -> None:
        self._games, self._done, self._done_at_start = games, done, done
        self._progress, self._started = progress, time.monotonic()
        self._report_progress(None)

    def advance(self, games: int) -> None:
        """Count `games` more games as done and report the progress."""
        self._done += games
        seconds = time.monotonic() - self._started
        seconds_a_game = seconds / max(1, self._done - self._done_at_start)
        self._report_progress(seconds_a_game * (self._games - self._done))

    def _report_progress(self, seconds_left: float | None) -> None:
        if self._progress:
            self._progress(self._done, self._games, seconds_left)
