"""The parts of the page Replay: a review behind the page, and the files of a game."""

from __future__ import annotations

import csv
import io
import json
import threading
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets.tables import escape_formula
from engine.actions import CHANCE
from pipelines.experiments.background_work import BackgroundWork
from pipelines.experiments.lessons import find_lesson
from pipelines.experiments.review import UnfinishedReview, start_review
from pipelines.report.lesson import write_lesson_document
from pipelines.studies.forms import server_turns

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene
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
    def is_waiting(self) -> bool:
        """True while other work of the server has its turn before."""
        return self._work is not None and self._work.is_waiting

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
                self._work = BackgroundWork(
                    lambda _stopped: self.review.compute_steps(), wait_for_turn=server_turns.wait
                )

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


@st.cache_data(max_entries=256, show_spinner="Valuing the moves \u2026")
def read_lesson(path: str, changed: int, game_id: int, ply: int, _run: Run, _scene: Scene) -> dict[str, Any]:
    """Return the lesson of a ply as JSON data. Raises InvalidError if nobody had a choice there."""
    del path, changed  # part of the cache key
    with server_turns.wait(lambda: False):
        return write_lesson_document(find_lesson(_run, game_id, ply), _scene)


REVIEW_COLUMNS = (
    "judged",
    "judged_by_points",
    "better",
    "lost_wins",
    "lost_wins_half",
    "lost_points",
    "lost_points_half",
)


def write_game_json(scene: Scene, ruleset: Ruleset, review: dict[str, Any] | None) -> str:
    """Return a game as JSON: its rules, seats and plies, and the review if there is one."""
    document = {
        "run": scene.get("run"),
        "game_id": scene.get("game_id"),
        "ruleset": ruleset.name,
        "rules": ruleset.document,
        "seats": [
            {"seat": seat, "strategy": strategy, "score": score, "rank": rank}
            for seat, (strategy, score, rank) in enumerate(
                zip(scene["strategies"], scene["steps"][-1]["scores"], scene["ranks"], strict=True)
            )
        ],
        "plies": [
            {key: step[key] for key in ("ply", "round", "seat", "kind", "notation", "caption", "scores")}
            for step in scene["steps"]
        ],
        "review": review,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def write_game_csv(scene: Scene, review: dict[str, Any] | None) -> str:
    """Return the plies as CSV: a row for each, with the scores of all seats after it and its review if there is one."""
    seats = range(len(scene["start_scores"]))
    columns = ["ply", "round", "seat", "strategy", "kind", "notation", *(f"score_{seat}" for seat in seats)]
    decisions = {decision["ply"]: decision for decision in review["decisions"]} if review else {}
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*columns, *(REVIEW_COLUMNS if review else ())])
    for step in scene["steps"]:
        strategy = "" if step["seat"] == CHANCE else scene["strategies"][step["seat"]]
        row = [
            step["ply"],
            step["round"],
            step["seat"],
            escape_formula(strategy),
            escape_formula(step["kind"]),
            escape_formula(step["notation"]),
            *step["scores"],
        ]
        table.writerow(row + (_review_cells(decisions.get(step["ply"])) if review else []))
    return text.getvalue()


def _review_cells(decision: dict[str, Any] | None) -> list[Any]:
    if decision is None:
        return [""] * len(REVIEW_COLUMNS)
    wins, points = (decision[key] or ["", ""] for key in ("wins", "points"))
    judged = decision["judged"], decision["judged_by_points"]
    return [*judged, escape_formula(decision["better"] or ""), *wins, *points]
