"""A limit for code of a user while it is loaded: it may neither take for ever nor end the process."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

LOADING_TIMEOUT_SECONDS: Final = 60.0
"""Seconds that a file may take to load. It is long because large packages may be imported."""


class LoadingStopped(BaseException):
    """The code tried to end the process, or took too long. It is no Exception, so that the code does not catch it."""


@contextmanager
def limit_loading(seconds: float) -> Iterator[None]:
    """Raise LoadingStopped in the context if it calls `os._exit` or takes longer than `seconds`.

    Only the main thread of a process can be interrupted; elsewhere the time has no limit.
    """
    real_exit = os._exit
    os._exit = _refuse_exit  # only while the code is loaded
    try:
        with _limit_time(seconds):
            yield
    finally:
        os._exit = real_exit


@contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: _stop_loading(seconds))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _refuse_exit(status: int) -> NoReturn:
    raise LoadingStopped(f"it called os._exit({status}) while it was loaded")


def _stop_loading(seconds: float) -> NoReturn:
    raise LoadingStopped(f"it was not loaded within {seconds:g} s")
