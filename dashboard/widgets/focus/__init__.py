"""Bring a part of the page, or its top, into view, and give it the keyboard focus, after an action that changed it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from dashboard.widgets.components import script_renderer

FOLDER: Final = Path(__file__).parent


def request_focus(target: str) -> None:
    """Ask, in a callback, that the container with the key `target` comes into view when the page has been redrawn."""
    turns = st.session_state.setdefault("focus-turns", {})
    turns[target] = turns.get(target, 0) + 1


def show_when_requested(target: str, *, peeks: bool = False) -> None:
    """Bring the container with the key `target` into view if that was requested. Call it after the container.

    If it `peeks`, its heading comes into view with what the margin of the heading holds, so that less of what is above it goes.
    """
    turn = st.session_state.get("focus-turns", {}).get(target, 0)
    if turn:
        data = {"target": target, "turn": turn, "peeks": peeks}
        script_renderer(FOLDER / "focus.js")(key=f"focus-{target}", data=data, height="content")


def show_top_of_page(visit: int) -> None:
    """Scroll to the top when `visit`, the number of pages that this session has shown, has grown.

    The first page of a session stays where it is, because its address may name a place in it.
    """
    if visit > 1:
        with st.container(key="page-top"):
            data = {"visit": visit}
            script_renderer(FOLDER / "top.js")(key="page-top-script", data=data, height="content")
