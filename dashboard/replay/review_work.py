"""The reviews that the page Replay shows: computed in the background, shared by all visitors, paused when nobody looks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.background_work import BackgroundWork
from engine.actions import CHANCE
from engine.kernels.loader import find_kernel
from pipelines.experiments.review.reviewer import Reviewer, default_policy
from pipelines.simulate.workers import usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.experiments.review.review_results import Decision
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval

PLAYOUT_EFFORT: Final = 1.0
"""Factor by which the default number of playouts is multiplied."""
MAX_REVIEWS_KEPT: Final = 30
"""Reviews held in memory, unfinished ones included. The oldest is dropped first."""


class ReviewWork:
    """The review of one game, shared by all visitors who look at it.

    A page calls `keep_alive` at every refresh. Without these calls the work pauses; the next call continues it where
    it stopped. The values of all positions are computed first: they are cheap and draw the course of the game.
    """

    def __init__(self, run: Run, game_id: int, policy: str, effort: float) -> None:
        """Raises InvalidError if the game is not logged."""
        self.ruleset = run.ruleset(run.game(game_id).ruleset)
        self.reviewer = Reviewer(self.ruleset, run.actions(game_id), policy=policy, effort=effort)
        self.playouts = self.reviewer.position_playouts
        """Playouts of every position."""
        self.plies = len(self.reviewer.actions)
        self.values: dict[int, tuple[list[Interval], list[Interval]]] = {}
        """By ply: the expected points and share of the win of every seat. The value after the last ply is the result."""
        self.decisions: dict[int, Decision | None] = {}
        """By ply; None where there was only one legal action."""
        self._decision_plies = [
            ply for ply, state in enumerate(self.reviewer.states[:-1]) if state.seat != CHANCE
        ]
        self._lock = threading.Lock()
        self._work: BackgroundWork[int] | None = None

    @property
    def steps(self) -> int:
        """Number of values and decisions to compute."""
        return self.plies + 1 + len(self._decision_plies)

    @property
    def is_done(self) -> bool:
        """True if every value and decision is computed."""
        return len(self.values) + len(self.decisions) == self.steps

    @property
    def error(self) -> str:
        """Why the review cannot be finished; empty if it can."""
        return self._work.error if self._work else ""

    @property
    def is_over(self) -> bool:
        """True if nothing more will be computed."""
        return self.is_done or bool(self.error)

    def keep_alive(self) -> None:
        """Note that a page shows this review; start or continue the work."""
        with self._lock:
            if self._work:
                self._work.keep_alive()
            if not self.is_over and (self._work is None or self._work.is_over):
                self._work = BackgroundWork(self._compute_steps)

    def wait(self, seconds: float) -> None:
        """Wait until the work ends, at most `seconds`."""
        if self._work:
            self._work.wait(seconds)

    def stop(self) -> None:
        """Pause until the next `keep_alive`."""
        if self._work:
            self._work.leave()

    def _compute_steps(self, _stopped: Callable[[], bool]) -> Iterator[int]:
        """Compute the missing values and decisions; yields the number of steps done.

        Kernels release the GIL, so they use one thread a processor. The plain rules gain nothing from threads.
        """
        with ThreadPoolExecutor(usable_cpus() if find_kernel(self.ruleset) else 1) as threads:
            futures: dict[Any, tuple[dict[int, Any], int]] = {}
            for results, compute, plies in (
                (self.values, self.reviewer.position_value, range(self.plies + 1)),
                (self.decisions, self.reviewer.review_decision, self._decision_plies),
            ):
                futures |= {
                    threads.submit(compute, ply): (results, ply) for ply in plies if ply not in results
                }
            try:
                for future in as_completed(futures):
                    results, ply = futures[future]
                    results[ply] = future.result()
                    yield len(self.values) + len(self.decisions)
            finally:
                threads.shutdown(wait=False, cancel_futures=True)


def start_review_work(run: Run, game_id: int) -> ReviewWork:
    """Return the review of a game and start or continue its work. Raises InvalidError if the game is not logged."""
    policy = default_policy(run.ruleset(run.game(game_id).ruleset))
    work = _cached_review_work(*cached.file_version(run), game_id, policy, PLAYOUT_EFFORT, run)
    work.keep_alive()
    return work


@st.cache_resource(max_entries=MAX_REVIEWS_KEPT, show_spinner=False, on_release=lambda work: work.stop())
def _cached_review_work(
    path: str, changed: int, game_id: int, policy: str, effort: float, _run: Run
) -> ReviewWork:
    del path, changed  # part of the cache key: a replaced file holds other games
    return ReviewWork(_run, game_id, policy, effort)
