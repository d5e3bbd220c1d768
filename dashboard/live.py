"""Work behind a page: a series of ever better answers, computed in a thread while the page shows the latest."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.game import GameError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, MutableMapping

T = TypeVar("T")


class Live(Generic[T]):
    """Runs a generator in a thread. `answers` is called with a function that says whether somebody wants it to stop."""

    def __init__(self, answers: Callable[[Callable[[], bool]], Iterator[T]]) -> None:
        self.latest: T | None = None
        self.error: GameError | None = None
        self.seconds = 0.0
        self._wanted = True
        self._thread = threading.Thread(target=self._run, args=(answers,), daemon=True)
        self._thread.start()

    def _run(self, answers: Callable[[Callable[[], bool]], Iterator[T]]) -> None:
        started = time.monotonic()
        try:
            for answer in answers(lambda: not self._wanted):
                self.latest, self.seconds = answer, time.monotonic() - started
                if not self._wanted:
                    break
        except GameError as error:
            self.error = error

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    @property
    def was_stopped(self) -> bool:
        return not self._wanted

    def stop(self) -> None:
        """End after the answer that is being worked on; the latest stays."""
        self._wanted = False

    def wait(self, seconds: float) -> None:
        """Wait for the end, but not longer than this: what is quick is shown at once."""
        self._thread.join(seconds)


def live(
    state: MutableMapping[Any, Any],
    slot: str,
    question: Hashable,
    answers: Callable[[Callable[[], bool]], Iterator[T]],
) -> Live[T]:
    """Return the work on a question, begun if it is another question than the last one in this slot of the session."""
    held = state.get(slot)
    if isinstance(held, tuple) and held[0] == question:
        known: Live[T] = held[1]
        return known
    if isinstance(held, tuple):
        held[1].stop()
    begun = Live(answers)
    state[slot] = (question, begun)
    return begun
