"""The work on the reviews of games behind the page: values first, then decisions, as long as somebody looks."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from engine.game import CHANCE, GameError, InvalidError
from engine.kernels.contract import kernel, warm
from pipelines.experiments.review.review import Reviewer, default_policy
from pipelines.simulate.workers import cpus

if TYPE_CHECKING:
    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from pipelines.experiments.review.review import Decision
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval

EFFORT: Final = 1.0
"""Multiplies the playouts."""
PATIENCE: Final = 5.0
"""Seconds after which a review that nobody asks about any more pauses."""
KEPT: Final = 30
"""Reviews that are kept, those in work included; of the others the oldest goes first."""


class Reviewing:
    """The review of one game, shared by everybody who looks at it.

    Somebody who looks calls `ask` again and again; without that the work pauses, and goes on where it was when
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

    def ask(self) -> None:
        """Say that somebody looks; the work begins or goes on."""
        self._asked = time.monotonic()
        with self._lock:
            if self.is_over or (self._thread and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait for the end, but not longer than this: what is quick is shown at once."""
        if self._thread:
            self._thread.join(seconds)

    def stop(self) -> None:
        """Pause now, until somebody asks anew."""
        self._asked = -PATIENCE

    def _work(self) -> None:
        try:
            compiled = _compiled(self.ruleset)
            if compiled:
                warm(compiled)
            self._work_out(cpus() if compiled else 1)  # plain rules gain nothing from threads
        except GameError as error:
            self.error = str(error)
        except Exception as error:
            self.error = (
                f"the review broke off: {type(error).__name__}; more stands where the dashboard was started"
            )
            raise

    def _work_out(self, workers: int) -> None:
        with ThreadPoolExecutor(workers) as threads:
            steps: dict[Any, tuple[dict[int, Any], int]] = {}
            for found, look, plies in (
                (self.values, self.reviewer.value, range(self.plies + 1)),
                (self.decisions, self.reviewer.decision, self._chosen),
            ):
                steps |= {threads.submit(look, ply): (found, ply) for ply in plies if ply not in found}
            try:
                for done in as_completed(steps):
                    found, ply = steps[done]
                    found[ply] = done.result()
                    if time.monotonic() - self._asked > PATIENCE:
                        return
            finally:
                threads.shutdown(wait=False, cancel_futures=True)


def work(run: Run, game_id: int) -> Reviewing:
    """Return the work on the review of a game, begun, going on, or done; raises InvalidError if it is not logged."""
    policy = default_policy(run.ruleset(run.game(game_id).ruleset))
    found = _kept(*cached.version(run), game_id, policy, EFFORT, run)
    found.ask()
    return found


@st.cache_resource(max_entries=KEPT, show_spinner=False, on_release=lambda found: found.stop())
def _kept(path: str, changed: int, game_id: int, policy: str, effort: float, _run: Run) -> Reviewing:
    del path, changed  # part of the key: another file is another game
    return Reviewing(_run, game_id, policy, effort)


def _compiled(ruleset: Ruleset) -> Kernel | None:
    try:
        return kernel(ruleset)
    except InvalidError:  # plain rules play on as well, only slower
        return None
