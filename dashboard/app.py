"""The dashboard: which pages there are."""

from __future__ import annotations

import streamlit as st

st.set_page_config(page_title="Reroll", page_icon="🎲", layout="wide")
# Streamlit leaves a hand's breadth free above every page; boards and charts need it more.
st.html("<style>.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }</style>")
st.navigation(
    [
        st.Page("views/library.py", title="Library", default=True),
        st.Page("views/scores.py", title="Scores"),
        st.Page("views/strategies.py", title="Strategies"),
        st.Page("views/replay.py", title="Replay"),
        st.Page("views/whatif.py", title="What if"),
        st.Page("views/rules.py", title="Rules"),
        st.Page("views/sql.py", title="SQL"),
    ],
    position="top",
).run()
