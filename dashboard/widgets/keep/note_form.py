"""The fields of a note, for a new one and for a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from pipelines.design.limits import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from pipelines.notes.note import MAX_LABELS, NoteContent

if TYPE_CHECKING:
    from pipelines.notes.note import Note
    from pipelines.notes.store import NoteStore

COLLECTION_HELP: Final = (
    "A collection is a study with chapters: *Notes* puts them in your order and gives them away."
)
_FIELDS: Final = ("title", "text", "tags", "collections", "favourite")


def show_note_fields(
    store: NoteStore, key: str, note: Note | None = None, default_title: str = "what the page shows"
) -> None:
    """Show the fields of a note, empty or with those of `note`. `read_note_fields` reads them."""
    st.text_input(
        "Title",
        note.title if note else "",
        placeholder=f"By default, {default_title}",
        max_chars=MAX_TITLE_CHARACTERS,
        key=f"{key}-title",
    )
    st.text_area(
        "Note",
        note.text if note else "",
        placeholder="What did you notice?",
        max_chars=MAX_TEXT_CHARACTERS,
        height=72,
        key=f"{key}-text",
    )
    with st.container(horizontal=True, key=f"{key}-labels"):
        for label, sort, chosen, name in (
            ("Tags", "tag", note.tags if note else (), "tags"),
            ("Collections", "collection", note.collections if note else (), "collections"),
        ):
            st.multiselect(
                label,
                sorted({*store.labels(sort), *chosen}),
                list(chosen),
                accept_new_options=True,
                max_selections=MAX_LABELS,
                placeholder="Choose or write",
                help=COLLECTION_HELP if sort == "collection" else None,
                key=f"{key}-{name}",
                select_all=False,
            )
    st.checkbox("Star", note.is_favourite if note else False, key=f"{key}-favourite")


def read_note_fields(key: str, default_title: str) -> NoteContent:
    """Return what is in the fields. Raises InvalidError if it does not fit a note."""
    title, text, tags, collections, favourite = (st.session_state[f"{key}-{name}"] for name in _FIELDS)
    return NoteContent(
        title.strip() or default_title, text, tuple(tags), tuple(collections), is_favourite=favourite
    )


def clear_note_fields(key: str) -> None:
    """Empty the fields of a new note. Only a callback may do so."""
    for name, empty in zip(_FIELDS, ("", "", [], [], False), strict=True):
        st.session_state[f"{key}-{name}"] = empty
