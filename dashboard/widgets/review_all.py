"""The buttons that review all games of a run and make lessons of its slips, their progress, and where the answers are.

The work goes on when the page is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import show_link
from dashboard.widgets.background_work import refresh_until, show_progress_bar
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.limits import LESSONS
from pipelines.experiments.background_work import BackgroundWork
from pipelines.experiments.lessons import make_lessons
from pipelines.experiments.review_runs import (
    ReviewProgress,
    choose_reviewed_games,
    find_review_kind,
    review_run,
)
from pipelines.notes.lessons import find_lesson_collections, keep_lessons
from pipelines.notes.note import NoteListQuestion
from pipelines.notes.store import NoteStore
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report.wording import format_count, format_time_left
from pipelines.runs.review_writer import list_reviewed_games
from pipelines.studies.forms import WAITING, server_turns

if TYPE_CHECKING:
    from pipelines.experiments.lessons import RatedLesson
    from pipelines.runs.run import Run


@st.cache_resource(show_spinner=False)
def review_works() -> dict[str, BackgroundWork[ReviewProgress]]:
    """Return the reviews that were started, by the key of the run. All visitors share them."""
    return {}


def start_review_of_run(run: Run) -> None:
    """Review all games of a run in the background. What is done when somebody stops it is kept."""

    def iter_progress(stopped: Callable[[], bool]) -> Iterator[ReviewProgress]:
        kind = find_review_kind(run)
        return review_run(run, kind, choose_reviewed_games(run), threads=True, stopped=stopped)

    review_works()[run.key] = BackgroundWork(iter_progress, ends_when_idle=False)


def offer_review(run: Run, *, has_link: bool = True) -> None:
    """Offer to review all games of a run; show how far a review is, and with `has_link` where its answers are."""
    work = review_works().get(run.key)
    if work and not work.is_over:

        def show_progress() -> None:
            done, games, left = work.latest or ReviewProgress(0, run.summary.games, None)
            time_left = f", {format_time_left(left)}" if left is not None else ""
            show_progress_bar(
                work, done / max(1, games), f"{done:,} of {format_count(games, 'game')} reviewed{time_left}"
            )

        refresh_until(lambda: work.is_over, show_progress)
        return
    if work and work.error:
        st.error(escape_markdown(work.error))
    if not run.summary.played.logged_blocks:
        st.caption("The moves of these games are not in the run, so they cannot be reviewed.")
        return
    try:
        kind = find_review_kind(run)
        done, games = len(list_reviewed_games(run, kind)), len(choose_reviewed_games(run))
    except GameError as error:
        st.error(escape_markdown(str(error)))
        return
    if done < games:
        label = "Review all games" if not done else f"Review the other {games - done:,} games"
        st.button(
            label,
            key=f"review-all-{run.name}",
            icon=":material/rate_review:",
            on_click=start_review_of_run,
            args=(run,),
        )
    if done and has_link:
        names = tuple(ruleset.name for ruleset in run.summary.rulesets[:1])
        show_link(
            ScoresQuestion(rulesets=names, runs=(run.name,), view="Decisions"),
            f"Where points are lost ({format_count(done, 'game')} reviewed)",
        )
    if done:
        offer_lessons(run)


@st.cache_resource(show_spinner=False)
def lesson_works() -> dict[str, BackgroundWork[int]]:
    """Return the making of lessons that was started, by the key of the run. All visitors share it."""
    return {}


def start_lessons(run: Run) -> None:
    """Make lessons of a reviewed run in the background. If somebody stops it, nothing is kept."""
    store = NoteStore(cached.dashboard_library().folder)

    def iter_progress(stopped: Callable[[], bool]) -> Iterator[int]:
        made: list[RatedLesson] = []
        for lesson in make_lessons(run, LESSONS.default):
            made.append(lesson)
            yield len(made)
            if stopped():
                return
        keep_lessons(store, run, made)

    lesson_works()[run.key] = BackgroundWork(
        iter_progress, ends_when_idle=False, wait_for_turn=server_turns.wait
    )


def offer_lessons(run: Run) -> None:
    """Offer to make lessons of the slips of a reviewed run; show how far that is, and where they are."""
    work = lesson_works().get(run.key)
    if work and not work.is_over:

        def show_progress() -> None:
            done = work.latest or 0
            text = f"{done} of {format_count(LESSONS.default, 'lesson')}"
            show_progress_bar(work, done / LESSONS.default, WAITING if work.is_waiting else text)

        refresh_until(lambda: work.is_over, show_progress)
        return
    if work and work.error:
        st.error(escape_markdown(work.error))
    collections = find_lesson_collections(NoteStore(cached.dashboard_library().folder), run)
    for name in collections:
        show_link(NoteListQuestion(collection=name), name, ":material/school:")
    if not collections:
        st.button(
            "Make lessons",
            key=f"make-lessons-{run.name}",
            icon=":material/school:",
            help=f"Positions in which somebody made a clear slip, at most {LESSONS.default}, for you to find a better move",
            on_click=start_lessons,
            args=(run,),
        )
