"""Ctrl-C on the command line, and SIGTERM like it: the first one stops the command, the second one ends its process at once.

The first one prints a line, raises KeyboardInterrupt in the main thread and gives the command `GRACE_SECONDS` to end.
Python runs signal handlers only between two instructions of the main thread, which may be in DuckDB or in a compiled game
for seconds. So a thread watches the signals and does what cannot wait. This module imports little, because
`pipelines.__main__` installs the handler before anything else is loaded.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from subprocess import Popen

GRACE_SECONDS: Final = 1.6
"""Seconds from the first Ctrl-C until the process is ended. A run needs up to one of them to stop its workers."""
STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_STOPPING_MESSAGE: Final = "stopping ... (Ctrl-C again ends at once)\n"
_ENDED_MESSAGE: Final = "ended; reroll ls lists what is saved\n"
_SHOW_CURSOR: Final = "\x1b[?25h"
"""Progress bars hide the cursor of the terminal."""
_LEAKED_SEMAPHORES_FILTER: Final = "ignore::UserWarning:multiprocessing.resource_tracker"
"""A process that is ended leaves the semaphores of its workers to a process of Python, which frees them and warns about it."""


class _Interruption:
    """What Ctrl-C has done to this process so far."""

    def __init__(self) -> None:
        self.number: int = signal.SIGINT
        """The signal that stops the command: that of Ctrl-C, or SIGTERM."""
        self.announcement = threading.Lock()
        """Locked, and never released, by the thread that announces that the command stops."""
        self.is_raised = False
        """Whether KeyboardInterrupt was raised. It is raised once: a second one would disturb the clean-up."""
        self.is_deferred = False
        """Whether KeyboardInterrupt must wait, because child processes are being started."""
        self.final_code: int | None = None
        """The exit code of the command once it is over, while Python cleans up."""
        self.children: set[Popen[Any]] = set()
        """Processes that must not outlive this one."""
        self.folders: set[Path] = set()
        """Folders that must not be left behind."""


_interruption: Final = _Interruption()


def install_handler() -> None:
    """Handle SIGINT and SIGTERM as described above, unless this process ignores SIGINT, like a background job of a shell."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    threading.Thread(target=_watch_signals, args=(reader,), daemon=True).start()
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in STOP_SIGNALS:
        signal.signal(number, _handle_interrupt)
    os.environ.setdefault("PYTHONWARNINGS", _LEAKED_SEMAPHORES_FILTER)
    # Called last of all at exit. Python then restores the default, and Ctrl-C would kill a command that has succeeded.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def is_interrupted() -> bool:
    """Return whether Ctrl-C was pressed, or SIGTERM came."""
    return _interruption.announcement.locked()


def interrupted_exit_code() -> int:
    """Return the exit code of a command that a signal stops, as shells have it: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + _interruption.number


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Start child processes in this context: SIGINT is blocked in them, and in this process it waits for the end.

    A process that is interrupted while it loads its modules, or that loses its parent then, prints a traceback.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    is_main = threading.current_thread() is threading.main_thread()
    _interruption.is_deferred = is_main
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if is_main:
            _interruption.is_deferred = False
    if is_main and is_interrupted():
        _raise_interrupt()


@contextmanager
def end_with_process(child: Popen[Any]) -> Iterator[None]:
    """Kill a child, and the process group that it leads, if this process is ended by Ctrl-C while the context lasts."""
    _interruption.children.add(child)
    try:
        yield
    finally:
        _interruption.children.discard(child)


@contextmanager
def remove_with_process(folder: Path) -> Iterator[None]:
    """Remove a folder if this process is ended by Ctrl-C while the context lasts."""
    _interruption.folders.add(folder)
    try:
        yield
    finally:
        _interruption.folders.discard(folder)


def exit_process(code: int) -> NoReturn:
    """Exit with the code of a command that is over.

    After Ctrl-C, and if it is pressed from now on, Python does not clean up, because it would wait for busy threads.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # Python reports it when it flushes the stream again
            stream.flush()
    _interruption.final_code = code
    if is_interrupted():
        _end_process(code)
    sys.exit(code)


def _handle_interrupt(number: int, frame: FrameType | None) -> None:
    """Handle SIGINT and SIGTERM in the main thread."""
    if _interruption.final_code is not None:
        _end_process(_interruption.final_code)
    _announce_stop(number)
    if _interruption.is_deferred:
        return
    if _is_importing(
        frame
    ):  # an exception can make compiled modules, such as DuckDB's, abort with a long message
        _end_process(interrupted_exit_code())
    _raise_interrupt()


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether a module is being imported in this frame or in one that called it."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _raise_interrupt() -> None:
    """Raise KeyboardInterrupt, but only once."""
    if not _interruption.is_raised:
        _interruption.is_raised = True
        raise KeyboardInterrupt


def _watch_signals(reader: int) -> None:
    """Announce the first Ctrl-C; end the process at the second one, or when the time to stop is over."""
    numbers = _wait_for_interrupt(reader, None)
    if _interruption.final_code is not None:
        _end_process(_interruption.final_code)
    _announce_stop(numbers[0])
    if len(numbers) == 1 and not _wait_for_interrupt(reader, GRACE_SECONDS):
        _write_to_stderr(_ENDED_MESSAGE)
    _end_process(interrupted_exit_code())


def _wait_for_interrupt(reader: int, seconds: float | None) -> list[int]:
    """Return which `STOP_SIGNALS` arrived, or none after `seconds` seconds. Other signals are ignored."""
    end = None if seconds is None else time.monotonic() + seconds
    while True:
        left = None if end is None else max(0.0, end - time.monotonic())
        if not select.select([reader], [], [], left)[0]:
            return []
        if numbers := [number for number in os.read(reader, 64) if number in STOP_SIGNALS]:
            return numbers


def _announce_stop(number: int) -> None:
    """Print once that the command stops. From now on, nothing is printed about code that the interruption breaks."""
    if _interruption.announcement.acquire(blocking=False):
        _interruption.number = number
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None
        _write_to_stderr(_STOPPING_MESSAGE)


def _write_to_stderr(text: str) -> None:
    """Write without Python's streams, which the interrupted code may be using."""
    with suppress(OSError):
        os.write(2, text.encode())


def _end_process(code: int) -> NoReturn:
    for child in list(_interruption.children):
        with suppress(OSError):
            if child.poll() is None and os.getpgid(child.pid) == child.pid:
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
    for folder in list(_interruption.folders):
        import shutil  # noqa: PLC0415 - takes 0.01 s to import, before the handler is installed

        shutil.rmtree(folder, ignore_errors=True)
    if os.isatty(2):
        _write_to_stderr(_SHOW_CURSOR)
    os._exit(code)
