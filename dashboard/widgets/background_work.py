"""Work behind a page: a series of ever better answers, computed in a thread while the page shows the latest."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.errors import GameError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, MutableMapping

T = TypeVar("T")

VISITOR_TIMEOUT_SECONDS: Final = 5.0
"""Seconds that a visitor may be gone: a connection may break, and a page be loaded again."""


class BackgroundWork(Generic[T]):
    """Runs a generator in a thread. `answers` is called with a function that says whether somebody wants it to stop."""

    def __init__(
        self,
        answers: Callable[[Callable[[], bool]], Iterator[T]],
        is_there: Callable[[], bool] = lambda: True,
    ) -> None:
        """`is_visitor_present` says whether the visitor is; the work ends when nobody is."""
        self.latest: T | None = None
        self.error: GameError | None = None
        self.seconds = 0.0
        self.was_left = False
        """Whether it ended early because nobody was there."""
        self._is_there = is_there
        self._wanted = True
        self._thread = threading.Thread(target=self._collect_answers, args=(answers,), daemon=True)
        self._thread.start()

    def _collect_answers(self, answers: Callable[[Callable[[], bool]], Iterator[T]]) -> None:
        started = time.monotonic()
        try:
            for answer in answers(lambda: not self._should_continue):
                self.latest, self.seconds = answer, time.monotonic() - started
                if not self._should_continue:
                    break
        except GameError as error:
            self.error = error

    @property
    def _should_continue(self) -> bool:
        if self._wanted and not self._is_there():
            self.leave()
        return self._wanted

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    @property
    def was_stopped(self) -> bool:
        return not self._wanted

    def stop(self) -> None:
        """End after the answer that is being worked on; the latest stays."""
        self._wanted = False

    def leave(self) -> None:
        """End after the answer that is being worked on, unless all is done; who comes back finds it begun anew."""
        if not self.is_over:
            self.was_left = True
            self.stop()

    def wait(self, seconds: float) -> None:
        """Wait for the end, but not longer than this: what is quick is shown at once."""
        self._thread.join(seconds)


def find_or_start_work(
    state: MutableMapping[Any, Any],
    slot: str,
    question: Hashable,
    answers: Callable[[Callable[[], bool]], Iterator[T]],
) -> BackgroundWork[T]:
    """Return the work on a question, begun if it is another question than the last one in this slot of the session.

    It ends when the visitor closes the page, and `leave_all_work` ends it when another page is chosen.
    """
    held = state.get(slot)
    if isinstance(held, tuple) and held[0] == question and not held[1].was_left:
        known: BackgroundWork[T] = held[1]
        return known
    if isinstance(held, tuple):
        held[1].stop()
    begun = BackgroundWork(answers, _make_presence_check())
    state[slot] = (question, begun)
    return begun


def leave_all_work(state: MutableMapping[Any, Any]) -> None:
    """End the work on whatever is not answered yet: nobody looks at it any more."""
    for held in state.values():
        if isinstance(held, tuple) and isinstance(held[-1], BackgroundWork):
            held[-1].leave()


def _make_presence_check() -> Callable[[], bool]:
    """Return what says whether the visitor of this moment is still there."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return lambda: True
    session, server = context.session_id, runtime.get_instance()
    seen = time.monotonic()

    def is_visitor_present() -> bool:
        nonlocal seen
        if server.is_active_session(session):
            seen = time.monotonic()
        return time.monotonic() - seen < VISITOR_TIMEOUT_SECONDS

    return is_visitor_present
