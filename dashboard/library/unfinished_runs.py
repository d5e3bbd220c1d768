"""Simulations on the page Library: their progress, the time left, and buttons to stop them.

All of it is read from the library folder, so it survives a reload of the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import show_link
from dashboard.widgets.background_work import refresh_until, show_failures, started_runs
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import show_basis, show_parts, show_verdict
from engine.errors import GameError
from pipelines.design.short_names import shorten_names
from pipelines.questions.game import GameQuestion
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report import wording
from pipelines.service import jobs
from pipelines.service.demo import DEMO_PREFIX, read_demo_progress

if TYPE_CHECKING:
    from pipelines.runs.library import Library, Run, UnfinishedRun

REFRESH_SECONDS: Final = 2.0
"""How often the page looks at the folder; a new run appears without a reload."""
AWAITED_REFRESH_SECONDS: Final = 0.3
"""How often it does so while this visitor waits for a run."""


def show_unfinished_runs(library: Library, drawn: list[Run]) -> None:
    """Show unfinished runs, and rerun the page when a run has appeared or disappeared."""
    names = {run.name for run in drawn}

    def has_changed() -> bool:
        files = {path.stem for path in library.runs_folder.glob("*.duckdb")}
        return files != names | _broken_run_names(library)

    def draw_unfinished_runs() -> None:
        for job in jobs.pending_jobs(library):
            if job.name == jobs.DEMO_JOB_NAME and job.is_alive:
                _show_demo_progress(library, job)
            else:
                _show_starting_job(job)
        is_demo_alive = jobs.demo_job(library).is_alive
        for partial in library.unfinished_runs():
            if not (is_demo_alive and partial.name.startswith(DEMO_PREFIX)):
                _show_unfinished_run(library, partial)

    is_awaited = bool(set(started_runs()) - names)
    seconds = AWAITED_REFRESH_SECONDS if is_awaited else REFRESH_SECONDS
    refresh_until(has_changed, draw_unfinished_runs, seconds=seconds)


def _broken_run_names(library: Library) -> set[str]:
    """Return the names of files that cannot be read; they do not count as changes."""
    return {path.stem for path in library.broken_files() if path.suffix == ".duckdb"}


def show_finished_runs(runs: list[Run]) -> None:
    """Show what the runs say that this visitor started: the answer of *Scores*, with links to all of it and to a replay."""
    mine = started_runs()
    for run in [run for run in runs if run.name in mine]:
        question = ScoresQuestion(rulesets=(run.summary.rulesets[0].name,), runs=(run.name,))
        with st.container(border=True), show_failures():
            sheet = cached.compose_sheet(answer_scores(question, cached.question_source()))
            show_verdict(sheet)
            show_parts(sheet.list_parts("main"), (), {})
            show_basis(sheet)
            with st.container(horizontal=True, vertical_alignment="center"):
                show_link(question, "All about these scores", ":material/bar_chart:")
                if run.summary.log != "scores":
                    show_link(GameQuestion(run=run.name), "Replay a game", ":material/replay:")
                st.button("Close", key=f"close-{run.name}", on_click=mine.remove, args=(run.name,))


def _show_starting_job(job: jobs.Job) -> None:
    """Show a job that has not started to play, or that failed."""
    status, buttons = st.columns([5, 2], vertical_alignment="center")
    if job.is_alive:
        line = f": {job.last_line}" if job.last_line else ""
        status.progress(0.0, escape_markdown(f"{job.name} is starting{line}"))
        buttons.button("Cancel", key=f"cancel-{job.name}", on_click=job.cancel)
    else:
        status.error(escape_markdown(f"{job.name}: {job.failure}"))
        buttons.button("Dismiss", key=f"dismiss-{job.name}", on_click=job.forget)


def _show_demo_progress(library: Library, job: jobs.Job) -> None:
    """Show how much of the demo library is there, and how long the rest takes. The bar grows with the time."""
    progress = read_demo_progress(library, job)
    left = "" if progress.seconds_left is None else f" · {wording.format_time_left(progress.seconds_left)}"
    with st.container(border=True):
        status, buttons = st.columns([5, 2], vertical_alignment="center")
        status.progress(
            progress.share,
            f"**Simulating examples for you** · {progress.ready} of {wording.format_count(progress.runs, 'run')} are "
            f"ready{left}",
        )
        buttons.button("Stop", key="stop-demo", on_click=job.cancel)


def _show_unfinished_run(library: Library, partial: UnfinishedRun) -> None:
    """Show a run that is being made or was stopped."""
    try:
        done, total, design = partial.games_done, partial.games, partial.design
    except GameError as error:
        st.warning(escape_markdown(str(error)))
        return
    with st.container(border=True):
        status, buttons = st.columns([5, 2], vertical_alignment="center")
        left = partial.seconds_left
        is_running = partial.is_running
        is_finishing = is_running and done >= total and not partial.is_cancelled
        state = (
            (f"{wording.format_duration(left)} left" if left is not None else "starting")
            if is_running
            else "stopped"
        )
        played = f"{done:,} of {wording.format_count(total, 'game')} · {state}"
        if is_finishing:
            played = wording.describe_finishing(total)
        title = escape_markdown(shorten_names(design.title, design.strategies))
        status.progress(
            min(1.0, done / total), f"**{title}** · {escape_markdown(design.rules.name)} · {played}"
        )
        failure = "" if is_running else jobs.Job(library, partial.name).failure
        if failure:
            status.error(escape_markdown(failure))
        if is_finishing:
            return
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            if is_running and partial.is_cancelled:
                st.caption("Stopping; finished games are kept.")
            elif is_running:
                st.button("Stop", key=f"stop-{partial.name}", on_click=partial.cancel)
            else:
                st.button(
                    "Go on", key=f"resume-{partial.name}", on_click=_resume_run, args=(library, partial)
                )
                st.button("Remove", key=f"drop-{partial.name}", on_click=_remove_run, args=(partial,))


def _resume_run(library: Library, partial: UnfinishedRun) -> None:
    """Resume a stopped run."""
    jobs.resume_job(library, partial)
    started_runs().append(partial.name)


def _remove_run(partial: UnfinishedRun) -> None:
    """Delete a stopped run, unless another visitor has just resumed it."""
    try:
        partial.remove()
    except (GameError, OSError) as error:
        st.toast(escape_markdown(str(error)))
