"""What has been played? Every game with its newest position, runs that are being made, and those that are there."""

from __future__ import annotations

import streamlit as st

from dashboard import source
from dashboard.home.bring import bring
from dashboard.home.play import form
from dashboard.home.running import ready, running
from dashboard.home.shelf import shelf, totals
from dashboard.home.tiles import tiles

library = source.library()
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
tiles(library, runs, source.looks())
if runs:
    st.header("Newest runs")
    shelf(library, runs)
for error in library.broken().values():
    st.warning(source.escaped(str(error)))
st.header("Bring a run")
bring(library)
