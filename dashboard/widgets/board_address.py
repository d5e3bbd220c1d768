"""Where the boards of pages ask: at routes of the server, which Streamlit has only if `dashboard.served_app` started it."""

from __future__ import annotations

from typing import ClassVar

import streamlit as st


class BoardRoutes:
    """The routes of this process."""

    base_path: ClassVar[str | None] = None
    """The path below which they are, such as `/games` or the empty one; None without routes."""


def find_board_address() -> str | None:
    """Return the path below which the routes are; without routes, say so on the page and return None."""
    if BoardRoutes.base_path is None:
        st.info("This board answers no questions: start the dashboard with `reroll dashboard`.")
    return BoardRoutes.base_path
