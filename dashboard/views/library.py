"""What has been played? Every game with its newest position, runs that are being made, and those that are there."""

from __future__ import annotations

import streamlit as st

from dashboard.library.run_list import shelf, totals
from dashboard.library.running import ready, running
from dashboard.library.simulate_form import form
from dashboard.library.tiles import tiles
from dashboard.library.upload import bring
from dashboard.queries import cached

library = cached.library()
runs = library.runs()

st.title("What has been played?")
if runs:
    st.markdown(totals(runs))
else:
    st.info(
        "Nothing has been played yet. **1.** Press **Play** below a game, then **Start**: some hundred games take a few "
        "seconds. **2.** Look at how their scores spread. **3.** Replay any of them, ply by ply."
    )
ready(runs)
running(library, runs)
form(library)
tiles(library, runs, cached.looks())
if runs:
    st.header("Newest runs")
    shelf(library, runs)
for error in library.broken().values():
    st.warning(cached.escaped(str(error)))
st.header("Bring a run")
bring(library)
