"""The page What if: the same change in many games of a run (`?run=…&many=…&move=…`), and saved answers (`?run=…`).

The board of a replay asks about one move. An address that did so here, until version 0.4.0, leads there.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard import cached
from dashboard.whatif import (
    FIRST_QUESTION,
    choose_first_run,
    show_many_games,
    show_saved_answer,
    show_saved_answers,
)
from dashboard.widgets import address
from dashboard.widgets.components import script_renderer
from pipelines.questions.address import format_path
from pipelines.questions.every_question import current_page, read_question
from pipelines.questions.game import PANEL_KEY, GameQuestion
from pipelines.questions.whatif import ManyGamesQuestion, SavedWhatifQuestion, WhatifQuestion

query = address.read_query()
page = current_page(ManyGamesQuestion.page, query)
if page != ManyGamesQuestion.page:
    panel = {} if WhatifQuestion.marks & query.keys() else {PANEL_KEY: ["1"]}
    path = format_path(page, {**query, **panel}).removeprefix("/")
    # The browser replaces the address: `st.switch_page` would leave it in the history, and *Back* would lead here.
    script_renderer(Path(__file__).parents[1] / "widgets" / "address" / "former.js")(data={"path": path})
    st.stop()
question, problems = read_question(ManyGamesQuestion.page, query)
st.title("What if")
runs = {run.name: run for run in cached.all_runs() if run.summary.log != "scores"}
if not runs:
    address.invite_to_simulate("You have no games yet that can be played on in another way.")
    st.stop()
seen = next(iter(address.read_seen_games().items()), None)
seen_run = runs.get(seen[0]) if seen else None
default_run = seen_run or choose_first_run(runs.values())
name = question.run if isinstance(question, ManyGamesQuestion | SavedWhatifQuestion) else ""
run, _ = address.find_addressed_game(runs, name, 0, default_run, "logged run")
is_saved = bool(name) and isinstance(question, SavedWhatifQuestion) and run.summary.is_whatif
if is_saved and show_saved_answer(run):
    address.show_address_problems(problems)
else:
    st.markdown(
        "Change one thing in many games, such as a player, a rule or the luck: each game is played on many times with and "
        "without the change."
    )
    many = question if isinstance(question, ManyGamesQuestion) else FIRST_QUESTION
    form_column, answer_column = st.columns([2, 3], gap="large")
    with form_column:
        show_answer = show_many_games(many.model_copy(update={"run": run.name}), runs, problems)
    with answer_column:
        if show_answer:
            show_answer()
        else:
            label = "Another move? Ask on the board of any replay."
            seen_name, seen_game = seen or (run.name, 0)
            board = GameQuestion(run=seen_name, game=seen_game, is_asking=True)
            address.show_link(board, label, ":material/alt_route:")
            show_saved_answers(runs.values())
