"""Parts of a page that are drawn anew without the rest of it, and what a page shows instead of a part that cannot be shown."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.queries.cached import QUERY_ERRORS, PreparationError
from dashboard.widgets.markdown import escape_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REFRESH_SECONDS: Final = 0.5
"""Seconds between two refreshes of a part of a page."""


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

    Errors go no further than the part, so its failures are shown in it.
    """

    def draw_or_show_failure() -> None:
        with show_failures():
            draw()

    st.fragment(draw_or_show_failure, run_every=seconds)()


def refresh_until(
    is_over: Callable[[], bool],
    draw: Callable[[], None],
    *,
    seconds: float = REFRESH_SECONDS,
    was_over: bool = False,
) -> None:
    """Draw a part of the page now and again every `seconds` until `is_over()`, then run the whole page once more.

    With `was_over` the page already shows the end, so the part is drawn once and is no fragment. A browser may ask for
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
        draw()

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
