"""What if it had gone differently? A logged game, forked at a ply, played on many times on both branches.

The address is the question: `?run=…&game=…&ply=…` and what is different (`seat` and `strategy`, `action`, `option`,
or `luck`), `n` continuations, `seed`. `games=…` in place of `game` asks it of many; see `dashboard.whatif.many_games`.
"""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif import many_games
from dashboard.whatif.question import ask
from dashboard.whatif.report import report
from dashboard.whatif.select_game import choose_game
from dashboard.widgets.address import addressed, turn_to
from engine.game import GameError

st.title("What if it had gone differently?")
runs = {run.name: run for run in cached.runs() if run.summary.log != "scores"}
if not runs:
    st.info("Nothing has been played yet that could be asked about. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Play some games")
    st.stop()
run, game = addressed(runs, next(iter(runs.values())), "logged run")
if many_games.is_asked():
    many_games.page(run, runs)
    st.stop()
choose_game(runs, run, game)
st.button(
    "Ask the same of many games",
    key="whatif-ask-many",
    on_click=turn_to,
    kwargs={"run": run.name, "games": "all", "where": "last-roll"},
)
try:
    question = ask(run, game)
except GameError as error:  # a log that breaks the rules
    st.error(cached.escaped(str(error)))
    st.stop()
if question:
    report(run, question)
