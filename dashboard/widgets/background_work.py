"""How a page shows the work behind it: parts that are drawn anew alone, a bar of progress, and an answer that grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, TypeVar

import streamlit as st

from dashboard import cached
from dashboard.cached import QUERY_ERRORS, PreparationError
from dashboard.widgets.markdown import escape_markdown
from pipelines.studies.forms import WAITING

if TYPE_CHECKING:
    from pipelines.experiments.background_work import BackgroundWork

REFRESH_SECONDS: Final = 0.5
"""Seconds between two refreshes of a part of a page."""
_is_refreshed: Final[ContextVar[bool]] = ContextVar("is_refreshed", default=False)
"""Whether a part is drawn that is drawn anew every second until its work is over."""


@contextmanager
def show_failures() -> Iterator[None]:
    """Show the progress of the work that a page waits for, and in one line an error that a run file from elsewhere may cause."""
    try:
        yield
    except PreparationError:
        show_preparation()
    except QUERY_ERRORS as error:
        st.error(escape_markdown(f"This cannot be shown: {str(error).splitlines()[0]}"))


def show_fragment(draw: Callable[[], object], *, seconds: float | None = None) -> None:
    """Draw a part of a page, which its widgets draw anew without the rest of the page; also every `seconds` if given.

    Errors go no further than the part, so its failures are shown in it. A part within one that refreshes itself is not a
    fragment: when the next refresh begins, Streamlit drops what it has not yet sent of the outer part, but not of the inner one,
    for which the browser then finds no place and shows an empty page.
    """

    def draw_or_show_failure() -> None:
        with show_failures():
            draw()

    if _is_refreshed.get():
        with (
            st.container()
        ):  # the same nesting as with a fragment, so that the browser keeps the elements in it
            draw_or_show_failure()
    else:
        st.fragment(draw_or_show_failure, run_every=seconds)()


def refresh_until(
    is_over: Callable[[], bool],
    draw: Callable[[], None],
    *,
    seconds: float = REFRESH_SECONDS,
    was_over: bool = False,
) -> None:
    """Draw a part of the page now and again every `seconds` until `is_over()`, then run the whole page once more.

    With `was_over` the page already shows the end, so the part is drawn once and is not a fragment. A browser may ask for
    a refresh until it hears that the page was drawn anew; if the fragment still existed then, Streamlit would drop what
    it has not yet sent of the new page. It ignores requests for a fragment that does not exist.
    """
    if was_over:
        # The same nesting as with a fragment, so that the browser keeps the elements in it.
        with st.container(), show_failures():
            draw()
        return

    def refresh() -> None:
        if is_over():
            st.rerun()
        token = _is_refreshed.set(True)
        try:
            draw()
        finally:
            _is_refreshed.reset(token)

    show_fragment(refresh, seconds=seconds)


def show_preparation() -> None:
    """Show how many run files are read or packed, and run the page again when all are; nothing if there is no such work."""
    work = cached.find_preparation()
    if work is None:
        return

    def draw_progress() -> None:
        done, total = work.latest or (0, 0)
        count = f": {done:,} of {total:,} runs." if total else "."
        st.progress(done / total if total else 0.0, f"New runs are being prepared, which is done once{count}")

    refresh_until(lambda: work.is_over, draw_progress)


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
        text = WAITING if work.is_waiting else at_first
        if work.error:
            st.error(escape_markdown(work.error))
        elif answer is None and work.is_over:
            st.info("Stopped before the first answer.")
            st.button("Start again", on_click=work.forget)
        elif answer is None:
            show_progress_bar(work, 0.0, text)
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


def started_runs() -> list[str]:
    """Return the list of runs that this visitor started; callers append to it."""
    names: list[str] = st.session_state.setdefault("started", [])
    return names
