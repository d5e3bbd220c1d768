"""The list of notes: each leads to what it is about, and can be changed or removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.notes.pictures import show_note_picture
from dashboard.pages import PAGES
from dashboard.queries import cached
from dashboard.widgets import verbatim
from dashboard.widgets.focus import request_focus, show_when_requested
from dashboard.widgets.keep.note_form import read_note_fields, show_note_fields
from dashboard.widgets.labels import STAR
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from engine.errors import GameError
from pipelines.notes.note_list import KIND_NAMES
from pipelines.notes.places import current_address, find_shown_title
from pipelines.notes.store import EditConflictError
from pipelines.report import wording
from pipelines.report.estimates import says_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.notes.note import Note
    from pipelines.notes.store import NoteStore
    from pipelines.questions.address import Address

REFUSED_KEY: Final = "notes-refused"
"""Key of the session state that holds why a change was refused, and the text that was not saved."""
REMOVED_KEY: Final = "notes-removed"
"""Key of the session state that holds the note that was removed by the last click."""
_STEPS: Final = {"Up": (-1, ":material/arrow_upward:"), "Down": (1, ":material/arrow_downward:")}
_PAGE_SCRIPTS: Final = {page.script for page in PAGES}


class Chapter(NamedTuple):
    """The place of a note in the order of a collection."""

    collection: str
    place: int
    is_last: bool


def show_removed_note(store: NoteStore) -> None:
    """Show which note the last click removed, with a button that puts it back."""
    if removed := st.session_state.pop(REMOVED_KEY, None):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(escape_markdown(f"Removed: {removed.title}"), width="content")
            st.button("Undo", key="notes-undo", on_click=_restore_note, args=(store, removed))


def show_note_list(
    store: NoteStore, notes: Sequence[Note], names: Mapping[str, Sequence[str]], collection: str | None = None
) -> None:
    """Show notes, with buttons that put those of a `collection` in another order.

    `names` are the names of the runs by `pipelines.notes.places.names_by_key`.
    """
    refused = st.session_state.pop(REFUSED_KEY, None)
    if refused:
        message, text = refused
        st.warning(escape_markdown(message))
        if text:
            st.caption("Your text, which was not saved:")
            verbatim.show_verbatim(text)
    is_ordered = collection is not None and len(notes) > 1
    with st.container(key="chapters" if is_ordered else "notes"):
        for place, note in enumerate(notes):
            chapter = Chapter(collection or "", place, place == len(notes) - 1) if is_ordered else None
            _show_note(store, note, names, chapter)
    for note in notes if is_ordered else ():
        for step in _STEPS:
            show_when_requested(f"{step.lower()}-{note.note_id}")


def _show_note(
    store: NoteStore, note: Note, names: Mapping[str, Sequence[str]], chapter: Chapter | None
) -> None:
    """Show a note as a card, all of which is the link of its title; the style puts its parts into place."""
    with st.container(border=True, key=f"note-card-{note.note_id}"):
        address = current_address(note, names)
        is_here = address is not None and note.page in _PAGE_SCRIPTS
        title = find_shown_title(note, address, cached.all_runs())
        _show_title(note, title, address if is_here else None)
        parts = [
            f"Chapter {chapter.place + 1}" if chapter else "",
            KIND_NAMES[note.kind],
            wording.format_time_ago(note.changed_at),
            "" if is_here else "the run is no longer here",
        ]
        st.caption(escape_markdown(" · ".join(filter(None, parts))))
        with st.container(horizontal=True, gap="xxsmall", key=f"note-tools-{note.note_id}"):
            if chapter:
                _show_steps(store, note, chapter)
            _show_change_menu(store, note)
        sentence = ""
        if address is not None and is_here:
            sentence = show_note_picture(note.note_id, title, note.page, address)
        shown = chapter.collection if chapter else ""
        labels = [
            *(f":blue-badge[{escape_markdown(tag)}]" for tag in note.tags),
            *(f":gray-badge[{escape_markdown(name)}]" for name in note.collections if name != shown),
        ]
        if labels:
            with st.container(key=f"note-labels-{note.note_id}"):
                st.markdown(" ".join(labels))
        if note.text or sentence:
            with st.container(key=f"note-words-{note.note_id}", gap="xxsmall"):
                if sentence and not says_sentence(note.text, sentence):
                    st.caption(write_markdown_sentence(sentence))
                if note.text:
                    st.text(note.text)


def _show_steps(store: NoteStore, note: Note, chapter: Chapter) -> None:
    """Show the buttons that move a chapter; the one that was pressed keeps the focus as long as it can move further."""
    for step, (by, icon) in _STEPS.items():
        key = f"{step.lower()}-{note.note_id}"
        st.button(
            step,
            icon=icon,
            help=f"Move {escape_markdown(note.title)} {step.lower()}",
            key=key,
            disabled=chapter.is_last if by > 0 else chapter.place == 0,
            on_click=_move_note,
            args=(store, note, chapter.collection, by, key),
        )


def _move_note(store: NoteStore, note: Note, collection: str, by: int, key: str) -> None:
    try:
        store.move(note, collection, by)
    except GameError as error:
        st.session_state[REFUSED_KEY] = (str(error), "")
    request_focus(key)


def _show_change_menu(store: NoteStore, note: Note) -> None:
    """Show the button behind which a note is changed or removed; the fields are built when it is opened."""
    key = f"change-{note.note_id}-{note.version}"
    # Saving makes a new button, whose menu is closed. A change elsewhere keeps the button, so that its click opens the menu.
    saves = st.session_state.get(_saves_key(note), 0)
    menu = st.popover(
        "Change",
        icon=":material/edit:",
        help="Change or remove this note",
        key=f"menu-{note.note_id}-{saves}" if saves else f"menu-{note.note_id}",
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu, st.form(key, border=False):
        show_note_fields(store, key, note)
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.form_submit_button("Save", type="primary", on_click=_change_note, args=(store, note, key))
            st.form_submit_button("Remove", on_click=_remove_note, args=(store, note))


def _show_title(note: Note, title: str, address: Address | None) -> None:
    """Show the title, as a link to the address if there is one."""
    text = f"**{f'{STAR} ' if note.is_favourite else ''}{escape_markdown(title)}**"
    if address is None:
        st.markdown(text)
    else:
        st.page_link(f"views/{note.page}.py", label=text, query_params=address)


def _saves_key(note: Note) -> str:
    """Return the key below which the session state counts how often this session has saved a note."""
    return f"saves-{note.note_id}"


def _change_note(store: NoteStore, note: Note, key: str) -> None:
    """Save what is in the fields, and close the menu."""
    st.session_state[_saves_key(note)] = st.session_state.get(_saves_key(note), 0) + 1
    try:
        store.change(note, read_note_fields(key, note.title))
    except EditConflictError as error:
        st.session_state[REFUSED_KEY] = (str(error), st.session_state[f"{key}-text"])
    except GameError as error:
        st.session_state[REFUSED_KEY] = (str(error), "")


def _remove_note(store: NoteStore, note: Note) -> None:
    try:
        store.remove(note)
    except GameError as error:
        st.session_state[REFUSED_KEY] = (str(error), "")
        return
    st.session_state[REMOVED_KEY] = note


def _restore_note(store: NoteStore, note: Note) -> None:
    try:
        store.merge([note])
    except GameError as error:
        st.session_state[REFUSED_KEY] = (str(error), "")
