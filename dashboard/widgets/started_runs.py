"""The runs that a visitor has started on any page."""

from __future__ import annotations

import streamlit as st


def started_runs() -> list[str]:
    """Return the list of runs that this visitor started; callers append to it."""
    names: list[str] = st.session_state.setdefault("started", [])
    return names
