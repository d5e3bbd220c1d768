"""Following work behind a page: its latest answer and how far it is, with a button to stop it, until all is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import streamlit as st

from dashboard.queries import cached

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.widgets.background_work import BackgroundWork

T = TypeVar("T")

REFRESH_SECONDS: Final = 0.5
"""Seconds."""


def show_repeatedly(look: Callable[[], None], every: float | None) -> None:
    """Show a part of the page, and again after so many seconds each; None: once, as there is nothing more to come.

    What is shown once is no fragment. A browser may ask for one again until it hears that the page is drawn anew, and
    such a late question makes Streamlit forget what it had not yet sent of that page; unless the fragment is gone,
    when it ignores the question.
    """
    if every is not None:
        st.fragment(look, run_every=every)()
        return
    with st.container():  # as around a fragment, so that the browser keeps what stands in it
        look()


def show_work_progress(
    work: BackgroundWork[T],
    *,
    at_first: str,
    headline: Callable[[T], object],
    progress: Callable[[T], tuple[float, str]],
    details: Callable[[T], object],
) -> None:
    """Show the latest answer of some work, again and again until it is the last one.

    `at_first` is said while there is none yet; `progress` tells the share that is done and names it. The bar stands
    below the headline, so that what is read stays where it is when the bar goes. Once all is there, the whole page is run
    again, for whatever on it waited for the end.
    """
    is_over = work.is_over

    def show_latest_answer() -> None:
        if work.is_over and not is_over:
            st.rerun()
        if work.error:
            st.error(cached.escape_markdown(str(work.error)))
            return
        found = work.latest
        if found is None:
            st.progress(0.0, at_first)
            return
        headline(found)
        if not work.is_over:
            share, said = progress(found)
            bar, stop = st.columns([6, 1], vertical_alignment="center")
            bar.progress(min(1.0, share), said)
            stop.button("Stop", on_click=work.stop)
        details(found)

    show_repeatedly(show_latest_answer, None if is_over else REFRESH_SECONDS)
