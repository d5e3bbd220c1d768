"""Find the place that a page shows, and the sentence that answers its question."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import read_known_address, read_shown_address
from dashboard.widgets.components import script_renderer
from engine.errors import GameError, InvalidError
from pipelines.experiments.background_work import BackgroundWork
from pipelines.notes.note import NotePlace, place_of_address, place_of_game
from pipelines.play import continue_game, find_kept_game
from pipelines.questions.address import read_fields, split_address
from pipelines.questions.every_question import read_question
from pipelines.questions.hand_game import HandGameQuestion, prepare_hand_game
from pipelines.report.estimates import set_sentence

if TYPE_CHECKING:
    from pipelines.runs.library import Library

MAX_ANSWER_CHARACTERS: Final = 1_000
"""The longest verdicts have 400."""


def show_address_reader(key: str, on_told: Callable[[], None] | None = None) -> None:
    """Draw the script that reports the address of the browser to the server. It stands in a menu, and reports when that is opened.

    `on_told` is called when the server knows the address, for as long as the page passes it.
    """
    script_renderer(Path(__file__).with_name("address.js"))(
        key=key,
        data={
            "known": _read_state(key, "search"),
            "answer": _read_state(key, "answer"),
            "is_awaited": on_told is not None,
        },
        on_search_change=lambda: None,
        on_answer_change=lambda: None,
        on_told_change=on_told or (lambda: None),
        height="content",
    )


def read_shown_place(page: str, key: str) -> NotePlace | None:
    """Return what a page shows, as the reader `key` has last told it; None if it shows nothing in particular.

    If the reader has told nothing, it is what the server knows of the address. A finished game by hand is its run.
    """
    query_fields: dict[str, list[str]] = {}
    query = _read_state(key, "search")
    with suppress(InvalidError):  # far too many keys
        _, query_fields = split_address(query)
    address = {**read_shown_address(), **query_fields} if query_fields else read_known_address()
    place = place_of_address(page, address, cached.all_runs())
    is_by_hand = place is not None and place.kind == "hand"
    return find_kept_place(place, cached.dashboard_library()) if place and is_by_hand else place


def read_told_answer(key: str) -> str:
    """Return the sentence of the answer that the board shows, as the reader `key` has last told it; empty without one."""
    return _read_state(key, "answer")[:MAX_ANSWER_CHARACTERS].replace("\u00a0", " ")


def _read_state(key: str, name: str) -> str:
    """Return what the browser has last told, such as the query of the address, `?run=demo&move=4`."""
    state = st.session_state.get(key)
    return (state.get(name) if state else None) or ""


def write_shown_answer(place: NotePlace) -> str:
    """Return the sentence of the answer that this session has played for a place; empty for others and until it is complete."""
    question = read_question(place.page, place.address).question
    for entry in st.session_state.values():
        work = entry[-1] if isinstance(entry, tuple) and entry else None
        if not isinstance(work, BackgroundWork) or not work.is_over or work.was_stopped:
            continue
        answer = work.latest
        if answer is not None and getattr(answer, "question", None) == question:
            return set_sentence(cached.compose_sheet(answer).verdict)
    return ""


def find_kept_place(place: NotePlace, library: Library) -> NotePlace | None:
    """Return the replay of a finished game by hand, and the place itself as long as the game is in progress.

    None if the address holds no game.
    """
    question, _ = read_fields(HandGameQuestion, place.address)
    try:
        game = continue_game(prepare_hand_game(question, library), question.moves)
    except GameError:
        return None
    kept_run = find_kept_game(library, game) if game.state.is_over else None
    return place_of_game(kept_run, 0) if kept_run else place
