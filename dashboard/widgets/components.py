"""The Streamlit components of the pages: scripts beside their modules, and the hosts of the viewer.

The boards of pages ask at routes of the server, which Streamlit has only if `dashboard.served_app` started it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, ClassVar

import streamlit as st

from pipelines.report.show.html import sheet_style
from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.components.v2.types import ComponentRenderer


@cache
def script_renderer(script: Path, style: Path | None = None) -> ComponentRenderer:
    """Return the component of a script, with a style of its own."""
    css = style.read_text(encoding="utf-8") if style else None
    return st.components.v2.component(f"reroll_{script.stem}", css=css, js=script.read_text(encoding="utf-8"))


@cache
def viewer_renderer(host: str) -> ComponentRenderer:
    """Return the component whose script is the module `host` of `pipelines.viewer.replay`."""
    style = assets.replay_style(host) + (sheet_style() if host == "streamlit" else "")
    return st.components.v2.component(f"reroll_{host}", css=style, js=assets.replay_script(host))


class BoardRoutes:
    """The routes of this process."""

    base_path: ClassVar[str | None] = None
    """The path below which they are, such as `/games` or the empty one; None without routes."""


def find_board_address() -> str | None:
    """Return the path below which the routes are; without routes, say so on the page and return None."""
    if BoardRoutes.base_path is None:
        st.info("This board answers no questions: start the dashboard with `reroll dashboard`.")
    return BoardRoutes.base_path
