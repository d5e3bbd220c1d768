"""The reviews that the page Replay shows: computed in the background, shared by all visitors, paused when nobody looks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from pipelines.experiments.background_work import BackgroundWork
from pipelines.experiments.review import start_review

if TYPE_CHECKING:
    from pipelines.experiments.review import UnfinishedReview
    from pipelines.runs.run import Run

PLAYOUT_EFFORT: Final = 1.0
"""Factor by which the default number of playouts is multiplied."""
MAX_REVIEWS_KEPT: Final = 30
"""Reviews held in memory, unfinished ones included. The oldest is dropped first."""


class ReviewWork:
    """The review of one game, shared by all visitors who look at it.

    A page calls `keep_alive` at every refresh. Without these calls the work pauses; the next call continues it where
    it stopped.
    """

    def __init__(self, review: UnfinishedReview) -> None:
        self.review = review
        self._lock = threading.Lock()
        self._work: BackgroundWork[int] | None = None

    @property
    def error(self) -> str:
        """Why the review cannot be finished; empty if it can."""
        return self._work.error if self._work else ""

    @property
    def is_over(self) -> bool:
        """True if nothing more will be computed."""
        return self.review.is_done or bool(self.error)

    def keep_alive(self) -> None:
        """Note that a page shows this review; start or continue the work."""
        with self._lock:
            if self._work:
                self._work.keep_alive()
            if not self.is_over and (self._work is None or self._work.is_over):
                self._work = BackgroundWork(lambda _stopped: self.review.compute_steps())

    def wait(self, seconds: float) -> None:
        """Wait until the work ends, at most `seconds`."""
        if self._work:
            self._work.wait(seconds)

    def stop(self) -> None:
        """Pause until the next `keep_alive`."""
        if self._work:
            self._work.leave()


def start_review_work(run: Run, game_id: int) -> ReviewWork:
    """Return the review of a game and start or continue its work. Raises InvalidError if the game is not logged."""
    work = _cached_review_work(*cached.file_version(run), game_id, PLAYOUT_EFFORT, run)
    work.keep_alive()
    return work


@st.cache_resource(max_entries=MAX_REVIEWS_KEPT, show_spinner=False, on_release=lambda work: work.stop())
def _cached_review_work(path: str, changed: int, game_id: int, effort: float, _run: Run) -> ReviewWork:
    del path, changed  # part of the cache key: a replaced file holds other games
    return ReviewWork(start_review(_run, game_id, effort=effort))
