"""The fields of the form of a new simulation. The address holds them, so that a reload keeps the form and a link shares it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from pipelines.questions.address import list_keys, write_address
from pipelines.questions.lineups import suggest_lineup
from pipelines.questions.simulation import SimulationQuestion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset

FORM_FIELDS: Final = list_keys(SimulationQuestion)
"""All keys of the form in the address."""
ADDRESS_SLOT: Final = "new-form-address"
RULESET_KEY, GAMES_KEY, LOG_KEY, SEED_KEY = "new-ruleset", "new-games", "new-log", "new-seed"
FIELD_PREFIX: Final = "new-"
"""The keys of all fields of the form, and of nothing else, begin with it."""


def seat_key(ruleset: Ruleset, seat: int) -> str:
    """Return the key of the field for the strategy of a seat; it is another one for each number of players."""
    return f"{FIELD_PREFIX}{ruleset.players}-{seat}"


def read_shown_form(game: str, rulesets: Mapping[str, Ruleset]) -> SimulationQuestion | None:
    """Return what the fields hold; None if they were not drawn before, or for another game."""
    state = st.session_state
    name = str(state.get(RULESET_KEY))
    if name not in rulesets or any(key not in state for key in (GAMES_KEY, LOG_KEY, SEED_KEY)):
        return None
    ruleset = rulesets[name]
    lineup = tuple(
        str(state.get(seat_key(ruleset, seat)) or otherwise)
        for seat, otherwise in enumerate(suggest_lineup(ruleset))
    )
    return SimulationQuestion.model_construct(
        play=game,
        ruleset=name,
        lineup=lineup,
        games=int(state[GAMES_KEY]),
        log=state[LOG_KEY],
        seed=state[SEED_KEY],
    )


def fill_fields(form: SimulationQuestion, ruleset: Ruleset) -> None:
    """Put the values of a form into the fields, before they are drawn."""
    st.session_state[RULESET_KEY] = form.ruleset
    for seat, strategy in enumerate(form.lineup):
        st.session_state[seat_key(ruleset, seat)] = strategy
    st.session_state[GAMES_KEY] = form.games
    st.session_state[LOG_KEY] = form.log
    st.session_state[SEED_KEY] = form.seed


def open_form(game: str) -> None:
    """Open the form for a game, with its defaults, by naming the game in the address."""
    close_form()
    st.query_params.update(write_address(SimulationQuestion(play=game)))


def close_form() -> None:
    """Take the form out of the address, and forget what its fields hold."""
    for key in FORM_FIELDS:
        st.query_params.pop(key, None)
    for key in [key for key in st.session_state if str(key).startswith(FIELD_PREFIX)]:
        del st.session_state[key]
