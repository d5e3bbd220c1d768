"""The page What if: a logged game is forked at a ply, and both branches are played on many times.

The address is the question: `?run=…&game=…&ply=…`, the change (`seat` and `strategy`, `action`, `option`, or `luck`),
the number of continuations `n`, and `seed`. `games=…` instead of `game` asks the question of many games; see
`dashboard.whatif.many_games`.
"""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif import many_games
from dashboard.whatif.position import show_position
from dashboard.whatif.question import ask_whatif
from dashboard.whatif.report import show_whatif_report
from dashboard.whatif.select_game import ask_which_game
from dashboard.widgets.address import choose_default_run, read_addressed_game, set_address
from dashboard.widgets.address_defaults import write_address_defaults
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.saved_questions import show_question_title
from engine.errors import GameError

show_question_title("What if it had gone differently?", "whatif")
runs = {run.name: run for run in cached.all_runs() if run.summary.log != "scores"}
if not runs:
    st.info("You have no games yet that can be forked. A first run takes a few seconds.")
    st.page_link("views/library.py", label="Simulate some games")
    st.stop()
run, game = read_addressed_game(runs, choose_default_run(list(runs.values())), "logged run")
if many_games.asks_about_many_games():
    many_games.show_many_games(run, runs)
else:
    form_column, answer_column = st.columns([2, 3], gap="large")
    with form_column:
        ask_which_game(runs, run, game)
        try:
            form = ask_whatif(run, game)
        except GameError as error:  # a log that breaks the rules
            st.error(escape_markdown(str(error)))
            st.stop()
        below_form = st.container()
        st.button(
            "Ask the same of many games",
            key="whatif-ask-many",
            type="tertiary",
            icon=":material/apps:",
            on_click=set_address,
            kwargs={"run": run.name, "games": "all", "where": "last-roll"},
        )

    def choose_move(action: str) -> None:
        """Put the move that was chosen on the board into the form."""
        st.session_state[form.move_key] = action

    # The position stands beside the form; once there is an answer, it makes room for it.
    with below_form if form.question else answer_column:
        chosen = st.session_state.get(form.move_key) if form.move_key else None
        show_position(form.place, chosen, choose_move)
    if form.question:
        with answer_column, st.container(key="whatif-answer"):
            show_whatif_report(run, form.question)
    write_address_defaults("whatif", {"run": [run.name], "game": [str(game)]})
