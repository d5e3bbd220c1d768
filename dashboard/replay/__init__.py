"""A game on a page: the whole scene is sent once, stepping happens in the browser."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dashboard.replay import assets

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

    from engine.scene import Scene


def replay(scene: Scene, *, key: str, ply: int | None = None, height: int | None = None) -> None:
    """Show a game on a Streamlit page.

    `ply` is where it opens if the address has no `?ply=`, as numbered in the log (None or -1: before the first);
    `height` in pixels makes the component scroll inside, without it the boards fit the window. Keep the key when
    another game takes its place, and never write `ply` to `st.query_params`: the component owns it.
    """
    _component()(
        key=key,
        data={"scene": scene, "ply": ply, "height": height},
        height="content" if height is None else height,
    )


@cache
def _component() -> ComponentRenderer:
    import streamlit as st  # noqa: PLC0415 - a page in a file is written without loading Streamlit

    return st.components.v2.component(
        "reroll_replay", css=assets.style("streamlit"), js=assets.script("streamlit")
    )
