"""Limits on files that may come from strangers: only regular files are read, and loading their code may not take long.

Opening a named pipe can wait for ever, and a device such as /dev/zero has no end. The functions that open or check raise
OSError, whose `strerror` says in a few words what is wrong.
"""

from __future__ import annotations

import errno
import faulthandler
import fcntl
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

from engine.errors import InvalidError


def open_regular_file(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises OSError if it is something else or cannot be opened."""
    descriptor = os.open(
        path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    )  # so a pipe does not wait for a writer
    try:
        _check_mode(path, os.fstat(descriptor).st_mode)
        return open(descriptor, "rb")  # noqa: PTH123 - a path would be opened a second time
    except BaseException:
        os.close(descriptor)
        raise


def read_regular_file(path: Path, max_bytes: int) -> bytes:
    """Return the content of a regular file. Raises OSError as above, and if the file has more than `max_bytes` bytes."""
    with open_regular_file(path) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        size = f"{max_bytes >> 20} MB" if max_bytes >= 1 << 20 else f"{max_bytes} bytes"
        raise OSError(errno.EFBIG, f"the file is larger than {size}", str(path))
    return content


def decode_text(content: bytes) -> str:
    """Return UTF-8 text, without the mark that some editors put before it. Raises InvalidError, with the line, for other bytes."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidError(f"line {line}: not UTF-8 text") from None


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock of a file; the system releases it when the process ends. False without the file."""
    try:
        with open_regular_file(path) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def check_regular_file(path: Path, *, follow_links: bool = True) -> None:
    """Check a file that another library will open. Raises OSError if it is not a regular file or does not exist."""
    _check_mode(path, path.stat(follow_symlinks=follow_links).st_mode)


def _check_mode(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


LOADING_TIMEOUT_SECONDS: Final = 60.0
"""Seconds that a file may take to load. It is long because large packages may be imported."""
KILL_GRACE_SECONDS: Final = 2.0
"""Seconds after which code that catches the interruption, or that is compiled, ends with the process."""


class LoadingStopped(BaseException):
    """The code tried to end the process, or took too long. It is no Exception, so that the code does not catch it."""


@contextmanager
def limit_loading(seconds: float) -> Iterator[None]:
    """Raise LoadingStopped in the context if it calls `os._exit` or takes longer than `seconds`.

    If the code goes on all the same, the process ends, with a message on stderr. Only the main thread of a process can be interrupted; elsewhere the time has no limit.
    """
    real_exit = os._exit
    os._exit = _refuse_exit  # only while the code is loaded
    try:
        with _limit_time(seconds, real_exit):
            yield
    finally:
        os._exit = real_exit


@contextmanager
def _limit_time(seconds: float, end_process: Callable[[int], NoReturn]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    end = time.monotonic() + seconds + KILL_GRACE_SECONDS

    def stop_loading(*_: object) -> NoReturn:
        if time.monotonic() < end:
            raise LoadingStopped(f"it was not loaded within {seconds:g} s")
        os.write(
            2, f"reroll: own code was not loaded within {seconds:g} s, and could not be stopped\n".encode()
        )
        end_process(2)

    before = signal.signal(signal.SIGALRM, stop_loading)
    signal.setitimer(signal.ITIMER_REAL, seconds, KILL_GRACE_SECONDS)
    if sys.__stderr__ is not None:
        faulthandler.dump_traceback_later(seconds + 2 * KILL_GRACE_SECONDS, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _refuse_exit(status: int) -> NoReturn:
    raise LoadingStopped(f"it called os._exit({status}) while it was loaded")
