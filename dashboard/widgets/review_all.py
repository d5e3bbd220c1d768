"""The buttons that review all games of a run and make lessons of its slips, their progress, and where the answers are.

The work goes on when the page is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import show_link
from dashboard.widgets.background_work import refresh_until, show_progress_bar
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.limits import LESSONS
from pipelines.design.short_names import short_names
from pipelines.experiments.background_work import BackgroundWork
from pipelines.experiments.lessons import RatedLesson, list_lesson_slips, make_lessons
from pipelines.experiments.review_runs import (
    ReviewProgress,
    choose_reviewed_games,
    find_review_kind,
    review_run,
)
from pipelines.notes.lessons import find_lesson_collections, keep_lessons, read_players
from pipelines.notes.note import NoteListQuestion
from pipelines.notes.store import NoteStore
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report.wording import (
    describe_progress,
    format_count,
    format_duration,
    format_player,
    join_words,
)
from pipelines.runs.review_writer import list_reviewed_games
from pipelines.studies.forms import WAITING, server_turns

if TYPE_CHECKING:
    from pipelines.runs.run import Run


SECONDS_A_LESSON: Final = 1.0
"""Time that a lesson takes on two cores, measured on those of demo-bloxx-3p: 0.4 for greedy, 1.7 for random."""
GAMES_AT_ONCE: Final = 10
"""Games of a short review, of as many blocks: enough for a mean with an interval."""


@st.cache_resource(show_spinner=False)
def review_works() -> dict[str, BackgroundWork[ReviewProgress]]:
    """Return the reviews that were started, by the key of the run. All visitors share them."""
    return {}


def start_review_of_run(run: Run, games: list[int]) -> None:
    """Review some games of a run in the background. What is done when somebody stops it is kept."""

    def iter_progress(stopped: Callable[[], bool]) -> Iterator[ReviewProgress]:
        return review_run(run, find_review_kind(run), games, threads=True, stopped=stopped)

    review_works()[run.key] = BackgroundWork(iter_progress, ends_when_idle=False)


def ask_lesson_slips(runs: Iterable[Run]) -> ScoresQuestion:
    """Return the question for the slips of the first run with reviews, below which lessons are made; of what *Scores* chooses without one."""
    reviewed = next((run for run in runs if run.review_path.exists()), None)
    scope = {"rulesets": (reviewed.summary.rulesets[0].name,), "runs": (reviewed.name,)} if reviewed else {}
    return ScoresQuestion(**scope, view="Decisions", measure="slips")


def offer_review(
    run: Run, *, has_link: bool = True, strategies: tuple[str, ...] = (), seats: tuple[int, ...] = ()
) -> None:
    """Offer to review a few more or all games of a run; show how far a review is, and with `has_link` where its answers are.

    Lessons are made of the slips of the `strategies` and `seats`, if some are given.
    """
    work = review_works().get(run.key)
    if work and not work.is_over:

        def show_progress() -> None:
            done, games, left = work.latest or ReviewProgress(0, run.summary.games, None)
            show_progress_bar(work, done / max(1, games), describe_progress(done, games, "game", left))

        refresh_until(lambda: work.is_over, show_progress)
        return
    if work and work.error:
        st.error(escape_markdown(work.error))
    if not run.summary.played.logged_blocks:
        st.caption("The moves of these games are not in the run, so they cannot be reviewed.")
        return
    try:
        kind = find_review_kind(run)
        reviewed, games = list_reviewed_games(run, kind), choose_reviewed_games(run, kind=kind)
    except GameError as error:
        st.error(escape_markdown(str(error)))
        return
    others = [game for game in games if game not in reviewed]
    few = others[:GAMES_AT_ONCE]
    choices = (
        {"few": (f"Review {len(few)}{' more' if reviewed else ''}", few)} if len(few) < len(others) else {}
    )
    choices |= (
        {"all": (f"Review all {len(others):,}{' others' if reviewed else ' games'}", others)}
        if others
        else {}
    )
    with st.container(horizontal=True, vertical_alignment="center", key=f"review-{run.name}"):
        for key, (label, chosen) in choices.items():
            st.button(
                label,
                key=f"review-{key}-{run.name}",
                icon=":material/rate_review:",
                type="primary" if key == "few" and not reviewed else "secondary",
                on_click=start_review_of_run,
                args=(run, chosen),
            )
        if reviewed and has_link:
            names = tuple(ruleset.name for ruleset in run.summary.rulesets[:1])
            show_link(
                ScoresQuestion(rulesets=names, runs=(run.name,), view="Decisions"),
                f"Where points are lost ({format_count(len(reviewed), 'game')} reviewed)",
            )
        if reviewed:
            offer_lessons(run, strategies, seats)


@st.cache_resource(show_spinner=False)
def lesson_works() -> dict[str, BackgroundWork[ReviewProgress]]:
    """Return the making of lessons that was started, by the key of the run. All visitors share it."""
    return {}


def start_lessons(
    run: Run, max_lessons: int, strategies: tuple[str, ...], seats: tuple[int, ...], players: str
) -> None:
    """Make at most `max_lessons` lessons of the slips of some players in the background. If somebody stops it, nothing is kept."""
    store = NoteStore(cached.dashboard_library().folder)

    def iter_progress(stopped: Callable[[], bool]) -> Iterator[ReviewProgress]:
        made: list[RatedLesson] = []
        begin = time.monotonic()
        for lesson in make_lessons(run, max_lessons, strategies, seats):
            made.append(lesson)
            yield ReviewProgress(
                len(made), max_lessons, (max_lessons - len(made)) * (time.monotonic() - begin) / len(made)
            )
            if stopped():
                return
        keep_lessons(store, run, made, players=players)

    lesson_works()[run.key] = BackgroundWork(
        iter_progress, ends_when_idle=False, wait_for_turn=server_turns.wait
    )


def find_run_for_lessons(store: NoteStore, runs: Iterable[Run]) -> Run | None:
    """Return the first reviewed run without lessons, or whose lessons are being made."""
    works = lesson_works()
    return next(
        (
            run
            for run in runs
            if run.review_path.exists()
            and (
                ((work := works.get(run.key)) and not work.is_over) or not find_lesson_collections(store, run)
            )
        ),
        None,
    )


def offer_lessons(run: Run, strategies: tuple[str, ...], seats: tuple[int, ...]) -> None:
    """Offer to make lessons of the slips of some players of a reviewed run, of all if none are given; show how far that is, and where they are."""
    work = lesson_works().get(run.key)
    if work and not work.is_over:

        def show_progress() -> None:
            done, max_lessons, left = work.latest or ReviewProgress(0, LESSONS.default, None)
            text = describe_progress(done, max_lessons, "lesson", left)
            show_progress_bar(work, done / max_lessons, WAITING if work.is_waiting else text)

        refresh_until(lambda: work.is_over, show_progress)
        return
    if work and work.error:
        st.error(escape_markdown(work.error))
    elif work and work.latest and not work.was_stopped and work.latest.done < work.latest.games:
        made = format_count(work.latest.done, "lesson")
        st.caption(f"{made} of up to {work.latest.games:,}: the other slips are not clear with new luck.")
    names = short_names(run.summary.strategies)
    chosen = [*(names.get(name, name) for name in strategies), *map(format_player, seats)]
    players = join_words(chosen) if chosen else ""
    collections = find_lesson_collections(NoteStore(cached.dashboard_library().folder), run)
    of_players = [name for name in collections if read_players(name) == players]
    for name in of_players if players else collections:
        show_link(NoteListQuestion(collection=name), name, ":material/school:")
    max_lessons = min(LESSONS.default, 0 if of_players else len(list_lesson_slips(run, strategies, seats)))
    if max_lessons:
        st.button(
            f"Make up to {format_count(max_lessons, 'lesson')}{players and f' of {players}'}: about {format_duration(max_lessons * SECONDS_A_LESSON)}",
            key=f"make-lessons-{run.name}",
            icon=":material/school:",
            help="Positions in which somebody made a clear slip, for you to find a better move",
            on_click=start_lessons,
            args=(run, max_lessons, strategies, seats, players),
        )
