"""The work on the reviews of games behind the page: values first, then decisions, as long as somebody looks."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from engine.kernels.contract import compile_kernel, find_kernel
from pipelines.experiments.review.review import Reviewer, default_policy
from pipelines.simulate.workers import usable_cpus

if TYPE_CHECKING:
    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from pipelines.experiments.review.review import Decision
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval

PLAYOUT_EFFORT: Final = 1.0
"""Multiplies the playouts."""
REVIEW_IDLE_SECONDS: Final = 5.0
"""Seconds after which a review that nobody asks about any more pauses."""
MAX_REVIEWS_KEPT: Final = 30
"""Reviews that are kept, those in work included; of the others the oldest goes first."""


class ReviewWork:
    """The review of one game, shared by everybody who looks at it.

    Somebody who looks calls `keep_alive` again and again; without that the work pauses, and goes on where it was when
    somebody asks anew. Values of all positions come first: they cost little and draw the course of the game.
    """

    def __init__(self, run: Run, game_id: int, policy: str, effort: float) -> None:
        """Raises InvalidError if the game is not logged."""
        self.ruleset = run.ruleset(run.game(game_id).ruleset)
        self.reviewer = Reviewer(self.ruleset, run.actions(game_id), policy=policy, effort=effort)
        self.playouts = self.reviewer.position_playouts
        """Of every position."""
        self.plies = len(self.reviewer.actions)
        self.values: dict[int, tuple[list[Interval], list[Interval]]] = {}
        """By ply, the result as that behind the last: points and shares of the win of every seat."""
        self.decisions: dict[int, Decision | None] = {}
        """By ply; None where there was no choice."""
        self.error = ""
        """Why it broke off."""
        self._chosen = [ply for ply, state in enumerate(self.reviewer.states[:-1]) if state.seat != CHANCE]
        self._asked = 0.0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def is_done(self) -> bool:
        return len(self.values) + len(self.decisions) == self.steps

    @property
    def is_over(self) -> bool:
        """Whether asking again will bring nothing more."""
        return self.is_done or bool(self.error)

    @property
    def steps(self) -> int:
        """Values and decisions there are to work out."""
        return self.plies + 1 + len(self._chosen)

    def keep_alive(self) -> None:
        """Say that somebody looks; the work begins or goes on."""
        self._asked = time.monotonic()
        with self._lock:
            if self.is_over or (self._thread and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._work_until_paused, daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait for the end, but not longer than this: what is quick is shown at once."""
        if self._thread:
            self._thread.join(seconds)

    def stop(self) -> None:
        """Pause now, until somebody asks anew."""
        self._asked = -REVIEW_IDLE_SECONDS

    def _work_until_paused(self) -> None:
        try:
            compiled = _find_kernel(self.ruleset)
            if compiled:
                compile_kernel(compiled)
            self._compute_steps(usable_cpus() if compiled else 1)  # plain rules gain nothing from threads
        except GameError as error:
            self.error = str(error)
        except Exception as error:
            self.error = (
                f"the review broke off: {type(error).__name__}; more stands where the dashboard was started"
            )
            raise

    def _compute_steps(self, workers: int) -> None:
        with ThreadPoolExecutor(workers) as threads:
            steps: dict[Any, tuple[dict[int, Any], int]] = {}
            for found, look, plies in (
                (self.values, self.reviewer.position_value, range(self.plies + 1)),
                (self.decisions, self.reviewer.review_decision, self._chosen),
            ):
                steps |= {threads.submit(look, ply): (found, ply) for ply in plies if ply not in found}
            try:
                for done in as_completed(steps):
                    found, ply = steps[done]
                    found[ply] = done.result()
                    if time.monotonic() - self._asked > REVIEW_IDLE_SECONDS:
                        return
            finally:
                threads.shutdown(wait=False, cancel_futures=True)


def start_review_work(run: Run, game_id: int) -> ReviewWork:
    """Return the work on the review of a game, begun, going on, or done; raises InvalidError if it is not logged."""
    policy = default_policy(run.ruleset(run.game(game_id).ruleset))
    found = _cached_review_work(*cached.file_version(run), game_id, policy, PLAYOUT_EFFORT, run)
    found.keep_alive()
    return found


@st.cache_resource(max_entries=MAX_REVIEWS_KEPT, show_spinner=False, on_release=lambda found: found.stop())
def _cached_review_work(
    path: str, changed: int, game_id: int, policy: str, effort: float, _run: Run
) -> ReviewWork:
    del path, changed  # part of the key: another file is another game
    return ReviewWork(_run, game_id, policy, effort)


def _find_kernel(ruleset: Ruleset) -> Kernel | None:
    try:
        return find_kernel(ruleset)
    except InvalidError:  # plain rules play on as well, only slower
        return None
