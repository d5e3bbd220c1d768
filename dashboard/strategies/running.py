"""A comparison in progress: how far it is, and the verdict of its first blocks."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.strategies.question import latest_pace, started_designs
from dashboard.strategies.report import show_preview
from dashboard.widgets.background_work import find_or_start_work
from dashboard.widgets.fragments import refresh_until
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.experiments.comparison import compare_live_run, preview_comparison
from pipelines.report import wording
from pipelines.service import jobs

if TYPE_CHECKING:
    from dashboard.widgets.background_work import BackgroundWork
    from pipelines.design.design import Design
    from pipelines.experiments.comparison import Comparison
    from pipelines.runs.library import Library


def show_running_comparison(library: Library, name: str) -> None:
    """Show a comparison in progress and refresh it until it is finished."""
    job = jobs.Job(library, name)
    was_over = job.state in {"stopped", "failed"}
    preview = _play_first_blocks(name)

    def show_latest_blocks() -> None:
        state = job.state
        if preview:
            preview.keep_alive()
        if state == "failed":
            st.error(escape_markdown(f"{name}: {job.last_line.removeprefix('reroll: ')}"))
            return
        comparison = _furthest_comparison(preview, job)
        _show_progress(library, job, state, comparison)
        if comparison:
            show_preview(comparison)

    def is_over() -> bool:
        state = job.state
        if state == "finished" and preview:
            preview.stop()
        return state not in {"starting", "running"}

    refresh_until(is_over, show_latest_blocks, was_over=was_over)


def _play_first_blocks(name: str) -> BackgroundWork[Comparison] | None:
    """Play the first blocks in this process while the workers of the comparison start.

    Return None if another visitor started the comparison.
    """
    design = started_designs().get(name)
    if design is None:
        return None

    first = find_or_start_work(
        st.session_state, "strategies-preview", name, partial(preview_comparison, design)
    )
    first.wait(0.3)
    return first


def _furthest_comparison(first: BackgroundWork[Comparison] | None, job: jobs.Job) -> Comparison | None:
    """Return what is known from the most blocks: those played here first, or the finished shards of the run."""
    seen = first.latest if first else None
    try:
        played = compare_live_run(job.partial)
    except (GameError, OSError):  # nothing is finished yet, or it becomes a run at this moment
        return seen
    if seen and played.blocks < seen.blocks:
        return seen
    if first:
        first.stop()
    return played


def _resume_comparison(library: Library, job: jobs.Job) -> None:
    jobs.resume_job(library, job.partial)


def _show_progress(library: Library, job: jobs.Job, state: str, comparison: Comparison | None) -> None:
    """Show the progress, with a button to stop or to resume. It counts the games of the verdict below it.

    When all of them are played, by the run or here, there is nothing left to stop.
    """
    bar, buttons = st.columns([6, 1], vertical_alignment="center")
    design: Design | None = started_designs().get(job.name)
    kept, left = 0, None
    with suppress(GameError):  # it has no folder yet
        design, kept, left = job.partial.design, job.partial.games_done, job.partial.seconds_left
    if design is None:
        bar.progress(0.0, "Starting …")
        return
    if state == "stopped":
        counted = comparison.games if comparison else kept
        saved = f"; {kept:,} of them are saved, Resume plays the others again" if counted > kept else ""
        played = f"{counted:,} of {wording.format_count(design.games, 'game')}"
        bar.progress(kept / design.games, f"Stopped after {played}{saved}.")
        buttons.button("Resume", key="strategies-on", on_click=_resume_comparison, args=(library, job))
        return
    done, is_stopping = comparison.games if comparison else 0, job.partial.is_cancelled
    if not is_stopping and max(done, kept) >= design.games:
        bar.progress(1.0, wording.describe_finishing(design.games))
        return
    stopping = f"Stopping … {done:,} of {wording.format_count(design.games, 'game')}"
    bar.progress(
        min(1.0, done / design.games), stopping if is_stopping else _format_progress(design, done, left)
    )
    can_stop = state == "running" and not is_stopping
    buttons.button("Stop", key="strategies-stop", on_click=job.cancel, disabled=not can_stop)


def _format_progress(design: Design, done: int, left: float | None) -> str:
    """Return how many games are played, and how long the others take: by the run, or by the estimate of the form."""
    most = "at most " if design.is_played_until_decided else ""
    pace = latest_pace(design)
    if left is None and pace:
        left = pace.estimate_seconds(design.games - done)
    more = f", {wording.format_time_left(left)}" if left is not None else ""
    return f"{done:,} of {most}{wording.format_count(design.games, 'game')}{more}"
