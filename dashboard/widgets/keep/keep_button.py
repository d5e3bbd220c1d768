"""The button *Keep* at the top of a page, which keeps at once what the page shows, and the fields of a note.

The address of a page says all that it shows, so a note of it keeps that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from textwrap import shorten
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.cached import write_comparison_verdict
from dashboard.pages import FIRST_PAGE
from dashboard.widgets.address import read_known_address
from dashboard.widgets.keep.give_away import HELP, give_away_place
from dashboard.widgets.keep.shown_address import (
    read_shown_place,
    read_told_answer,
    show_address_reader,
    write_shown_answer,
)
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.limits import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from pipelines.notes.note import (
    MAX_COLLECTIONS,
    Note,
    NoteContent,
    NotePlace,
    current_address,
    find_shown_title,
    names_by_key,
    place_of_address,
    place_of_run,
    title_of_place,
)
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import Address, format_path, read_fields
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.questions.every_question import QUESTIONS, read_question
from pipelines.questions.game import GameQuestion
from pipelines.report import wording
from pipelines.report.estimates import says_sentence, set_sentence

if TYPE_CHECKING:
    from pipelines.runs.run import Run

STAR: Final = "★"
MOST_TEXT: Final = 200
"""Characters of the text of a note in the list of the others."""
MAX_NOTES_OF_RUN: Final = 1_000
"""Of this number of a run, those of a game are counted."""
LIST_STYLE: Final = """<style>
p.kept { margin: 0; opacity: 0.74; font-size: 0.875rem; }
ul.kept { list-style: none; margin: 0; padding: 0 !important; max-height: 16rem; overflow-y: auto; }
ul.kept li { padding: 0.35rem 0 !important; margin: 0 !important; overflow-wrap: anywhere;
  border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
.kept a { color: inherit; }
.kept small { opacity: 0.74; }
@media (pointer: coarse) { .kept a { display: inline-block; padding: 0.5rem 0; } }
</style>"""
PAGES_WITH_ANSWERS: Final = frozenset(kind.page for kind in QUESTIONS) - {FIRST_PAGE.script}
"""Pages whose address says what they show, so that it can be kept and given away."""
_ADDRESS_KEY: Final = "keep-address"
_MENU_KEY: Final = "keep-menu"
_COUNT_SLOT: Final = "keep-count"
"""The session state holds here the number of notes that the label of the menu says."""
_OPENED_SLOT: Final = "keep-opened"
"""The session state holds here the id of the note that the open menu shows; empty if the page shows nothing to keep."""
_NEW_SLOT: Final = "keep-new"
"""The session state holds here the id of the note that the last click has made."""


def show_keep_button(page: str) -> None:
    """Show the button with the number of notes of what the page shows. A click keeps that, if it is not kept yet, and opens the note."""
    store = NoteStore(cached.dashboard_library().folder)
    if not st.session_state.get(
        _MENU_KEY
    ):  # with another label an open menu would be another one, which is closed
        place = place_of_address(page, read_known_address(), cached.all_runs())
        st.session_state[_COUNT_SLOT] = len(_find_kept_notes(store, place))
    count = st.session_state.get(_COUNT_SLOT, 0)
    menu = st.popover(
        f"Keep · {wording.format_count(count, 'note')}" if count else "Keep",
        icon=f":material/{'bookmark_added' if count else 'bookmark_add'}:",
        help="Keep a note that leads back to exactly what this page shows",
        key=_MENU_KEY,
        on_change=lambda: st.session_state.pop(_OPENED_SLOT, None),
    )
    if not menu.open:
        return
    with menu, st.container(key="keep-fields"):
        opened = st.session_state.get(_OPENED_SLOT)
        if opened:
            _show_kept_note(store, opened)
        elif opened is not None:
            st.caption("This page shows nothing to keep yet. Choose something first.")
        show_address_reader(_ADDRESS_KEY, partial(_open_note, store, page) if opened is None else None)


def _find_kept_notes(store: NoteStore, place: NotePlace | None) -> Sequence[Note]:
    """Return the notes of a place, the newest first: of a game those of all its moves."""
    if place is None:
        return ()
    if place.page != GameQuestion.page:
        return store.search(NoteFilter(place=place)).notes
    note_filter = NoteFilter(page=place.page, run_key=place.run_key)
    game = read_fields(GameQuestion, place.address)[0].game
    notes = store.search(note_filter, limit=MAX_NOTES_OF_RUN).notes
    return [note for note in notes if read_fields(GameQuestion, note.address)[0].game == game]


def _open_note(store: NoteStore, page: str) -> None:
    """Keep what the browser shows, if it is not kept yet, and open its note."""
    place = read_shown_place(page, _ADDRESS_KEY)
    st.session_state[_OPENED_SLOT] = ""
    if place is None:
        return
    answer = write_shown_answer(place)
    if place.kind == "what-if":
        answer = answer or read_told_answer(_ADDRESS_KEY)
    note = _keep_place(store, place, title_of_place(place, cached.all_runs()), answer)
    st.session_state[_OPENED_SLOT] = note.note_id if note else ""


def _keep_place(store: NoteStore, place: NotePlace, title: str, text: str = "") -> Note | None:
    """Return the note of a place, which is made if it does not exist, or None, with a message, if that fails."""
    try:
        note = store.find_at(place)
        if note is None:
            note = store.add(place, NoteContent(title, text))
            st.session_state[_NEW_SLOT] = note.note_id
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")
        return None
    return note


def _show_kept_note(store: NoteStore, note_id: str) -> None:
    """Show the fields of a note, which are saved as they are changed, and links to other notes of the same game."""
    try:
        note = store.find(note_id)
    except GameError:  # it was removed elsewhere
        return
    key, place = f"keep-{note_id}", NotePlace(note.kind, note.page, note.address, note.run_key)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Kept**", width="stretch")
        if note_id == st.session_state.get(_NEW_SLOT):
            st.button("Undo", key="keep-undo", on_click=_undo, args=(store, note))
    show_note_fields(store, key, note, partial(_save_fields, store, note, key))
    if others := [other for other in _find_kept_notes(store, place) if other.note_id != note_id]:
        links = write_note_links(others, names_by_key(cached.all_runs()))
        st.html(f'{LIST_STYLE}<p class="kept">Also kept of this game</p>{links}')
    st.page_link("views/notes.py", label="All your notes")


def _undo(store: NoteStore, note: Note) -> None:
    """Remove a note that was just kept, and close the menu."""
    try:
        store.remove(note)
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")
    st.session_state[_MENU_KEY] = False


def _save_fields(store: NoteStore, note: Note, key: str) -> None:
    """Save what is in the fields of a note; if that fails, they keep it."""
    try:
        store.change(note, read_note_fields(key, note))
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")


def write_note_links(notes: Sequence[Note], names: Mapping[str, Sequence[str]]) -> str:
    """Return a list of links to what notes are about as HTML. `names` are the names of runs by key (`names_by_key`)."""
    rows = []
    for note in notes:
        address = current_address(note, names)
        title = escape(find_shown_title(note, address, cached.all_runs()))
        if address is not None:
            path = format_path(note.page, address).removeprefix("/")
            title = f'<a href="{escape(path)}">{title}</a>'
        parts = ["the run is no longer here"] if address is None else [_write_verdict(note, address)]
        parts = list(filter(None, parts))
        about = escape(" · ".join([*parts, *filter(None, [shorten(note.text, MOST_TEXT, placeholder=" …")])]))
        star = f"{STAR} " if note.is_favourite else ""
        rows.append(f"<li>{star}{title}{f'<br><small>{about}</small>' if about else ''}</li>")
    return f'<ul class="kept">{"".join(rows)}</ul>'


def _write_verdict(note: Note, address: Address) -> str:
    """Return the verdict of a comparison, unless a person has taken it into the text of the note; empty for other notes."""
    question = read_question(note.page, address).question
    run = next((run for run in cached.all_runs() if [run.name] == address.get("run")), None)
    if run is None or not isinstance(question, KnownComparisonQuestion):
        return ""
    verdict = write_comparison_verdict(run, question.metric)
    return "" if says_sentence(note.text, verdict) else set_sentence(verdict)


def show_run_buttons(run: Run) -> None:
    """Show the buttons that keep a whole run and give it away."""
    store, place = NoteStore(cached.dashboard_library().folder), place_of_run(run)
    try:
        note = store.find_at(place)
    except GameError:  # the page Notes says why
        return
    key, title = f"keep-run-{run.name}", wording.format_run_title(run.summary)[:MAX_TITLE_CHARACTERS].strip()

    def keep_run() -> None:
        _keep_place(store, place, title or run.name)

    with st.container(horizontal=True):
        if note and note.note_id == st.session_state.get(_NEW_SLOT):
            st.button("Undo keeping", key=key, on_click=_undo, args=(store, note))
        else:
            st.button(
                "Kept" if note else "Keep",
                icon=f":material/{'bookmark_added' if note else 'bookmark_add'}:",
                key=key,
                disabled=note is not None,
                on_click=keep_run,
            )
        is_given_away = st.button("Give away", icon=":material/ios_share:", help=HELP, key=f"{key}-give-away")
    if is_given_away:
        give_away_place(place, "", "", key)


COLLECTION_HELP: Final = (
    "A collection is a study with chapters: *Notes* puts them in your order and gives them away."
)


def show_note_fields(
    store: NoteStore, key: str, note: Note, on_change: Callable[[], None] | None = None
) -> None:
    """Show the fields of a note. `read_note_fields` reads them."""
    st.text_input(
        "Title", note.title, max_chars=MAX_TITLE_CHARACTERS, key=f"{key}-title", on_change=on_change
    )
    st.text_area(
        "Note",
        note.text,
        placeholder="What did you notice?",
        max_chars=MAX_TEXT_CHARACTERS,
        height=72,
        key=f"{key}-text",
        on_change=on_change,
    )
    st.multiselect(
        "Collections",
        sorted({*store.collections(), *note.collections}),
        list(note.collections),
        accept_new_options=True,
        max_selections=MAX_COLLECTIONS,
        placeholder="Choose or write",
        help=COLLECTION_HELP,
        key=f"{key}-collections",
        on_change=on_change,
        select_all=False,
    )


def read_note_fields(key: str, note: Note) -> NoteContent:
    """Return what is in the fields of a note. Raises InvalidError if it does not fit a note."""
    title, text, collections = (
        st.session_state[f"{key}-{name}"] for name in ("title", "text", "collections")
    )
    return NoteContent(title.strip() or note.title, text, tuple(collections), is_favourite=note.is_favourite)
