"""The page Strategies: comparisons of strategies on the same luck, with the verdict that their games support.

The address names the comparison: `?run=…` for one that is finished or in progress, and `&pair=1` for one of its pairs.
"""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.strategies.question import ask_new_comparison
from dashboard.strategies.report import show_comparison_report
from dashboard.strategies.running import show_running_comparison
from dashboard.strategies.select_comparison import (
    ask_which_comparison,
    comparable_runs,
    show_comparison_links,
)
from pipelines.runs.library import Run

library = cached.dashboard_library()
st.title("Who plays better?")
comparisons = comparable_runs(library)
name = ask_which_comparison(library, comparisons)
if not comparisons and not cached.all_runs():
    st.info(
        "You have no games yet. Choose strategies and press **Compare**: the first verdict appears after a second."
    )
if name is None:
    with st.container(border=True):
        ask_new_comparison(library)
    show_comparison_links(comparisons)
elif isinstance(chosen := comparisons.get(name), Run):
    show_comparison_report(chosen)
else:
    show_running_comparison(library, name)
