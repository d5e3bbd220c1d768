"""The page What if: a logged game is forked at a ply, and both branches are played on many times.

The address is the question: `?run=…&game=…&ply=…`, the change (`seat` and `strategy`, `action`, `option`, or `luck`),
the number of continuations `n`, and `seed`. `games=…` instead of `game` asks the question of many games; see
`dashboard.whatif.many_games`.
"""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif import many_games
from dashboard.whatif.question import ask_whatif
from dashboard.whatif.report import show_whatif_report
from dashboard.whatif.select_game import ask_which_game
from dashboard.widgets.address import read_addressed_game, set_address
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError

st.title("What if it had gone differently?")
runs = {run.name: run for run in cached.all_runs() if run.summary.log != "scores"}
if not runs:
    st.info("You have no games yet that can be forked. A first run takes a few seconds.")
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
    st.error(escape_markdown(str(error)))
    st.stop()
if question:
    show_whatif_report(run, question)
