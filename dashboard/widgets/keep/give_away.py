"""The button *Give away*: one HTML file of what a page shows, or of the notes that were found, and behind it other forms.

A page offers other forms of what it shows, such as CSV, while it is drawn (`offer_form`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard import cached
from dashboard.widgets import markdown
from dashboard.widgets.background_work import show_work_progress
from dashboard.widgets.keep.shown_address import read_shown_place, show_address_reader
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.limits import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work
from pipelines.notes.note import NoteContent, NotePlace, is_default_title, title_of_place
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import format_path
from pipelines.report import wording
from pipelines.runs.names import run_name_from_text
from pipelines.studies import study

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer
    from streamlit.elements.lib.mutable_popover_container import PopoverContainer


HELP: Final = "One file that needs no server, with your title and your note"
_KEY: Final = "give-away"
_ADDRESS_KEY: Final = "give-away-address"
_TURNS_SLOT: Final = "give-away-turns"
"""The session state counts here how many files this visitor has asked for."""
_ASKED_SLOT: Final = "give-away-asked"
"""Title, text and turn of the study of notes that the visitor has asked for."""


class StudyProgress(NamedTuple):
    """How many sections of a study are made; the page once all are."""

    done: int
    total: int
    page: str = ""


def show_give_away_button(page: str) -> None:
    """Show the button, with the title, the note and the other forms behind it, which are built when it is opened."""
    menu = _show_menu()
    if not menu.open:
        return
    with menu, st.container(key="give-away-menu"):
        st.caption("One HTML file of what you see, which opens anywhere and loads nothing.")
        title, text, is_asked = _ask_words("as kept or shown here", "Give away")
        place = read_shown_place(page, _ADDRESS_KEY)
        if place is None:
            st.caption("This page shows nothing to give away yet. Choose something first.")
        else:
            if is_asked:
                give_away_place(place, title, text, _KEY)
            with st.expander("Other forms"):
                show_other_forms()
                st.markdown("Link for people who use this dashboard")
                markdown.show_verbatim(f"{st.context.url or ''}".split("?")[0] + _query_of(place))
                st.markdown("The same in a terminal; `--csv` and `--json` are for other programs")
                markdown.show_verbatim(f"reroll ask {shlex.quote(format_path(place.page, place.address))}")
        show_address_reader(_ADDRESS_KEY)


def _show_menu(*, is_disabled: bool = False) -> PopoverContainer:
    return st.popover(
        "Give away", icon=":material/ios_share:", help=HELP, key=_KEY, on_change="rerun", disabled=is_disabled
    )


def _query_of(place: NotePlace) -> str:
    """Return the query of a place, with its question mark."""
    return format_path(place.page, place.address).removeprefix(f"/{place.page}")


def _ask_words(default_title: str, label: str, *, is_disabled: bool = False) -> tuple[str, str, bool]:
    """Show the form of a file; return its title and text, and whether the visitor asks for it now."""
    with st.form(f"{_KEY}-form", border=False):
        title = st.text_input(
            "Title",
            key=f"{_KEY}-title",
            placeholder=f"By default, {default_title}",
            max_chars=MAX_TITLE_CHARACTERS,
        )
        text = st.text_area(
            "Note",
            key=f"{_KEY}-text",
            placeholder="What should others see?",
            max_chars=MAX_TEXT_CHARACTERS,
            height=100,
        )
        is_asked = st.form_submit_button(label, type="primary", disabled=is_disabled)
    return title.strip(), text.strip(), is_asked


def give_away_place(place: NotePlace, title: str, text: str, key: str) -> None:
    """Offer a file of what a place shows as a download. An empty title or text is replaced by that of the note kept for this place."""
    note = NoteStore(cached.dashboard_library().folder).find_at(place)
    default = note.content if note else NoteContent(title_of_place(place, cached.all_runs()))
    content = replace(default, title=title or default.title, text=text or default.text)
    try:
        with st.spinner("Making the file …"):
            page = write_page_study(place, content)
    except GameError as error:
        st.info(escape_markdown(wording.hide_folders(str(error))))
        return
    _hand_out(page, content.title, f"{key}-file", _count_turn())


def write_page_study(place: NotePlace, content: NoteContent) -> str:
    """Return the study of what a page shows with what a person wrote about it. Raises a GameError if it shows nothing."""
    source = study.StudySource(cached.dashboard_library())
    (section,) = study.iter_sections(source, [study.StudyItem(place.page, place.address)])
    title = "" if is_default_title(content.title, place, cached.all_runs()) else content.title
    return study.write_study(study.make_study([study.add_words(section, title, content.text)]))


def _count_turn() -> int:
    turn: int = st.session_state.get(_TURNS_SLOT, 0) + 1
    st.session_state[_TURNS_SLOT] = turn
    return turn


def _hand_out(page: str, title: str, key: str, turn: int) -> None:
    """Let the browser take a file, once for each turn; a button gives it once more."""
    name = f"{run_name_from_text(title, 'study')}.html"
    st.caption("The file is among your downloads. The button gives it once more.")
    st.download_button(
        f"{name} ({wording.format_bytes(len(page.encode()))})",
        page,
        name,
        "text/html",
        icon=":material/draft:",
        on_click="ignore",
        key=key,
    )
    _hand_out_renderer()(key=f"{key}-script", data={"target": key, "turn": turn}, height="content")


@cache
def _hand_out_renderer() -> ComponentRenderer:
    script = files(__package__).joinpath("hand_out.js").read_text(encoding="utf-8")
    return st.components.v2.component("reroll_hand_out", js=script)


def show_notes_give_away(store: NoteStore, note_filter: NoteFilter, total: int) -> None:
    """Show the button for the notes that were found, in their order; behind it also how far the file is."""
    menu = _show_menu(is_disabled=not total)
    if not menu.open or not total:
        return
    with menu, st.container(key="give-away-menu"):
        if total > study.MAX_ITEMS:
            st.caption(f"A file has at most {study.MAX_ITEMS} notes. Narrow the search first.")
        name = note_filter.collection or ""
        title, text, is_asked = _ask_words(
            name or "the title of the first note",
            f"Give away {wording.format_count(total, 'note')}",
            is_disabled=total > study.MAX_ITEMS,
        )
        if is_asked:
            st.session_state[_ASKED_SLOT] = (title or name, text, _count_turn())
        if _ASKED_SLOT in st.session_state:
            _show_study_work(store, note_filter)
        with st.expander("Other forms"):
            show_other_forms()


def _show_study_work(store: NoteStore, note_filter: NoteFilter) -> None:
    """Make the study that the visitor has asked for; show how far it is, and at the end hand it out."""
    title, text, turn = st.session_state[_ASKED_SLOT]
    items = study.find_note_items(store, note_filter)

    def iter_progress(stopped: Callable[[], bool]) -> Iterator[StudyProgress]:
        source, sections = study.StudySource(cached.dashboard_library()), []
        for section in study.iter_sections(source, items):
            sections.append(section)
            yield StudyProgress(len(sections), len(items))
            if stopped():
                return
        page = study.write_study(study.make_study(sections, title=title, text=text))
        yield StudyProgress(len(items), len(items), page)

    notes = tuple((item.note.note_id, item.note.version) for item in items if item.note)
    work: BackgroundWork[StudyProgress] = find_or_start_work(
        st.session_state, "study-work", (title, text, turn, notes), iter_progress
    )
    work.wait(0.5)
    show_work_progress(
        work,
        at_first="Making the file …",
        headline=lambda latest: _hand_out(latest.page, title, f"{_KEY}-file", turn) if latest.page else None,
        progress=lambda latest: (latest.done / latest.total, f"{latest.done} of {latest.total} notes"),
        details=lambda _: None,
    )


_SLOT: Final = "other-forms"


class OtherForm(NamedTuple):
    """A file that a page can write."""

    content: str
    """What is in it. Forms of the same thing are offered one after another."""
    label: str
    """The name of the format."""
    write: Callable[[], str | bytes]
    """Called without a page, when somebody wants the file."""
    file: str
    mime: str


def forget_other_forms() -> None:
    """Forget what a page has offered, before it is drawn again or another page is."""
    st.session_state[_SLOT] = {}


def offer_form(form: OtherForm) -> None:
    """Offer a file; of two with the same name the later one counts."""
    st.session_state.setdefault(_SLOT, {})[form.file] = form


def show_other_forms() -> None:
    """Show a button for each file that the page has offered."""
    offered: dict[str, OtherForm] = st.session_state.get(_SLOT, {})
    for content, forms in groupby(offered.values(), key=lambda form: form.content):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(escape_markdown(content))
            for form in forms:
                st.download_button(
                    form.label, form.write, form.file, form.mime, on_click="ignore", key=f"form-{form.file}"
                )
