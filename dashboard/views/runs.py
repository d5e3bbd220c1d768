"""The page All runs: what the library holds, its runs, and games from a file."""

from __future__ import annotations

import streamlit as st

from dashboard import cached
from dashboard.runs import format_library_totals, show_run_list, show_upload
from dashboard.widgets.address import invite_to_simulate
from dashboard.widgets.markdown import escape_markdown

library = cached.dashboard_library()
runs = library.runs()

st.title("All runs")
if runs:
    st.markdown(format_library_totals(runs))
    show_run_list(library, runs)
else:
    invite_to_simulate()
for error in library.broken_files().values():
    st.warning(escape_markdown(str(error)))
st.header("Add games from a file")
show_upload(library)
