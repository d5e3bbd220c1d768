"""The button that reviews all games of a run, its progress, and where the answers are. The work goes on when the page is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets.address import show_link
from dashboard.widgets.background_work import refresh_until, show_progress_bar
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.experiments.background_work import BackgroundWork
from pipelines.experiments.review_runs import (
    ReviewProgress,
    choose_reviewed_games,
    find_review_kind,
    review_run,
)
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report.wording import format_count, format_time_left
from pipelines.runs.review_writer import list_reviewed_games

if TYPE_CHECKING:
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
