"""The page Library: what Reroll is, a tile for each game, and the simulations in progress."""

from __future__ import annotations

import streamlit as st

from dashboard import cached
from dashboard.library.simulate_form import show_simulate_form
from dashboard.library.tiles import show_all_tiles, show_purpose, show_ways_back
from dashboard.library.unfinished_runs import show_finished_runs, show_unfinished_runs
from dashboard.pages import MISSING_PAGE_KEY
from dashboard.widgets.address import read_query
from dashboard.widgets.background_work import show_preparation
from dashboard.widgets.go_to import seek_missing_page
from dashboard.widgets.markdown import escape_markdown
from engine.wording import format_count
from pipelines.questions.address import list_keys
from pipelines.questions.simulation import RunListQuestion

query = read_query()
if query.keys() & set(list_keys(RunListQuestion)):  # the list of runs stood here once
    st.switch_page("views/runs.py", query_params=query)
library = cached.dashboard_library()
runs = library.runs()

if MISSING_PAGE_KEY in query:
    seek_missing_page(query[MISSING_PAGE_KEY][0])
    del st.query_params[MISSING_PAGE_KEY]
    st.rerun()
st.title("Reroll")
show_purpose(library, runs)
show_ways_back(library, runs)
if absence := cached.describe_absent_folder():
    st.info(escape_markdown(absence))
show_finished_runs(runs)
show_unfinished_runs(library, runs)
show_simulate_form(library)
show_all_tiles(library, runs, cached.strategy_looks())
show_preparation()
for error in library.broken_files().values():
    st.warning(escape_markdown(str(error)))
if runs:
    every = "All " if len(runs) > 1 else ""
    st.page_link("views/runs.py", label=f"{every}{format_count(len(runs), 'run')}", icon=":material/list:")
