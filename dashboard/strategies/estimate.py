"""The number of games of a comparison and its time, estimated behind the form from a few games on this machine."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.background_work import find_or_start_work
from dashboard.widgets.fragments import refresh_until
from engine.counted_nouns import capitalise
from pipelines.experiments.comparison import START_SECONDS, measure_pace
from pipelines.report import wording

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.experiments.comparison import GamePace

WORK_SLOT: Final = "strategies-estimate"
FEW_SECONDS: Final = 5
"""Below this the start takes most of the time, which differs from machine to machine."""


def show_estimate(design: Design) -> None:
    """Show how many games the comparison has and how long they will take, as soon as this is measured."""
    # How long a game takes does not depend on the seed and the number of blocks that the visitor types.
    measured = design.model_copy(update={"seed": 0, "blocks": 1_000_000})

    work = find_or_start_work(
        st.session_state, WORK_SLOT, _question_key(design), partial(measure_pace, measured)
    )
    work.wait(0.2)

    def show_latest() -> None:
        work.keep_alive()
        st.caption(write_estimate(design, work.latest))

    refresh_until(lambda: work.is_over, show_latest, was_over=work.is_over)


def stop_estimate() -> None:
    """Stop measuring: the comparison itself needs the processors."""
    entry = st.session_state.get(WORK_SLOT)
    if entry:
        entry[1].stop()


def latest_pace(design: Design) -> GamePace | None:
    """Return what this visitor's form measured for a design, or None."""
    entry = st.session_state.get(WORK_SLOT)
    return entry[1].latest if entry and entry[0] == _question_key(design) else None


def _question_key(design: Design) -> tuple[object, ...]:
    return design.rules.sha256, design.lineup, design.seatings, design.opening


def write_estimate(design: Design, pace: GamePace | None) -> str:
    """Return the number of games and, if a few were measured, about how long they take."""
    most = "at most " if design.is_played_until_decided else ""
    games = f"{most}{wording.format_count(design.games, 'game')}"
    start = capitalise(games)
    if pace is None:
        return f"{start}; measuring how long they take …"
    seconds = START_SECONDS + pace.estimate_seconds(design.games)
    about = f"about {wording.format_duration(seconds)}" if seconds >= FEW_SECONDS else "a few seconds"
    return f"{start}, {most}{about} on this machine (an estimate from {wording.format_count(pace.games, 'game')})"
