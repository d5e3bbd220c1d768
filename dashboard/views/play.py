"""The page Play: people take seats of a game, against strategies or each other, from the start or from a logged position.

The address holds the whole game, so a reload goes on with it. The board in the browser asks for everything and writes `moves`; this
page writes the address only when another game is begun.
"""

from __future__ import annotations

import streamlit as st

from dashboard import cached
from dashboard.play import show_game_tiles, show_start_form
from dashboard.widgets.address import read_page_question, show_link, write_page_question
from dashboard.widgets.components import find_board_address, viewer_renderer
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.play import continue_game
from pipelines.questions.address import write_address
from pipelines.questions.hand_game import HandGameQuestion, prepare_hand_game
from pipelines.questions.rules import RulesQuestion

library = cached.dashboard_library()
asked, problems = read_page_question(HandGameQuestion)


def leave_game() -> None:
    """Show the form again."""
    write_page_question(asked.setup.model_copy(update={"seats": "", "seed": None}))


with st.container(key="play-title", horizontal=True, vertical_alignment="center"):
    st.title("Play", width="content")
    if asked.seats:
        st.button("New game", on_click=leave_game, help="Choose the ruleset and the seats anew")
        if asked.ruleset in library.catalogue.rulesets:
            show_link(RulesQuestion(ruleset=asked.ruleset), "How to play")
if problems:  # the game would be another one than the address means
    st.error(escape_markdown(" ".join(problems)))
    show_start_form(library, HandGameQuestion(ruleset=asked.ruleset))
    st.stop()
if not asked.seats:
    if asked == HandGameQuestion():
        show_game_tiles(library)
    show_start_form(library, asked)
    st.stop()


try:
    continue_game(prepare_hand_game(asked, library), asked.moves)
except GameError as error:
    st.error(escape_markdown(str(error)))
    is_known = (
        asked.ruleset in library.catalogue.rulesets
    )  # otherwise the form would say once more that it is not
    show_start_form(library, HandGameQuestion(ruleset=asked.ruleset if is_known else ""))
    st.stop()
board = find_board_address()
if board is not None:
    again = {key: values[0] for key, values in write_address(asked.setup).items()}
    viewer_renderer("play")(key="play-board", data={"board": board, "again": again}, height="content")
