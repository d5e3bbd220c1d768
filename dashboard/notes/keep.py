"""The button Keep at the top of a page: the address of a page says all that it shows, so a note of it keeps that."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard.notes.note_form import read_note_fields, show_note_fields
from dashboard.notes.shown_address import read_known_address, read_shown_place, show_address_reader
from dashboard.notes.studies import show_page_download
from dashboard.queries import cached
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.notes.places import PAGES_TO_KEEP, place_of_address, title_of_place
from pipelines.notes.store import NoteFilter, NoteStore

NOTES_SHOWN: Final = 5
"""Notes of the same run that the button lists."""
_ADDRESS_KEY: Final = "keep-address"


def show_keep_button(page: str) -> None:
    """Show the button, with the fields of a note behind it and the newest notes on the same run."""
    if page not in PAGES_TO_KEEP:
        return
    store = NoteStore(cached.dashboard_library().folder)
    place = place_of_address(page, read_known_address(), cached.all_runs())
    about_run = (
        store.search(NoteFilter(run_key=place.run_key), most=NOTES_SHOWN) if place and place.run_key else None
    )
    count = about_run.total if about_run else 0
    with (
        st.container(key="keep-row"),
        st.popover(
            f"Keep · {count:,}" if count else "Keep",
            icon=":material/bookmark_add:",
            help="Keep what this page shows, with a note",
        ),
    ):
        show_address_reader(_ADDRESS_KEY)
        with st.form("keep", clear_on_submit=True, border=False):
            show_note_fields(store, "keep")
            st.form_submit_button("Keep", type="primary", on_click=_keep_page, args=(page,))
        if shown := read_shown_place(page, _ADDRESS_KEY):
            show_page_download(shown)
        if about_run and about_run.notes:
            st.caption("Notes on this run, the newest change first")
            for note in about_run.notes:
                st.markdown(
                    f"**{escape_markdown(note.title)}**  \n:small[{escape_markdown(note.text[:200])}]"
                    if note.text
                    else f"**{escape_markdown(note.title)}**"
                )
            st.page_link("views/notes.py", label="All your notes")


def _keep_page(page: str) -> None:
    """Save a note of what the browser shows."""
    place = read_shown_place(page, _ADDRESS_KEY)
    if place is None:
        st.toast("This page shows nothing to keep yet. Choose something first.", icon=":material/info:")
        return
    try:
        note = NoteStore(cached.dashboard_library().folder).add(
            place, read_note_fields("keep", title_of_place(place))
        )
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")
        return
    st.toast(escape_markdown(f"Kept: {note.title}"), icon=":material/bookmark_added:")
