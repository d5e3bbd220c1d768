"""Studies to give away: one HTML file of the notes that were found, or of what a page shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.background_work import BackgroundWork, find_or_start_work, show_work_progress
from engine.errors import GameError
from pipelines.design.text_limits import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from pipelines.notes.note import NoteContent
from pipelines.notes.places import title_of_place
from pipelines.report import wording
from pipelines.report.wording import hide_folders
from pipelines.runs.names import run_name_from_text
from pipelines.studies.items import MAX_ITEMS, StudyItem, find_note_items, iter_sections, make_study
from pipelines.studies.page import write_study
from pipelines.studies.sources import StudySource
from pipelines.studies.study import Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.notes.note import Note, NotePlace
    from pipelines.notes.store import NoteFilter, NoteStore

_ASKED_KEY: Final = "study-asked"
"""State of the session: the title and the text of the study that the visitor has asked for."""


class StudyProgress(NamedTuple):
    """How many sections of a study are made; the page once all are."""

    done: int
    total: int
    page: str = ""


def show_study_form(store: NoteStore, wanted: NoteFilter, total: int) -> None:
    """Show the button that makes a study of the notes that were found; behind it also its progress and its download."""
    with st.popover("Make a study", disabled=not total, help="One file to give away, which needs no server"):
        _ask_about_study(total)
        _show_study_work(store, wanted)


def _ask_about_study(total: int) -> None:
    with st.form("study-form", border=False):
        st.text_input("Title", key="study-title", placeholder="A study", max_chars=MAX_TITLE_CHARACTERS)
        st.text_area(
            "Introduction",
            key="study-text",
            placeholder="What is it about?",
            max_chars=MAX_TEXT_CHARACTERS,
            height=100,
        )
        if total > MAX_ITEMS:
            st.caption(f"A study has at most {MAX_ITEMS} notes. Narrow the search first.")
        st.form_submit_button(
            f"Make a study of {wording.format_count(total, 'note')}",
            type="primary",
            on_click=_ask_for_study,
            disabled=total > MAX_ITEMS,
        )


def _ask_for_study() -> None:
    st.session_state[_ASKED_KEY] = (st.session_state["study-title"].strip(), st.session_state["study-text"])


def _show_study_work(store: NoteStore, wanted: NoteFilter) -> None:
    """Make the study that the visitor has asked for; show how far it is, and at the end its download."""
    asked: tuple[str, str] | None = st.session_state.get(_ASKED_KEY)
    items = find_note_items(store, wanted) if asked else []
    if asked is None or not items:
        return
    title, text = asked

    def iter_progress(stopped: Callable[[], bool]) -> Iterator[StudyProgress]:
        source, sections = StudySource(cached.dashboard_library()), []
        for section in iter_sections(source, items):
            sections.append(section)
            yield StudyProgress(len(sections), len(items))
            if stopped():
                return
        page = write_study(make_study(sections, title=title, text=text))
        yield StudyProgress(len(items), len(items), page)

    notes = tuple((item.note.note_id, item.note.version) for item in items if item.note)
    work: BackgroundWork[StudyProgress] = find_or_start_work(
        st.session_state, "study-work", (title, text, notes), iter_progress
    )
    work.wait(0.5)
    show_work_progress(
        work,
        at_first="Making the study …",
        headline=lambda latest: _show_download(latest.page, title or "A study") if latest.page else None,
        progress=lambda latest: (latest.done / latest.total, f"{latest.done} of {latest.total} notes"),
        details=lambda _: None,
    )


def _show_download(page: str, title: str, key: str = "study-download") -> None:
    size = wording.format_bytes(len(page.encode()))
    st.download_button(
        f"Download the study ({size})",
        page,
        f"{run_name_from_text(title, 'study')}.html",
        "text/html",
        type="primary",
        on_click="ignore",
        key=key,
    )


def show_page_study(place: NotePlace, typed: NoteContent, kept: Note | None) -> None:
    """Make a study of what a page shows with what was typed, or else with the note that is kept; show its download."""
    is_empty = typed == NoteContent(title_of_place(place))
    content = kept.content if kept and is_empty else typed
    with st.spinner("Making the study …"):
        page = write_page_study(place, content)
    _show_download(page, content.title, key="page-study")


def write_page_study(place: NotePlace, content: NoteContent | None = None) -> str:
    """Return the study of what a page shows with what a person wrote about it.

    If there is nothing to show, the study says why.
    """
    source, content = StudySource(cached.dashboard_library()), content or NoteContent(title_of_place(place))
    try:
        (section,) = iter_sections(source, [StudyItem(place.page, place.address)])
    except GameError as error:
        section = Section(place.kind, title_of_place(place), problem=hide_folders(str(error)))
    is_own_title = content.title != title_of_place(place)
    title = content.title if is_own_title else section.title
    return write_study(make_study([replace(section, title=title, text=content.text, tags=content.tags)]))
