"""Work behind a page: a series of ever better answers, computed in a thread while the page shows the latest one.

A page that shows work calls `keep_alive` each time it asks. Work that no page has asked about for `IDLE_SECONDS` ends, so
a visitor who closes the browser leaves nothing behind.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from engine.errors import GameError

if TYPE_CHECKING:
    WaitForTurn = Callable[[Callable[[], bool]], AbstractContextManager[bool]]

T = TypeVar("T")

IDLE_SECONDS: Final = 90.0
"""Seconds after which work ends if no page asks about it. Browsers may refresh a hidden tab only once a minute."""


@contextmanager
def start_at_once(_: Callable[[], bool]) -> Iterator[bool]:
    """The turn of work that need not wait for other work."""
    yield True


class BackgroundWork(Generic[T]):
    """Runs a generator of answers in a thread and keeps its latest answer."""

    def __init__(
        self,
        iter_answers: Callable[[Callable[[], bool]], Iterator[T]],
        *,
        ends_when_idle: bool = True,
        wait_for_turn: WaitForTurn = start_at_once,
    ) -> None:
        """Start the thread.

        `iter_answers` receives a function that returns True once the work should stop. With `ends_when_idle` the work
        is left when `keep_alive` was not called for `IDLE_SECONDS`. `wait_for_turn` receives the same function; the work
        is done in its context, unless it yields False.
        """
        self.latest: T | None = None
        self.error = ""
        """What went wrong, as a message for the visitor; empty if nothing did."""
        self.seconds = 0.0
        """Seconds from the start to the latest answer, without those before its turn."""
        self.is_waiting = True
        """True until the turn of the work has come."""
        self.was_left = False
        """True if the work ended early because nobody looked at it."""
        self.was_stopped = False
        """True if the work was asked to end, by a visitor or because nobody looked at it."""
        self._ends_when_idle = ends_when_idle
        self._wait_for_turn = wait_for_turn
        self._asked_at = time.monotonic()
        self._thread = threading.Thread(target=self._collect_answers, args=(iter_answers,), daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """True once no further answer can come."""
        return not self._thread.is_alive()

    def keep_alive(self) -> None:
        """Note that a page still shows this work."""
        self._asked_at = time.monotonic()

    def stop(self) -> None:
        """End after the answer that is being computed; the latest answer stays."""
        self.was_stopped = True

    def leave(self) -> None:
        """End like `stop`, unless the work is over already; `find_or_start_work` will start it again."""
        if not self.is_over:
            self.forget()
            self.stop()

    def forget(self) -> None:
        """Have `find_or_start_work` start this work again."""
        self.was_left = True

    def wait(self, seconds: float) -> None:
        """Wait until the work is over, at most `seconds`: a quick answer then needs no progress bar."""
        self._thread.join(seconds)

    def _collect_answers(self, iter_answers: Callable[[Callable[[], bool]], Iterator[T]]) -> None:
        try:
            with self._wait_for_turn(self._should_stop) as has_turn:
                self.is_waiting = False
                if has_turn:
                    self._keep_latest(iter_answers(self._should_stop))
        except GameError as error:
            self.error = str(error)
        except Exception as error:
            self.error = (
                f"This failed with an internal error ({type(error).__name__}). "
                "The terminal in which the dashboard or Jupyter was started shows the details."
            )
            raise

    def _keep_latest(self, answers: Iterator[T]) -> None:
        started = time.monotonic()
        for answer in answers:
            self.latest, self.seconds = answer, time.monotonic() - started
            if self._should_stop():
                break

    def _should_stop(self) -> bool:
        is_idle = time.monotonic() - self._asked_at > IDLE_SECONDS
        if self._ends_when_idle and is_idle and not self.was_stopped:
            self.leave()
        return self.was_stopped


def find_or_start_work(
    state: MutableMapping[Any, Any],
    slot: str,
    question: Hashable,
    iter_answers: Callable[[Callable[[], bool]], Iterator[T]],
    wait_for_turn: WaitForTurn = start_at_once,
) -> BackgroundWork[T]:
    """Return the work on a question; start it if the session `state` holds no work on this question in `slot`.

    Work on an earlier question in the same slot is stopped. Work that was left is started again.
    """
    entry = state.get(slot)
    if isinstance(entry, tuple) and entry[0] == question and not entry[1].was_left:
        known_work: BackgroundWork[T] = entry[1]
        known_work.keep_alive()
        return known_work
    if isinstance(entry, tuple):
        entry[1].stop()
    new_work = BackgroundWork(iter_answers, wait_for_turn=wait_for_turn)
    state[slot] = (question, new_work)
    return new_work


def leave_all_work(state: MutableMapping[Any, Any]) -> None:
    """Leave all unfinished work of a session: its visitor has opened another page."""
    for entry in state.values():
        if isinstance(entry, tuple) and isinstance(entry[-1], BackgroundWork):
            entry[-1].leave()
