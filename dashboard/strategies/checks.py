"""The checks of a comparison, computed behind the page: they play some games again, which can take a while."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.background_work import BackgroundWork, find_or_start_work
from dashboard.widgets.fragments import refresh_until
from dashboard.widgets.markdown import escape_markdown
from pipelines.experiments.comparison import control_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.experiments.controls import Control
    from pipelines.runs.library import Run


def start_checks(run: Run) -> BackgroundWork[tuple[Control, ...]]:
    """Start the checks of a comparison, or return those that were started for this visitor."""
    version = cached.file_version(run)

    def iter_answers(_stopped: Callable[[], bool]) -> Iterator[tuple[Control, ...]]:
        yield _cached_controls(*version)

    work = find_or_start_work(st.session_state, "strategies-checks", version, iter_answers)
    work.wait(0.3)
    return work


@lru_cache(maxsize=64)
def _cached_controls(path: str, changed: int) -> tuple[Control, ...]:
    """Return the controls of a run. `st.cache_data` would need the thread of a page."""
    del changed  # part of the key
    return control_run(cached.dashboard_library().run(path))


def show_checks(work: BackgroundWork[tuple[Control, ...]]) -> None:
    """Say that the checks are still computed; the page is drawn anew with their results."""

    def show_state() -> None:
        work.keep_alive()
        if work.error:
            st.error(escape_markdown(work.error))
        elif work.latest is None:
            st.caption("Checking this comparison: the dice, the luck, every strategy against itself …")

    refresh_until(lambda: work.is_over, show_state, was_over=work.is_over)
