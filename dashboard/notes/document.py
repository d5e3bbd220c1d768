"""Notes as a document for another library, and the upload of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.keep.other_forms import OtherForm, offer_form
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.report import wording

if TYPE_CHECKING:
    from pipelines.notes.store import NoteFilter, NoteStore

MAX_UPLOAD_MEGABYTES: Final = 100
MAX_NOTES_WRITTEN: Final = 1_000_000


def offer_notes(store: NoteStore, wanted: NoteFilter) -> None:
    """Offer the notes that fit as a file for another library."""

    def write_notes() -> str:
        notes = store.search(wanted, most=MAX_NOTES_WRITTEN).notes
        return format_notes(notes, store.orders(notes))

    offer_form(OtherForm("For another library", "JSON", write_notes, "notes.json", "application/json"))


def show_note_upload(store: NoteStore) -> None:
    """Show the upload of notes from another library."""
    with st.popover("Add notes from a file"):
        file = st.file_uploader(
            "Notes as JSON, from another library", type="json", max_upload_size=MAX_UPLOAD_MEGABYTES
        )
        if file is None:
            return
        try:
            notes, orders = parse_notes(file.getvalue().decode("utf-8", errors="replace"))
            saved = store.merge(notes, orders)
        except GameError as error:
            st.error(escape_markdown(str(error)))
        else:
            st.success(f"{wording.format_count(saved, 'note')} of {len(notes):,} added or renewed.")
