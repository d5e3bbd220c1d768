"""The button *Keep* at the top of a page, and the form that keeps a run or gives it away.

The address of a page says all that it shows, so a note of it keeps that.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.pages import FIRST_PAGE
from dashboard.queries import cached
from dashboard.widgets.address import read_known_address
from dashboard.widgets.keep.give_away import HELP, give_away_place
from dashboard.widgets.keep.note_form import clear_note_fields, read_note_fields, show_note_fields
from dashboard.widgets.keep.shown_address import read_shown_place, show_address_reader
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.text_limits import MAX_TITLE_CHARACTERS
from pipelines.notes.places import place_of_address, place_of_run, title_of_place
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.every_question import QUESTIONS
from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.notes.note import NotePlace
    from pipelines.runs.run import Run

NOTES_SHOWN: Final = 5
"""Notes of the same run, or else of the same answer, that the button lists."""
PAGES_WITH_ANSWERS: Final = frozenset(kind.page for kind in QUESTIONS) - {FIRST_PAGE.script}
"""Pages whose address says what they show, so that it can be kept and given away."""
_ADDRESS_KEY: Final = "keep-address"
_KEPT_SLOT: Final = "kept-notes"
"""The session state counts here the notes that were kept: each closes the menu, because a new one takes its place."""


def show_keep_button(page: str) -> None:
    """Show the button, with the fields of a note behind it and the newest notes on the same run, or else on the same answer."""
    store = NoteStore(cached.dashboard_library().folder)
    place = place_of_address(page, read_known_address(), cached.all_runs())
    kept = None
    if place:
        wanted = NoteFilter(run_key=place.run_key) if place.run_key else NoteFilter(place=place)
        kept = store.search(wanted, most=NOTES_SHOWN)
    count = kept.total if kept else 0
    with (
        st.popover(
            f"Keep · {wording.format_count(count, 'note')}" if count else "Keep",
            icon=":material/bookmark_add:",
            help="Keep what this page shows, with a note, tags and a star",
            key=f"keep-menu-{st.session_state.get(_KEPT_SLOT, 0)}",
        ),
        st.container(key="keep-fields"),
    ):
        st.caption("A note in *Notes* that leads back to exactly what you see.")
        with st.form("keep", border=False):
            show_note_fields(store, "keep")
            st.form_submit_button(
                "Keep", type="primary", on_click=_keep_place, args=("keep", partial(_find_shown_place, page))
            )
        show_address_reader(_ADDRESS_KEY)
        if place and kept and kept.notes:
            subject = "run" if place.run_key else "answer"
            st.caption(f"Notes on this {subject}, the newest change first")
            for note in kept.notes:
                st.markdown(
                    f"**{escape_markdown(note.title)}**  \n:small[{escape_markdown(note.text[:200])}]"
                    if note.text
                    else f"**{escape_markdown(note.title)}**"
                )
            st.page_link("views/notes.py", label="All your notes")


def show_run_keep_form(run: Run) -> None:
    """Show the buttons that keep a whole run and give it away, with the fields of a note above them."""
    store = NoteStore(cached.dashboard_library().folder)
    try:
        store.labels("tag")
    except GameError:  # the page Notes says why
        return
    key, title = f"keep-run-{run.name}", wording.format_run_title(run.summary)[:MAX_TITLE_CHARACTERS].strip()
    with st.form(key, border=False):
        with st.expander("Note and tags"):
            show_note_fields(store, key, default_title="the name of the run")
        with st.container(horizontal=True):
            st.form_submit_button(
                "Keep",
                icon=":material/bookmark_add:",
                on_click=_keep_place,
                args=(key, lambda: (place_of_run(run), title or run.name)),
            )
            is_given_away = st.form_submit_button("Give away", icon=":material/ios_share:", help=HELP)
    if is_given_away:
        place, words = place_of_run(run), read_note_fields(key, run.name)
        typed_title = str(st.session_state[f"{key}-title"]).strip()
        give_away_place(place, typed_title, words.text, key)


def _find_shown_place(page: str) -> tuple[NotePlace, str] | None:
    """Return what the browser shows with its title; None if it shows nothing in particular."""
    place = read_shown_place(page, _ADDRESS_KEY)
    return None if place is None else (place, title_of_place(place))


def _keep_place(key: str, find_place: Callable[[], tuple[NotePlace, str] | None]) -> None:
    """Save a note with what is in the fields, and empty them."""
    found = find_place()
    if found is None:
        st.toast("This page shows nothing to keep yet. Choose something first.", icon=":material/info:")
        return
    place, title = found
    try:
        note = NoteStore(cached.dashboard_library().folder).add(place, read_note_fields(key, title))
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")
        return
    st.toast(f"Kept in [Notes](notes): {escape_markdown(note.title)}", icon=":material/bookmark_added:")
    st.session_state[_KEPT_SLOT] = st.session_state.get(_KEPT_SLOT, 0) + 1
    clear_note_fields(key)
