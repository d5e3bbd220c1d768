"""The colours behind everything, as the settings of the theme say them."""

from __future__ import annotations

import streamlit as st


def background_colours() -> tuple[str, str]:
    """Return the ground of the page in the light and in the dark; Streamlit's own where the settings say nothing."""
    return (
        st.get_option("theme.light.backgroundColor") or "#ffffff",
        st.get_option("theme.dark.backgroundColor") or "#0e1117",
    )
