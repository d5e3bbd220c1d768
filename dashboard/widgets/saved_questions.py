"""Saved questions at the top of a page: save what the page shows under a name, open it again, rename, replace, delete."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.keep.shown_address import read_shown_place, show_address_reader
from dashboard.widgets.labels import show_label_filter
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError, InvalidError
from pipelines.design.text_limits import MAX_TITLE_CHARACTERS
from pipelines.notes.note import NoteContent
from pipelines.notes.places import current_address, names_by_key, title_of_place
from pipelines.notes.questions import list_questions
from pipelines.notes.store import Labels, NoteStore
from pipelines.questions.address import format_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipelines.notes.note import Note

QUESTIONS_SHOWN: Final = 20
LIST_STYLE: Final = """<style>
ul.saved { list-style: none; margin: 0; padding: 0 !important; max-height: 16rem; overflow-y: auto; }
ul.saved li { padding: 0.35rem 0 !important; margin: 0 !important; overflow-wrap: anywhere;
  border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
.saved a { color: inherit; }
.saved small { opacity: 0.74; }
@media (pointer: coarse) { .saved a { display: inline-block; padding: 0.5rem 0; } }
</style>"""
_READER_KEY: Final = "saved-address"
_NAME_KEY: Final = "saved-name"


def show_question_title(
    title: str, page: str, *, is_header: bool = False, show_beside: Callable[[], object] | None = None
) -> None:
    """Show the title of a page of questions, or the header of a form, and beside it what it is about and the saved questions."""
    with st.container(
        key="question-title",
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
    ):
        (st.header if is_header else st.title)(escape_markdown(title), width="content")
        if show_beside:
            show_beside()
        _show_saved_questions(page)


def _show_saved_questions(page: str) -> None:
    store = NoteStore(cached.dashboard_library().folder)
    try:
        notes = list_questions(store, page)
    except GameError:  # the page Notes says why
        return
    with st.popover(
        f"Save question · {len(notes)} saved" if notes else "Save question",
        icon=":material/folder_open:",
        help="Save what this page shows under a name, or open what was saved",
    ):
        with st.form("save-question", border=False, clear_on_submit=True):
            st.text_input(
                "Save what this page shows as",
                placeholder="A name",
                max_chars=MAX_TITLE_CHARACTERS,
                key=_NAME_KEY,
            )
            st.form_submit_button("Save", on_click=_save_question, args=(store, page))
        if notes:
            _show_questions(store, page, notes)
        else:
            st.caption(
                "Nothing is saved yet. The address of the page holds all its settings, and the name leads back to it."
            )
        show_address_reader(_READER_KEY)


def _show_questions(store: NoteStore, page: str, notes: Sequence[Note]) -> None:
    """Show links to the saved questions that have the selected labels, and the choice of one to change."""
    names = names_by_key(cached.all_runs()) if any(note.run_key for note in notes) else {}
    labels = [Labels(note.tags, note.is_favourite) for note in notes]
    wanted = show_label_filter(labels, f"saved-tags-{page}", f"saved-favourites-{page}")
    shown = [note for note, held in zip(notes, labels, strict=True) if wanted.fits(held)]
    st.html(LIST_STYLE + write_question_list(shown[:QUESTIONS_SHOWN], names))
    if len(shown) > QUESTIONS_SHOWN:
        st.caption(
            f"The {QUESTIONS_SHOWN} changed last of {len(shown):,}. The page Notes searches all of them."
        )
    _show_change(store, page, notes)


def write_question_list(notes: Sequence[Note], names: Mapping[str, Sequence[str]]) -> str:
    """Return a list of links to saved questions as HTML. `names` are the names of runs by key (`names_by_key`)."""
    rows = []
    for note in notes:
        star = "★ " if note.is_favourite else ""
        address = current_address(note, names)
        title = escape(note.title)
        if address is not None:
            path = format_path(note.page, address).removeprefix("/")
            title = f'<a href="{escape(path)}">{title}</a>'
        about = "the run is no longer here" if address is None else ", ".join(note.tags)
        rows.append(f"<li>{star}{title}{f' <small>{escape(about)}</small>' if about else ''}</li>")
    return f'<ul class="saved">{"".join(rows)}</ul>'


def _show_change(store: NoteStore, page: str, notes: Sequence[Note]) -> None:
    """Show the choice of a saved question to rename, replace or delete."""
    by_id = {note.note_id: note for note in notes}
    chosen = st.selectbox(
        "Change",
        list(by_id),
        index=None,
        format_func=lambda note_id: by_id[note_id].title,
        placeholder="Rename, replace or delete one",
        key=f"saved-change-{page}",
        label_visibility="collapsed",
    )
    if chosen is None:
        return
    note = by_id[chosen]
    key = f"{_NAME_KEY}-{note.note_id}-{note.version}"
    st.text_input("New name", note.title, max_chars=MAX_TITLE_CHARACTERS, key=key)
    with st.container(horizontal=True):
        st.button("Rename", key="saved-rename", on_click=_rename_question, args=(store, note, key))
        st.button(
            "Replace",
            key="saved-replace",
            help="Save what this page shows now under the same name",
            on_click=_replace_question,
            args=(store, note),
        )
        st.button("Delete", key="saved-delete", on_click=_delete_question, args=(store, note))


def _save_question(store: NoteStore, page: str) -> None:
    def save() -> str:
        place = read_shown_place(page, _READER_KEY)
        if place is None:
            raise InvalidError("this page shows nothing to save yet; choose something first")
        content = NoteContent(st.session_state[_NAME_KEY].strip() or title_of_place(place))
        if any(note.title.casefold() == content.title.casefold() for note in list_questions(store, page)):
            raise InvalidError(f"{content.title!r} is saved already; choose it in the list to replace it")
        return f"Saved: {store.add(place, content).title}"

    _tell_outcome(save)


def _rename_question(store: NoteStore, note: Note, key: str) -> None:
    def rename() -> str:
        changed = store.change(note, replace(note.content, title=st.session_state[key]))
        return f"{note.title} is now called {changed.title}."

    _tell_outcome(rename)


def _replace_question(store: NoteStore, note: Note) -> None:
    def replace_place() -> str:
        place = read_shown_place(note.page, _READER_KEY)
        if place is None:
            raise InvalidError("this page shows nothing to save yet; choose something first")
        return f"Replaced: {store.change(note, note.content, place).title}"

    _tell_outcome(replace_place)


def _delete_question(store: NoteStore, note: Note) -> None:
    def delete() -> str:
        store.remove(note)
        return f"Deleted: {note.title}"

    _tell_outcome(delete)


def _tell_outcome(action: Callable[[], str]) -> None:
    """Do something and tell its outcome, or why it failed."""
    try:
        st.toast(escape_markdown(action()), icon=":material/bookmark_added:")
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")
