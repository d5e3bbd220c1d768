"""The time limit of decisions by own strategies, and a report on the strategy that took its worker process down.

DecisionTimer watches the decisions of a worker process in three ways:

- an interval timer interrupts Python code, also while it sleeps, when the time is over or the run is cancelled;
- a second timer ends the process a little later, in case compiled code of a library cannot be interrupted;
- a note on disk says which strategy is deciding and where. If the process dies, `find_crash_message` reads the note.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import mmap
import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from engine import line_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KILL_GRACE_SECONDS: Final = 2.0
"""Seconds between the end of a decision's time and the end of its process, if the decision cannot be interrupted."""
CHECK_INTERVAL_SECONDS: Final = 0.5
"""Seconds between two checks whether a decision may go on."""
_NOTE_BYTES: Final = 1024
_NOTE_PREFIX: Final = "deciding-"


class DecisionTimeout(BaseException):
    """A decision took too long. It is no Exception, so that the interrupted code does not catch it by accident."""


class DecisionInterrupted(BaseException):
    """The run was cancelled during a decision."""


class DecisionTimer:
    """Limits the time of decisions in this process. It is a context manager for the main thread."""

    def __init__(self, folder: Path, seconds: float, is_cancelled: Callable[[], bool]) -> None:
        self.seconds = seconds
        """Seconds that one decision may take."""
        self._is_cancelled = is_cancelled
        self._note_path = folder / f"{_NOTE_PREFIX}{os.getpid()}"
        self._deadline: float | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._note_path.parent.mkdir(exist_ok=True)
        self._note_path.write_bytes(bytes(_NOTE_BYTES))
        with self._note_path.open("r+b") as file:
            self._note = mmap.mmap(
                file.fileno(), _NOTE_BYTES
            )  # outlives the process, and needs no system call
        self._null_file = Path(os.devnull).open("w", encoding="utf-8")
        self._handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._check_time)
        self._handlers[signal.SIGTERM] = signal.signal(signal.SIGTERM, _exit_process)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._null_file.close()
        self._note.close()
        self._note_path.unlink(missing_ok=True)

    @contextmanager
    def limit_decision(self, who: str, where: str, *, has_own_limit: bool = False) -> Iterator[None]:
        """Limit the time of the decision that is made in this context.

        `who` and `where` go into the note on disk. With `has_own_limit` the decision limits its time itself, and only
        the cancelling of the run is watched. Raises DecisionTimeout when the time is over, DecisionInterrupted when
        the run is cancelled.
        """
        limit = None if has_own_limit else self.seconds
        self._write_note({"who": who, "where": where, "since": time.monotonic(), "seconds": limit})
        interval = CHECK_INTERVAL_SECONDS if limit is None else min(CHECK_INTERVAL_SECONDS, limit)
        self._deadline = float("inf") if limit is None else time.monotonic() + limit
        if limit is not None:
            faulthandler.dump_traceback_later(limit + KILL_GRACE_SECONDS, exit=True, file=self._null_file)
        signal.setitimer(signal.ITIMER_REAL, interval, interval)
        try:
            yield
        finally:
            self._deadline = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.cancel_dump_traceback_later()
            self._note[0] = 0

    def _check_time(self, *_: object) -> None:
        """Handle SIGALRM: interrupt the decision if its time is over or the run is cancelled."""
        if self._deadline is None:
            return
        if time.monotonic() >= self._deadline:
            raise DecisionTimeout
        if self._is_cancelled():
            raise DecisionInterrupted

    def _write_note(self, note: dict[str, object]) -> None:
        text = json.dumps(note).encode()
        if len(text) >= _NOTE_BYTES:
            text = json.dumps({**note, "who": str(note["who"])[:60]}).encode()
        self._note[: len(text) + 1] = text + b"\0"


def _exit_process(*_: object) -> None:
    """Handle SIGTERM: end the programs that this process started, then the process."""
    line_protocol.close_all_programs()
    os._exit(1)


def find_crash_message(folder: Path) -> str | None:
    """Return which decisions were being made in the processes that died, or None if there were none.

    `folder` is the folder that was given to DecisionTimer.
    """
    notes = []
    for path in sorted(folder.glob(f"{_NOTE_PREFIX}*")):
        with contextlib.suppress(OSError, ValueError):
            notes.append(json.loads(path.read_bytes().partition(b"\0")[0]))
    now = time.monotonic()
    late = [note for note in notes if note["seconds"] is not None and now - note["since"] > note["seconds"]]
    if late:
        note = max(late, key=lambda note: float(now - note["since"] - note["seconds"]))
        return f"{note['who']} did not decide within {note['seconds']:g} s and could not be interrupted ({note['where']})"
    if notes:
        decisions = " or ".join(f"{note['who']} decided ({note['where']})" for note in notes)
        return f"a worker process died while {decisions}"
    return None
