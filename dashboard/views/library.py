"""The page Library: a tile for each game, the simulations in progress, and all runs."""

from __future__ import annotations

import streamlit as st

from dashboard import cached
from dashboard.library.run_list import (
    format_library_totals,
    show_finished_runs,
    show_run_list,
    show_unfinished_runs,
    show_upload,
)
from dashboard.library.simulate_form import show_simulate_form
from dashboard.library.tiles import show_all_tiles, show_invitations
from dashboard.widgets.background_work import show_preparation
from dashboard.widgets.markdown import escape_markdown

library = cached.dashboard_library()
runs = library.runs()

st.title("Library")
show_invitations(runs)
if not runs:
    st.info(
        "You have no games yet. **1.** Press **Simulate** below a game, then **Start**: a few hundred games take some "
        "seconds. **2.** Look at the distribution of their scores. **3.** Replay any game, move by move. "
        + escape_markdown(cached.describe_absent_folder())
    )
show_finished_runs(runs)
show_unfinished_runs(library, runs)
show_simulate_form(library)
show_all_tiles(library, runs, cached.strategy_looks())
show_preparation()
if runs:
    st.header("Runs")
    st.markdown(format_library_totals(runs))
    show_run_list(library, runs)
for error in library.broken_files().values():
    st.warning(escape_markdown(str(error)))
st.header("Add games from a file")
show_upload(library)
