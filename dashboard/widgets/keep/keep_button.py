"""The button *Keep* at the top of a page, the form that keeps a run or gives it away, and the fields of a note.

The address of a page says all that it shows, so a note of it keeps that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from dashboard.widgets.labels import STAR
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.limits import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from pipelines.notes.note import (
    MAX_LABELS,
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
from pipelines.questions.address import Address, format_path
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.questions.every_question import QUESTIONS, read_question
from pipelines.questions.game import GameQuestion
from pipelines.questions.whatif import WhatifQuestion
from pipelines.report import wording
from pipelines.report.estimates import says_sentence, set_sentence

if TYPE_CHECKING:
    from pipelines.runs.run import Run

NOTES_SHOWN: Final = 20
"""Notes that the button lists."""
MOST_TEXT: Final = 200
"""Characters of the text of a note in this list."""
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
_KEPT_SLOT: Final = "kept-notes"
"""The session state counts here the notes that were kept: each closes the menu, because a new one takes its place."""


def show_keep_button(page: str) -> None:
    """Show the button, with the fields of a note behind it and links to the newest notes of this page or of the shown run."""
    store = NoteStore(cached.dashboard_library().folder)
    place = place_of_address(page, read_known_address(), cached.all_runs())
    run_key = place.run_key if place and page == GameQuestion.page else None
    note_filter = NoteFilter(run_key=run_key) if run_key else NoteFilter(page=page)
    kept_notes = store.search(note_filter, limit=NOTES_SHOWN)
    with (
        st.popover(
            f"Keep · {wording.format_count(kept_notes.total, 'note')}" if kept_notes.total else "Keep",
            icon=":material/bookmark_add:",
            help="Keep a note that leads back to exactly what this page shows, or open what you have kept",
            key=f"keep-menu-{st.session_state.get(_KEPT_SLOT, 0)}",
        ),
        st.container(key="keep-fields"),
    ):
        with st.form("keep", border=False):
            show_note_fields(store, "keep")
            st.form_submit_button(
                "Keep", type="primary", on_click=_keep_place, args=("keep", partial(_find_shown_place, page))
            )
        show_address_reader(_ADDRESS_KEY)
        if kept_notes.notes:
            names = names_by_key(cached.all_runs()) if any(note.run_key for note in kept_notes.notes) else {}
            subject = "run" if run_key else "page"
            st.html(
                f'{LIST_STYLE}<p class="kept">Kept of this {subject}, the newest first</p>'
                f"{write_note_links(kept_notes.notes, names)}"
            )
            hidden = kept_notes.total - len(kept_notes.notes)
            st.page_link(
                "views/notes.py", label=f"All your notes, {hidden:,} more" if hidden else "All your notes"
            )


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
        about = escape(
            " · ".join([*parts, *note.tags, *filter(None, [shorten(note.text, MOST_TEXT, placeholder=" …")])])
        )
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
    return None if place is None else (place, title_of_place(place, cached.all_runs()))


def _keep_place(key: str, find_place: Callable[[], tuple[NotePlace, str] | None]) -> None:
    """Save a note with what is in the fields, and empty them."""
    titled_place = find_place()
    if titled_place is None:
        st.toast("This page shows nothing to keep yet. Choose something first.", icon=":material/info:")
        return
    place, title = titled_place
    store = NoteStore(cached.dashboard_library().folder)
    try:
        content, earlier = read_note_fields(key, title), store.find_at(place)
        text, answer = content.text.strip(), write_shown_answer(place)
        if place.page == WhatifQuestion.page:
            answer = answer or read_told_answer(_ADDRESS_KEY)
        content = replace(content, text=text if answer in text else f"{text}\n{answer}".strip())
        is_kept = earlier is not None and earlier.content == content
        note = earlier if earlier and is_kept else store.add(place, content)
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")
        return
    st.toast(f"Kept in [Notes](notes): {escape_markdown(note.title)}", icon=":material/bookmark_added:")
    st.session_state[_KEPT_SLOT] = st.session_state.get(_KEPT_SLOT, 0) + 1
    clear_note_fields(key)


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
