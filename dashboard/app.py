"""The script of the dashboard, run by `streamlit run`: page settings, styles, the menu, and the page itself."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import streamlit as st

from dashboard.pages import FIRST_PAGE, PAGES
from dashboard.widgets.background_work import leave_all_work
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError

LOOPBACK_ADDRESSES: Final = ("127.0.0.1", "localhost", "::1")

# What the rules change, from the first to the last:
# - less empty space above a page and around its title, which boards and charts need more;
# - captions with a contrast of at least 4.5 to 1 (Streamlit has 4.2), and dark text on the light green of the dark theme;
# - an ellipsis at the end of a choice that is too long for its box;
# - rows of buttons as high as the boxes beside them, so that all labels are on one line;
# - no fading of elements that are being refreshed: live charts would pulse.
# The selectors are those of Streamlit 1.67. Should one change, only the look changes.
PAGE_STYLE: Final = """<style>
.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }
.stMainBlockContainer h1 { padding: 0.25rem 0 1.25rem; }
.stMainBlockContainer [data-testid="stMarkdown"] h2 { padding: 0.25rem 0; }
[data-testid="stCaptionContainer"] { opacity: 0.74; }
.stMainBlockContainer :is([data-testid^="stBaseButton-primary"], .stMultiSelect [data-tag]) {
  color: light-dark(#ffffff, #0d211b); }
[data-testid="stSelectbox"] input { text-overflow: ellipsis; }
[data-variant="segmented_control"] { min-height: 2.5rem; }
[data-stale="true"] { opacity: 1 !important; }
</style>"""

st.set_page_config(page_title="Reroll", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
st.html(PAGE_STYLE)
current_page = st.navigation(
    [st.Page(f"views/{page.script}.py", title=page.title, default=page is FIRST_PAGE) for page in PAGES],
    position="top",
)
if st.session_state.get("page") != current_page.title:
    leave_all_work(st.session_state)
    st.session_state["page"] = current_page.title
if st.get_option("server.address") not in LOOPBACK_ADDRESSES:
    st.warning(
        "This dashboard can be reached from the network and has no accounts: anyone who opens it can start and delete "
        "runs. Start it with `reroll dashboard` to keep it on this machine."
    )
try:
    current_page.run()
except (
    GameError,
    duckdb.Error,
) as error:  # a run file from elsewhere may hold something that a page cannot show
    st.error(escape_markdown(f"This cannot be shown: {str(error).splitlines()[0]}"))
