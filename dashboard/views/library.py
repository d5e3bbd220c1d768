"""What has been played? Every game with its newest position, runs that are being made, and those that are there."""

from __future__ import annotations

import streamlit as st

from dashboard.library.run_list import format_library_totals, show_run_list
from dashboard.library.running import show_finished_runs, show_unfinished_runs
from dashboard.library.simulate_form import show_simulate_form
from dashboard.library.tiles import show_all_tiles
from dashboard.library.upload import show_upload
from dashboard.queries import cached

library = cached.dashboard_library()
runs = library.runs()

st.title("What has been played?")
if runs:
    st.markdown(format_library_totals(runs))
else:
    st.info(
        "Nothing has been played yet. **1.** Press **Play** below a game, then **Start**: some hundred games take a few "
        "seconds. **2.** Look at how their scores spread. **3.** Replay any of them, ply by ply."
    )
show_finished_runs(runs)
show_unfinished_runs(library, runs)
show_simulate_form(library)
show_all_tiles(library, runs, cached.strategy_looks())
if runs:
    st.header("Newest runs")
    show_run_list(library, runs)
for error in library.broken_files().values():
    st.warning(cached.escape_markdown(str(error)))
st.header("Bring a run")
show_upload(library)
