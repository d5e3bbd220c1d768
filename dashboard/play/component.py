"""The Streamlit component of a game by hand: the board, on which a person chooses moves."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.components.v2.types import ComponentRenderer


def show_board_to_play(
    document: dict[str, Any],
    response: dict[str, Any] | None,
    *,
    key: str,
    again: dict[str, str],
    on_request: Callable[[], None],
) -> None:
    """Show a game by hand. `again` is the address of the same setup without moves.

    The component writes `moves` to the address and sends requests, for which `on_request` is called; the request is then
    the attribute `request` of the session state below `key`.
    """
    _play_renderer()(
        key=key,
        on_request_change=on_request,
        data={**document, "response": response, "again": again},
        height="content",
    )


@cache
def _play_renderer() -> ComponentRenderer:
    return st.components.v2.component(
        "reroll_play", css=assets.replay_style("play"), js=assets.replay_script("play")
    )
