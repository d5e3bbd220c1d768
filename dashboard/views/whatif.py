"""What if it had gone differently? A logged game, forked at a ply, played on many times on both branches.

The address is the question: `?run=…&game=…&ply=…` and what is different (`seat` and `strategy`, `action`, `option`,
or `luck`), `n` continuations, `seed`. `games=…` in place of `game` asks it of many; see `dashboard.whatif.many_games`.
"""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif import many_games
from dashboard.whatif.question import ask_whatif
from dashboard.whatif.report import show_whatif_report
from dashboard.whatif.select_game import ask_which_game
from dashboard.widgets.address import read_addressed_game, set_address
from engine.errors import GameError

st.title("What if it had gone differently?")
runs = {run.name: run for run in cached.all_runs() if run.summary.log != "scores"}
if not runs:
    st.info("Nothing has been played yet that could be asked about. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
    st.stop()
run, game = read_addressed_game(runs, next(iter(runs.values())), "logged run")
if many_games.asks_about_many_games():
    many_games.show_many_games(run, runs)
    st.stop()
ask_which_game(runs, run, game)
st.button(
    "Ask the same of many games",
    key="whatif-ask-many",
    on_click=set_address,
    kwargs={"run": run.name, "games": "all", "where": "last-roll"},
)
try:
    question = ask_whatif(run, game)
except GameError as error:  # a log that breaks the rules
    st.error(cached.escape_markdown(str(error)))
    st.stop()
if question:
    show_whatif_report(run, question)
