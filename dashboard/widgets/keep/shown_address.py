"""What a page shows, by the address in the browser: pages and components may write there without asking the server."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.address import read_known_address, read_shown_address
from dashboard.widgets.components import script_renderer
from dashboard.widgets.keep.kept_game import find_kept_place
from engine.errors import InvalidError
from pipelines.notes.places import place_of_address
from pipelines.questions.address import split_address

if TYPE_CHECKING:
    from pipelines.notes.note import NotePlace

MAX_ANSWER_CHARACTERS: Final = 1_000
"""The longest verdicts have 400."""


def show_address_reader(key: str) -> None:
    """Learn the address that the browser shows at the moment when somebody opens what this stands in."""
    script_renderer(Path(__file__).with_name("address.js"))(
        key=key,
        data={"known": _read_state(key, "search"), "answer": _read_state(key, "answer")},
        on_search_change=lambda: None,
        on_answer_change=lambda: None,
        height="content",
    )


def read_shown_place(page: str, key: str) -> NotePlace | None:
    """Return what a page shows, as the reader `key` has last told it; None if it shows nothing in particular.

    If the reader has told nothing, it is what the server knows of the address. A finished game by hand is its run.
    """
    told: dict[str, list[str]] = {}
    query = _read_state(key, "search")
    with suppress(InvalidError):  # far too many keys
        named, told = split_address(query)
        if told and not query.startswith("?"):  # the question that a replay answers
            return place_of_address(named, told, cached.all_runs())
    address = {**read_shown_address(), **told} if told else read_known_address()
    place = place_of_address(page, address, cached.all_runs())
    is_by_hand = place is not None and place.kind == "hand"
    return find_kept_place(place, cached.dashboard_library()) if place and is_by_hand else place


def read_told_answer(key: str) -> str:
    """Return the sentence of the answer that the board shows, as the reader `key` has last told it; empty without one."""
    return _read_state(key, "answer")[:MAX_ANSWER_CHARACTERS].replace("\u00a0", " ")


def _read_state(key: str, name: str) -> str:
    """Return what the browser has last told: the query of the address, such as `?run=demo&move=4`, or another whole address."""
    state = st.session_state.get(key)
    return (state.get(name) if state else None) or ""
