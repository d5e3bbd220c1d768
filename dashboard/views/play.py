"""The page Play: people take seats of a game, against strategies or each other, from the start or from a logged position.

The address holds the whole game, so a reload goes on with it. The component in the browser writes `moves`; this page
writes the address only when another game is begun.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard.play.component import show_board_to_play
from dashboard.play.game_document import answer_request, game_document
from dashboard.play.game_tiles import show_game_tiles
from dashboard.play.start_form import show_start_form
from dashboard.queries import cached
from dashboard.widgets.address import VISITS_SLOT, read_page_question, show_link, write_page_question
from dashboard.widgets.fragments import show_fragment
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.play.hand_game import continue_game
from pipelines.questions.address import write_address
from pipelines.questions.hand_game.answer import prepare_hand_game
from pipelines.questions.hand_game.question import HandGameQuestion
from pipelines.questions.rules import RulesQuestion

REQUEST_SLOT: Final = "play-request"
"""The session state holds a request of the board here until it is answered."""
KNOWN_SLOT: Final = "play-known"
"""The session state holds here which game of which visit this is, its setup, and the moves so far."""
RESPONSE_SLOT: Final = "play-response"

library = cached.dashboard_library()
asked, problems = read_page_question(HandGameQuestion)
begun = (st.session_state.get(VISITS_SLOT), asked.setup)


def take_request() -> None:
    """Keep the request of the board, which is answered in the same run of the script; none if the board is gone."""
    st.session_state[REQUEST_SLOT] = (st.session_state.get("play-board") or {}).get("request")


def remember_game() -> None:
    """Keep the setup and the moves in the session state, unless this visit has already begun the game of the address.

    Raises a GameError if the address describes no game.
    """
    known = st.session_state.get(KNOWN_SLOT)
    if not known or known[0] != begun:
        setup = prepare_hand_game(asked, library)
        moves = continue_game(setup, asked.moves).text
        st.session_state[KNOWN_SLOT] = (begun, setup, moves)


def leave_game() -> None:
    """Show the form again."""
    st.session_state.pop(KNOWN_SLOT, None)
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


def show_game() -> None:
    """Answer the last request and show the game. A move draws nothing else of the page anew."""
    _, setup, moves = st.session_state[KNOWN_SLOT]
    request, last = st.session_state.pop(REQUEST_SLOT, None), st.session_state.get(RESPONSE_SLOT)
    if last and isinstance(request, dict) and request.get("id") == last["id"]:
        request = None  # the browser has sent again what is answered already
    game, response = answer_request(request, setup, moves, library)
    st.session_state[KNOWN_SLOT] = (begun, setup, game.text)
    if response:
        st.session_state[RESPONSE_SLOT] = response
    show_board_to_play(
        game_document(game, library),
        st.session_state.get(RESPONSE_SLOT),
        key="play-board",
        again={key: values[0] for key, values in write_address(asked.setup).items()},
        on_request=take_request,
    )


try:
    remember_game()
except GameError as error:
    st.error(escape_markdown(str(error)))
    is_known = (
        asked.ruleset in library.catalogue.rulesets
    )  # otherwise the form would say once more that it is not
    show_start_form(library, HandGameQuestion(ruleset=asked.ruleset if is_known else ""))
    st.stop()
show_fragment(show_game)
