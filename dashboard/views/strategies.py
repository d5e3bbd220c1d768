"""Who plays better? Strategies compared on the same luck, with what may be said about the difference.

The address is the comparison: `?run=…` for one that has been or is being played, and `&pair=1` for a pair of it.
"""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.question import ask
from dashboard.strategies.report import whole
from dashboard.strategies.running import under_way
from dashboard.strategies.select_comparison import choose, comparable, offer
from pipelines.runs.library import Run

library = cached.library()
st.title("Who plays better?")
there = comparable(library)
name = choose(library, there)
if not there and not cached.runs():
    st.info(
        "Nothing has been played yet. Choose strategies and press **Compare**: the first verdict is there in a second."
    )
if name is None:
    with st.container(border=True):
        ask(library)
    offer(there)
elif isinstance(chosen := there.get(name), Run):
    whole(chosen)
else:
    under_way(library, name)
