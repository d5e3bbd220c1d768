"""The page What if: a logged game is forked at a ply, and both branches are played on many times.

The address is a question of `pipelines.questions.whatif`: about one game (`?run=…&game-number=…&move=…` and the change), or
about many (`?run=…&many=…&move=…`).
"""

from __future__ import annotations

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif.many_games import show_many_games
from dashboard.whatif.one_game import show_one_game
from dashboard.widgets.address import (
    choose_default_run,
    find_addressed_game,
    invite_to_simulate,
    read_query,
)
from dashboard.widgets.address_defaults import write_game_defaults
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.saved_questions import show_question_title
from engine.errors import GameError
from pipelines.questions.every_question import read_question
from pipelines.questions.whatif.question import ManyGamesQuestion, WhatifQuestion

show_question_title("What if it had gone differently?", "whatif")
runs = {run.name: run for run in cached.all_runs() if run.summary.log != "scores"}
if not runs:
    invite_to_simulate("You have no games yet that can be forked.")
    st.stop()
query = read_query()
reading = read_question("whatif", query)
run_name, game_number = query.get("run", [""])[0], 0
if isinstance(reading.question, WhatifQuestion):
    run_name, game_number = reading.question.run, reading.question.game
run, game = find_addressed_game(
    runs, run_name, game_number, choose_default_run(list(runs.values())), "logged run"
)
question = reading.question.model_copy(update={"run": run.name})
if isinstance(question, WhatifQuestion) and game != question.game:
    question = WhatifQuestion(
        run=run.name, game=game
    )  # the change that was asked is about a game that does not exist
if isinstance(question, ManyGamesQuestion):
    show_many_games(question, run, reading.problems)
elif isinstance(question, WhatifQuestion):
    try:
        names_move = not query.keys().isdisjoint({"move", "ply"})
        show_one_game(question, run, runs, reading.problems, names_move=names_move)
    except GameError as error:  # a log that breaks the rules
        st.error(escape_markdown(str(error)))
        st.stop()
    write_game_defaults("whatif", run.name, game)
