"""The Streamlit components that the viewer draws."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


@cache
def viewer_renderer(host: str) -> ComponentRenderer:
    """Return the component whose script is the module `host` of `pipelines.viewer.replay`."""
    return st.components.v2.component(
        f"reroll_{host}", css=assets.replay_style(host), js=assets.replay_script(host)
    )
