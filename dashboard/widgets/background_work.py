"""How a page of the dashboard shows the work behind it: a bar of progress, and an answer that grows.

The work itself is a `BackgroundWork` of the pipelines, which pages import from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import streamlit as st

from dashboard.widgets.fragments import refresh_until
from dashboard.widgets.markdown import escape_markdown
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work, leave_all_work

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BackgroundWork",
    "find_or_start_work",
    "leave_all_work",
    "show_progress_bar",
    "show_work_progress",
]

T = TypeVar("T")

STOP_SECONDS: Final = 0.3
"""Seconds to wait for work that a visitor stopped, before the page says that it is being stopped."""


def show_work_progress(
    work: BackgroundWork[T],
    *,
    at_first: str,
    headline: Callable[[T], object],
    progress: Callable[[T], tuple[float, str]],
    details: Callable[[T], object],
) -> None:
    """Show the latest answer of some work, and refresh it until the work is over.

    `at_first` is the text shown before the first answer. `progress` returns the share that is done, from 0 to 1, and
    its text. The progress bar stands below the headline, so the headline does not move when the bar disappears.
    """

    def show_latest_answer() -> None:
        work.keep_alive()
        answer = work.latest
        if work.error:
            st.error(escape_markdown(work.error))
        elif answer is None and work.is_over:
            st.info("Stopped before the first answer.")
            st.button("Start again", on_click=work.forget)
        elif answer is None:
            show_progress_bar(work, 0.0, at_first)
        else:
            headline(answer)
            if not work.is_over:
                show_progress_bar(work, *progress(answer))
            details(answer)

    refresh_until(lambda: work.is_over, show_latest_answer, was_over=work.is_over)


def show_progress_bar(work: BackgroundWork[T], share: float, text: str) -> None:
    """Show how far some work is, with a button that stops it."""
    bar, stop = st.columns([6, 1], vertical_alignment="center")
    bar.progress(min(1.0, share), f"Stopping … {text}" if work.was_stopped else text)
    stop.button("Stop", on_click=_stop_work, args=(work,), disabled=work.was_stopped)


def _stop_work(work: BackgroundWork[T]) -> None:
    """Stop some work; usually it is over before the page is drawn, which then needs no further refresh."""
    work.stop()
    work.wait(STOP_SECONDS)
