"""The progress of the work that prepares the runs of a large library for questions."""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.background_work import refresh_until


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
