"""Bring a part of the page into view and give it the keyboard focus, after an action that changed it; or the top."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


def request_focus(target: str) -> None:
    """Ask, in a callback, that the container with the key `target` comes into view when the page has been redrawn."""
    turns = st.session_state.setdefault("focus-turns", {})
    turns[target] = turns.get(target, 0) + 1


def show_when_requested(target: str) -> None:
    """Bring the container with the key `target` into view if that was requested. Call it after the container."""
    turn = st.session_state.get("focus-turns", {}).get(target, 0)
    if turn:
        _focus_renderer()(key=f"focus-{target}", data={"target": target, "turn": turn}, height="content")


def show_top_of_page(visit: int) -> None:
    """Scroll to the top when `visit`, the number of pages that this session has shown, has grown.

    The first page of a session stays where it is, because its address may name a place in it.
    """
    if visit > 1:
        with st.container(key="page-top"):
            _top_renderer()(key="page-top-script", data={"visit": visit}, height="content")


@cache
def _focus_renderer() -> ComponentRenderer:
    return st.components.v2.component("reroll_focus", js=_read_script("focus.js"))


@cache
def _top_renderer() -> ComponentRenderer:
    return st.components.v2.component("reroll_page_top", js=_read_script("top.js"))


def _read_script(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
