"""Notes as files: a study to give away, a document to take along, and that of another library to add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.keep.studies import show_study_form
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.report import wording

if TYPE_CHECKING:
    from pipelines.notes.store import NoteFilter, NoteStore

MAX_UPLOAD_MEGABYTES: Final = 100


def show_note_document(store: NoteStore, wanted: NoteFilter, total: int) -> None:
    """Show the study and the download of the notes that were found, and the upload of a file of notes."""
    with st.container(horizontal=True):
        show_study_form(store, wanted, total)
        st.download_button(
            f"Download {wording.format_count(total, 'note')}",
            lambda: format_notes(store.search(wanted, most=total).notes),
            "notes.json",
            "application/json",
            on_click="ignore",
            disabled=not total,
        )
        show_note_upload(store)


def show_note_upload(store: NoteStore) -> None:
    """Show the upload of notes from another library."""
    with st.popover("Add notes from a file"):
        file = st.file_uploader(
            "Notes as JSON, from another library", type="json", max_upload_size=MAX_UPLOAD_MEGABYTES
        )
        if file is None:
            return
        try:
            notes = parse_notes(file.getvalue().decode("utf-8", errors="replace"))
            saved = store.merge(notes)
        except GameError as error:
            st.error(escape_markdown(str(error)))
        else:
            st.success(f"{wording.format_count(saved, 'note')} of {len(notes):,} added or renewed.")
