"""A comparison that is being played: how far it is, and what its first blocks say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.report import brief
from dashboard.strategies.select_comparison import started
from dashboard.widgets import words
from dashboard.widgets.background_work import live
from engine.game import GameError
from pipelines.experiments.compare.comparison import live as look_at
from pipelines.experiments.compare.first_blocks import preview
from pipelines.service import jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.widgets.background_work import Live
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.runs.library import Library

LOOK_EVERY: Final = 0.5
"""Seconds."""


def under_way(library: Library, name: str) -> None:
    """Show a comparison that is being played, again and again until it is there."""
    first = _first_blocks(name)
    job = jobs.Job(library, name)

    @st.fragment(run_every=LOOK_EVERY)
    def look() -> None:
        state = job.state
        if state == "finished":
            if first:
                first.stop()
            st.rerun()
        if state == "failed":
            st.error(cached.escaped(f"{name}: {job.last_line.removeprefix('reroll: ')}"))
            return
        _progress(library, job, state)
        if seen := _furthest(first, job):
            brief(seen)

    look()


def _first_blocks(name: str) -> Live[Comparison] | None:
    """Play the first blocks here, while the processes of a comparison start; None if another visitor started it."""
    design = started().get(name)
    if design is None:
        return None

    def answers(stopped: Callable[[], bool]) -> Iterator[Comparison]:
        return preview(design, stopped)

    first = live(st.session_state, "strategies-preview", name, answers)
    first.wait(0.3)
    return first


def _furthest(first: Live[Comparison] | None, job: jobs.Job) -> Comparison | None:
    """Return what is known from the most blocks: those played here first, or the finished shards of the run."""
    seen = first.latest if first else None
    try:
        played = look_at(job.partial)
    except (GameError, OSError):  # nothing is finished yet, or it becomes a run at this moment
        return seen
    if seen and played.blocks < seen.blocks:
        return seen
    if first:
        first.stop()
    return played


def _progress(library: Library, job: jobs.Job, state: str) -> None:
    """Say how far it is, and offer to stop."""
    bar, buttons = st.columns([6, 1], vertical_alignment="center")
    try:
        done, total, left = job.partial.games_done, job.partial.games, job.partial.seconds_left
    except GameError:
        bar.progress(0.0, "Starting …")
        return
    if state == "stopped":
        bar.progress(done / total, f"Stopped: {done:,} of {total:,} games are kept.")
        if buttons.button("Go on", key="strategies-on"):
            jobs.resume(library, job.partial)
        return
    more = f", {words.lasting(left)} left" if left is not None else ""
    most = "at most " if job.partial.design.contest and job.partial.design.contest.until_decided else ""
    bar.progress(min(1.0, done / total), f"{done:,} of {most}{total:,} games{more}")
    buttons.button("Stop", key="strategies-stop", on_click=job.cancel)
