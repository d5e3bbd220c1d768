"""The page What if: a logged game is forked at a ply, and both branches are played on many times.

The address is a question of `pipelines.questions.whatif`: about one game (`?run=…&game-number=…&move=…` and the change), or
about many (`?run=…&many=…&move=…`). A run of continuations alone (`?run=…`) answers the question that it holds.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cached
from dashboard.whatif import show_many_games, show_one_game
from dashboard.widgets.address import (
    choose_default_run,
    find_addressed_game,
    invite_to_simulate,
    read_query,
    read_seen_game,
    show_link,
    write_game_defaults,
    write_page_question,
)
from dashboard.widgets.game_choice import ask_which_game
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import show_sheet
from engine.errors import GameError
from pipelines.questions.every_question import read_question
from pipelines.questions.game import GameQuestion, game_address
from pipelines.questions.games import find_remarkable_game
from pipelines.questions.whatif import ManyGamesQuestion, WhatifQuestion, answer_saved_whatif

if TYPE_CHECKING:
    from pipelines.runs.library import Run

query = read_query()
reading = read_question("whatif", query)
title = st.container(key="whatif-title", horizontal=True, vertical_alignment="center")
title.title("What if", width="content")
runs = {run.name: run for run in cached.all_runs() if run.summary.log != "scores"}
if not runs:
    invite_to_simulate("You have no games yet that can be forked.")
    st.stop()


def open_game(name: str, game: int) -> None:
    """Write the address of a game without a question. The number of the first game is written, too: a run alone shows a saved answer."""
    st.query_params.from_dict(game_address(name, game))


def choose_telling_game(newest: Run) -> tuple[str, int]:
    """Return the game that the visitor has seen last, or else the closest finish of the newest run."""
    seen = read_seen_game()
    if seen and seen[0] in runs:
        return seen
    closest = None
    with suppress(GameError):  # the page says below what is wrong with the run
        closest = find_remarkable_game(newest, "margin", cached.question_source(), is_lowest=True)
    return newest.name, closest.game_id if closest else 0


def show_saved_answer(run: Run) -> bool:
    """Show the sheet of the answer that a run of continuations holds; return False if the forked game is gone."""
    try:
        answer = answer_saved_whatif(run, cached.question_source())
    except GameError:
        return False

    def link_to_games(_: object) -> None:
        with st.container(key="whatif-saved-links", horizontal=True, vertical_alignment="center"):
            question = (answer.question,)
            st.button(
                "Ask it on the board",
                icon=":material/alt_route:",
                on_click=write_page_question,
                args=question,
            )
            games = GameQuestion(run=run.name, ply=answer.question.ply)
            show_link(games, "Replay the continuations", ":material/replay:")

    sheet = cached.compose_sheet(answer)
    st.markdown(escape_markdown(sheet.title))
    show_sheet(sheet, rows=(("branches", "difference"),), draw={"continuations": link_to_games})
    return True


run_name, game_number = query.get("run", [""])[0], 0
if isinstance(reading.question, WhatifQuestion):
    run_name, game_number = reading.question.run, reading.question.game
default_run = choose_default_run(list(runs.values()))
if reading.question == WhatifQuestion():
    run_name, game_number = choose_telling_game(default_run)
run, game = find_addressed_game(runs, run_name, game_number, default_run, "logged run")
question = reading.question.model_copy(update={"run": run.name})
if isinstance(question, WhatifQuestion) and game != question.game:
    # None was named, or the change that was asked is about a game that does not exist.
    question = WhatifQuestion(run=run.name, game=game)
if run.summary.is_whatif and query.keys() == {"run"} and show_saved_answer(run):
    pass  # the sheet says everything
elif isinstance(question, ManyGamesQuestion):
    show_many_games(question, run, reading.problems)
elif isinstance(question, WhatifQuestion):
    with title:
        ask_which_game(runs, run, game, "whatif", open_game)
    try:
        show_one_game(question, run, reading.problems, names_move="move" in query)
    except GameError as error:  # a log that breaks the rules
        st.error(escape_markdown(str(error)))
        st.stop()
    write_game_defaults("whatif", run.name, game)
