"""The dashboard: which pages there are."""

from __future__ import annotations

from pathlib import Path

import duckdb
import streamlit as st

from dashboard.pages import PAGES
from dashboard.queries import cached
from dashboard.widgets.background_work import leave_all_work
from engine.errors import GameError

# A file as a path: to see that a text is no emoji, Streamlit would load the list of all.
st.set_page_config(page_title="Reroll", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
# Streamlit leaves a hand's breadth free above every page, and more above a title than below it, so that nothing beside
# it stands in line; boards and charts need the room more. Its captions are too faint for small print: 4.2 to 1, where
# 4.5 to 1 can be read by most; so is its white on the light green that stands for choices in the dark. A chosen name that
# is too long for its box says so. Rows of buttons are as high as the boxes beside them, so that their labels stand in line.
st.html(
    """<style>
    .stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }
    .stMainBlockContainer h1 { padding: 0.25rem 0 1.25rem; }
    .stMainBlockContainer [data-testid="stMarkdown"] h2 { padding: 0.25rem 0; }
    [data-testid="stCaptionContainer"] { opacity: 0.74; }
    .stMainBlockContainer :is([data-testid^="stBaseButton-primary"], .stMultiSelect [data-tag]) {
      color: light-dark(#ffffff, #0d211b); }
    [data-testid="stSelectbox"] input { text-overflow: ellipsis; }
    [data-variant="segmented_control"] { min-height: 2.5rem; }
    </style>"""
)
current_page = st.navigation(
    [st.Page(f"views/{one.script}.py", title=one.title, default=not one.address) for one in PAGES],
    position="top",
)
if st.session_state.get("page") != current_page.title:
    leave_all_work(st.session_state)
    st.session_state["page"] = current_page.title
if st.get_option("server.address") not in {"127.0.0.1", "localhost", "::1"}:
    st.warning(
        "This dashboard can be reached from the network, and has no accounts: whoever opens it can start and delete "
        "runs. Start it with `reroll dashboard` to have it on this machine only."
    )
try:
    current_page.run()
except (GameError, duckdb.Error) as error:  # a file from anybody may hold what a page cannot show
    st.error(cached.escape_markdown(f"This cannot be shown: {str(error).splitlines()[0]}"))
