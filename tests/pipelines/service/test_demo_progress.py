"""The time that the demo library still needs is estimated from its finished steps, and is never a wild number."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.runs.library import Library
from pipelines.service import jobs
from pipelines.service.demo import (
    MAX_PACE,
    PLANNED_SECONDS,
    DemoStep,
    estimate_seconds_left,
    plan_demo_runs,
    read_demo_progress,
)

if TYPE_CHECKING:
    from pathlib import Path

START = 1_800_000_000.0


def test_the_time_left_follows_from_the_runs_that_the_job_has_finished(tmp_path: Path) -> None:
    library = Library(tmp_path)
    job = jobs.demo_job(library)
    library.runs_folder.mkdir(parents=True)
    job.log.parent.mkdir()
    pid = job.log.with_suffix(".pid")
    pid.write_text("1", encoding="ascii")
    os.utime(pid, (START, START))
    plans = plan_demo_runs(library)

    def finish(number: int, at: float) -> None:
        plans[number].target.touch()
        os.utime(plans[number].target, (at, at))

    finish(0, START - 60)  # there before the job began, so it says nothing about its pace
    assert read_demo_progress(library, job, lambda: START + 100).seconds_left is None
    for number in range(1, 11):
        finish(number, START + number / 2)
    assert read_demo_progress(library, job, lambda: START + 1).seconds_left is None
    progress = read_demo_progress(library, job, lambda: START + 6)
    planned = [PLANNED_SECONDS[plan.kind] for plan in plans]
    assert (progress.ready, progress.runs) == (11, len(plans))
    assert progress.seconds_left == pytest.approx(sum(planned[11:]) * 6 / sum(planned[1:11]))
    assert progress.share == pytest.approx(sum(planned[:11]) / sum(planned))
    # A machine that slept for a month does not need months for the rest.
    late = read_demo_progress(library, job, lambda: START + 2_500_000).seconds_left
    assert late
    assert late <= MAX_PACE * sum(planned[11:]) * (1 + 1e-9)
    # A clock that was set back gives no number instead of a negative one.
    assert read_demo_progress(library, job, lambda: START - 500).seconds_left is None
    for number in range(11, len(plans)):
        finish(number, START + 90)
    assert read_demo_progress(library, job, lambda: START + 91)[2:] == (1.0, 0.0)
    pid.unlink()
    assert read_demo_progress(library, job).seconds_left is None


@settings(deadline=None)
@given(st.lists(st.floats(0.5, 20), min_size=2, max_size=49), st.floats(0.2, 5), st.floats(0, 1), st.data())
def test_at_an_even_pace_the_estimate_is_exact_also_in_the_middle_of_a_run(
    planned: list[float], pace: float, share: float, data: st.DataObject
) -> None:
    done = data.draw(st.integers(1, len(planned) - 1))
    shares = [1.0] * done + [share * 0.99] + [0.0] * (len(planned) - done - 1)
    steps = [DemoStep(one, part) for one, part in zip(planned, shares, strict=True)]
    spent = sum(one * part for one, part in zip(planned, shares, strict=True))
    left = estimate_seconds_left(steps, pace * spent)
    if pace * spent < 4 or spent < 0.03 * sum(planned):
        assert left is None
    else:
        assert left == pytest.approx(pace * (sum(planned) - spent))
