"""A limit for code of a user while it is loaded: it may neither take for ever nor end the process."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
