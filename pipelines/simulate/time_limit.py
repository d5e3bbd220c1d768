"""Limits for strategies of somebody's own: no decision takes for ever, and none is lost sight of when it kills its process.

Three things watch a decision in a worker process. A timer interrupts Python, also where it waits, when the decision has
had its time or the run is to stop. Where nothing can interrupt it, in a library's compiled code, a second timer ends the
process a little later. And a note on disk says who was deciding what, for the process that coordinates.
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

GRACE_SECONDS: Final = 2.0
"""How long after its time a decision that cannot be interrupted goes on before its process is ended."""
TICK_SECONDS: Final = 0.5
"""How often a decision is asked whether it may go on."""
_NOTE_BYTES: Final = 1024
_NOTE_PREFIX: Final = "deciding-"


class DecisionTimeout(BaseException):
    """A decision has had its time. No Exception: what it interrupts would take it for one of its own."""


class DecisionInterrupted(BaseException):
    """The run is to stop."""


class Guard:
    """Watches the decisions of this process, in its main thread. To be used as a context."""

    def __init__(self, folder: Path, seconds: float, is_halted: Callable[[], bool]) -> None:
        self.seconds = seconds
        self._is_halted = is_halted
        self._path = folder / f"{_NOTE_PREFIX}{os.getpid()}"
        self._ends: float | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_bytes(bytes(_NOTE_BYTES))
        with self._path.open("r+b") as file:
            self._note = mmap.mmap(file.fileno(), _NOTE_BYTES)
        self._nowhere = Path(os.devnull).open("w", encoding="utf-8")
        self._handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._check_time)
        self._handlers[signal.SIGTERM] = signal.signal(signal.SIGTERM, _exit_process)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._nowhere.close()
        self._note.close()
        self._path.unlink(missing_ok=True)

    @contextmanager
    def limit_decision(self, who: str, where: str, *, has_own_limit: bool = False) -> Iterator[None]:
        """Let something decide: raises TooLong when it has had its time, Halted when the run is to stop.

        `has_own_limit`: it sees to its time itself.
        """
        limit = None if has_own_limit else self.seconds
        self._write_note({"who": who, "where": where, "since": time.monotonic(), "seconds": limit})
        tick = TICK_SECONDS if limit is None else min(TICK_SECONDS, limit)
        self._ends = time.monotonic() + limit if limit is not None else float("inf")
        if limit is not None:
            faulthandler.dump_traceback_later(limit + GRACE_SECONDS, exit=True, file=self._nowhere)
        signal.setitimer(signal.ITIMER_REAL, tick, tick)
        try:
            yield
        finally:
            self._ends = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.cancel_dump_traceback_later()
            self._note[0] = 0

    def _check_time(self, *_: object) -> None:
        if self._ends is None:
            return
        if time.monotonic() >= self._ends:
            raise DecisionTimeout
        if self._is_halted():
            raise DecisionInterrupted

    def _write_note(self, note: dict[str, object]) -> None:
        text = json.dumps(note).encode()
        if len(text) >= _NOTE_BYTES:
            text = json.dumps({**note, "who": str(note["who"])[:60]}).encode()
        self._note[: len(text) + 1] = text + b"\0"


def _exit_process(*_: object) -> None:
    """End this process and the programs that it started."""
    line_protocol.close_all_programs()
    os._exit(1)


def find_crash_message(folder: Path) -> str | None:
    """Say what was being decided in the processes that died, or None if nothing was."""
    found = []
    for path in sorted(folder.glob(f"{_NOTE_PREFIX}*")):
        with contextlib.suppress(OSError, ValueError):
            found.append(json.loads(path.read_bytes().partition(b"\0")[0]))
    now = time.monotonic()
    late = [note for note in found if note["seconds"] is not None and now - note["since"] > note["seconds"]]
    if late:
        note = max(late, key=lambda note: float(now - note["since"] - note["seconds"]))
        return f"{note['who']} did not decide within {note['seconds']:g} s and could not be interrupted ({note['where']})"
    if found:
        several = " or ".join(f"{note['who']} decided ({note['where']})" for note in found)
        return f"a worker process died while {several}"
    return None
