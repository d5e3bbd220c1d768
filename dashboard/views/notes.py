"""The page Notes: everything that was kept, with one search over all of it, pictures, and all notes that were found as a document.

The address holds the filters.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard import cached
from dashboard.cached import read_listed_sheet
from dashboard.pages import PAGES
from dashboard.widgets import markdown
from dashboard.widgets.address import (
    invite_to_simulate,
    read_page_question,
    show_address_problems,
    show_link,
)
from dashboard.widgets.board import last_position, read_position, show_board
from dashboard.widgets.components import script_renderer
from dashboard.widgets.focus import request_focus, show_when_requested
from dashboard.widgets.keep.give_away import OtherForm, offer_form, show_notes_give_away
from dashboard.widgets.keep.keep_button import STAR, read_note_fields, show_note_fields
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.review_all import ask_lesson_slips, find_run_for_lessons, offer_lessons
from engine import games
from engine.errors import GameError
from engine.file_limits import decode_text
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.notes.note import (
    KIND_NAMES,
    NOTE_KINDS,
    Note,
    NoteListQuestion,
    current_address,
    describe_kind,
    find_shown_title,
    names_by_key,
)
from pipelines.notes.store import EditConflictError, NoteFilter, NoteStore
from pipelines.play import continue_game
from pipelines.questions.address import read_fields
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.questions.every_question import read_question
from pipelines.questions.game import START_PLY, GameQuestion
from pipelines.questions.hand_game import HandGameQuestion, prepare_hand_game
from pipelines.questions.rules import RulesetQuestion
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.whatif import WhatifQuestion
from pipelines.report import wording
from pipelines.report.charts import Histogram
from pipelines.report.estimates import says_sentence
from pipelines.report.show.html import draw_thumbnail
from pipelines.service.demo import COLLECTION
from pipelines.studies.study import MAX_ITEMS

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.questions.address import Address

LESSON_FILES: Final = [
    Path(__file__).parents[1] / "widgets" / f"solved_lessons.{end}" for end in ("js", "css")
]
FILTER_WIDTH_PX: Final = 170
_UNFILTERED: Final[Mapping[str, object]] = {"words": "", "kinds": [], "collection": None, "favourites": False}
"""The values of all filters, by the key of their field, that leave out nothing."""


def show_note_filters(store: NoteStore) -> NoteFilter:
    """Show the filters in one row, and what in the address no note can have; return what they choose."""
    question, problems = read_page_question(NoteListQuestion)
    collections = list(store.collections())
    show_address_problems([*problems, *question.find_problems(collections)])
    with st.container(horizontal=True, vertical_alignment="center", key="note-filters"):
        words = st.text_input(
            "Search", key="words", bind="query-params", placeholder="Search", label_visibility="collapsed"
        )
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="note-choices"):
            note_filter = _show_choices(collections)
    return replace(note_filter, words=words)


def _show_choices(collections: Sequence[str]) -> NoteFilter:
    """Show the choices; those of collections only if there are any."""
    kinds = st.multiselect(
        "Kinds",
        NOTE_KINDS,
        format_func=KIND_NAMES.__getitem__,
        key="kinds",
        bind="query-params",
        placeholder="All kinds",
        label_visibility="collapsed",
        width=FILTER_WIDTH_PX,
        select_all=False,
    )
    collection = (
        st.selectbox(
            "Collection",
            collections,
            index=None,
            key="collection",
            bind="query-params",
            placeholder="All collections",
            label_visibility="collapsed",
            width=FILTER_WIDTH_PX,
        )
        if collections
        else None
    )
    only_favourites = st.toggle("★ Starred", key="favourites", bind="query-params")
    return NoteFilter(kinds=tuple(kinds), collection=collection, only_favourites=only_favourites)


def clear_note_filters() -> None:
    """Set all filters back, in a callback: every note fits."""
    for key, value in _UNFILTERED.items():
        st.session_state[key] = value


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

    `names` are the names of the runs by `pipelines.notes.note.names_by_key`.
    """
    refused = st.session_state.pop(REFUSED_KEY, None)
    if refused:
        message, text = refused
        st.warning(escape_markdown(message))
        if text:
            st.caption("Your text, which was not saved:")
            markdown.show_verbatim(text)
    is_ordered = collection is not None and len(notes) > 1
    with st.container(key="chapters") if is_ordered else nullcontext():
        for place, note in enumerate(notes):
            chapter = Chapter(collection or "", place, place == len(notes) - 1) if is_ordered else None
            _show_note(store, note, names, chapter)
    for note in notes if is_ordered else ():
        for step in _STEPS:
            show_when_requested(f"{step.lower()}-{note.note_id}")


def show_lesson_sets(store: NoteStore, sets: Sequence[str], names: Mapping[str, Sequence[str]]) -> None:
    """Show each collection of lessons as one row, whose title opens the list of them."""
    for number, collection in enumerate(sets):
        with st.container(border=True, horizontal=True, key=f"lessons-of-{number}"):
            st.button(
                f"**{escape_markdown(collection)}**",
                key=f"open-lessons-{number}",
                type="tertiary",
                icon=":material/school:",
                on_click=st.session_state.update,
                args=({"collection": collection},),
            )
            notes = store.search(NoteFilter(collection=collection), limit=MAX_ITEMS).notes
            offer_next_lesson(collection, notes, names)


def offer_next_lesson(collection: str, notes: Sequence[Note], names: Mapping[str, Sequence[str]]) -> None:
    """Say how many lessons of a collection this browser has solved, and lead to the first of the others."""
    addresses = [address for note in notes if (address := current_address(note, names)) is not None]
    questions = [read_fields(GameQuestion, address)[0] for address in addresses]
    keys = [f"{question.run} {question.game} {question.ply}" for question in questions]
    if not keys:
        return
    chosen = script_renderer(*LESSON_FILES)(
        key=f"solved-{collection}",
        data={"collection": collection, "lessons": keys},
        on_chosen_change=lambda: None,
        width="content",
        height="content",
    ).chosen
    if isinstance(chosen, int) and 0 <= chosen < len(addresses):
        st.switch_page("views/replay.py", query_params=addresses[chosen])


def _show_note(
    store: NoteStore, note: Note, names: Mapping[str, Sequence[str]], chapter: Chapter | None
) -> None:
    """Show a note as a card. The link of its title covers the whole card; the style puts its parts into place."""
    with st.container(border=True, key=f"note-card-{note.note_id}"):
        address = current_address(note, names)
        is_here = address is not None and note.page in _PAGE_SCRIPTS
        title = find_shown_title(note, address, cached.all_runs())
        _show_title(note, title, address if is_here else None)
        parts = [
            f"Chapter {chapter.place + 1}" if chapter else "",
            *describe_kind(note, address, title, cached.all_runs()),
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
        collection = chapter.collection if chapter else ""
        labels = [f":gray-badge[{escape_markdown(name)}]" for name in note.collections if name != collection]
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
        st.checkbox(
            "Star",
            note.is_favourite,
            key=f"{key}-favourite",
            help="`reroll publish` shows the notes with a star",
        )
        if note.kind == "ply":
            st.checkbox(
                "Lesson",
                note.is_lesson,
                key=f"{key}-lesson",
                help="The board hides the move and asks for a better one",
            )
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
        content = read_note_fields(key, note)
        place = note.place_as_lesson(is_lesson=st.session_state.get(f"{key}-lesson", note.is_lesson))
        store.change(note, replace(content, is_favourite=st.session_state[f"{key}-favourite"]), place)
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


BOARD_HEIGHT_PX: Final = 160
UNREADABLE: Final = (*cached.QUERY_ERRORS, OSError, cached.PreparationError)
"""Why a note has no picture now. The page to which it leads says what is wrong."""


class ChartAnswer(NamedTuple):
    """The sentence of an answer, and its chart if that says something without its texts."""

    sentence: str
    chart: Histogram | None = None


def show_note_picture(note_id: str, title: str, page: str, address: Address) -> str:
    """Show the picture of what an address leads to, and return the sentence of its answer.

    Without a picture, or if it cannot be read, it shows nothing; without a sentence, the text is empty.
    """
    try:
        scene = _find_scene(page, address)
        answer = None if scene else _find_answer(page, address)
    except UNREADABLE:
        return ""
    drawing = draw_thumbnail(answer.chart) if answer and answer.chart else ""
    if scene or drawing:
        _show_picture(note_id, title, scene, drawing)
    return answer.sentence if answer else ""


def _show_picture(note_id: str, title: str, scene: Scene | None, drawing: str) -> None:
    with st.container(key=f"note-picture-{note_id}"):
        if scene:
            show_board(scene, key=f"picture-{note_id}", label=f"{title}:", size=BOARD_HEIGHT_PX)
        else:
            data = b64encode(drawing.encode()).decode()
            st.html(f'<img alt="{escape(f"{title}: the chart")}" src="data:image/svg+xml;base64,{data}">')


def _find_scene(page: str, address: Address) -> Scene | None:
    """Return the position or the empty board that an address leads to; None if it leads to no board.

    Raises a GameError if the game or the ruleset cannot be read.
    """
    library, question = cached.dashboard_library(), read_question(page, address).question
    match question:
        case (
            GameQuestion(run=name, game=number, ply=ply) | WhatifQuestion(run=name, game=number, ply=ply)
        ) if name:
            is_lesson = isinstance(question, GameQuestion) and question.is_lesson
            return read_position(
                library.run(name), number, None if ply == START_PLY else ply, is_before=is_lesson
            )
        case HandGameQuestion(seats=text) if text:
            game = continue_game(prepare_hand_game(question, library), question.moves)
            ruleset = game.setup.ruleset
            return last_position(games.find_game(ruleset.game).scene(ruleset, game.actions))
        case RulesetQuestion(ruleset=name) | SimulationQuestion(ruleset=name) if (
            name in library.catalogue.rulesets
        ):
            return last_position(cached.printed_components(library.catalogue.rulesets[name])[0])
    return None


def _find_answer(page: str, address: Address) -> ChartAnswer | None:
    """Return the answer of a comparison or of a distribution of scores; None for other questions.

    Raises one of the errors of `UNREADABLE` if the runs cannot be read now.
    """
    match read_question(page, address).question:
        case KnownComparisonQuestion() as question:
            run = cached.dashboard_library().run(question.run)
            sheet = read_listed_sheet(run, question.metric)
            return ChartAnswer(sheet.verdict) if sheet else None
        case ScoresQuestion(view="Scores") as question:
            sheet = cached.compose_sheet(answer_scores(question, cached.question_source()))
            for spread in sheet.list_contents(Histogram):
                return ChartAnswer(sheet.verdict, spread)
    return None


MAX_UPLOAD_MEGABYTES: Final = 100
MAX_NOTES_WRITTEN: Final = 1_000_000


def offer_notes(store: NoteStore, note_filter: NoteFilter) -> None:
    """Offer the notes that fit as a file for another library."""

    def write_notes() -> str:
        notes = store.search(note_filter, limit=MAX_NOTES_WRITTEN).notes
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
            notes, orders = parse_notes(decode_text(file.getvalue()))
            saved = store.merge(notes, orders)
        except GameError as error:
            st.error(escape_markdown(str(error)))
        else:
            st.success(f"{wording.format_count(saved, 'note')} of {len(notes):,} added or renewed.")


NOTES_SHOWN: Final = 40

library = cached.dashboard_library()
store = NoteStore(library.folder)

title = st.container()
show_removed_note(store)
runs = library.runs()
if not runs:
    title.title("Notes")
    invite_to_simulate()
elif not (note_count := store.search(NoteFilter(), limit=1).total):
    title.title("Notes")
    st.info(
        "Nothing is kept yet. Open a game, a comparison or a chart and press **Keep** at the top: the note leads back to "
        "exactly what the page showed."
    )
    with st.container(horizontal=True):
        st.page_link("views/replay.py", label="Open a game", icon=":material/play_circle:")
        st.page_link("views/strategies.py", label="Open a comparison", icon=":material/balance:")
        st.page_link("views/scores.py", label="Open a chart", icon=":material/bar_chart:")
    show_note_upload(store)
else:
    with st.container(key="notes-page"):
        note_filter = show_note_filters(store)
        title.title(escape_markdown(note_filter.collection or "Notes"))
        with st.container(key="notes-found"):
            names = names_by_key(runs)
            sets = store.lesson_collections()
            is_collection = note_filter == NoteFilter(collection=note_filter.collection)
            shown_sets = sets if note_filter == NoteFilter() else []
            found_notes = store.search(
                replace(note_filter, outside=tuple(shown_sets)),
                limit=MAX_ITEMS if is_collection else NOTES_SHOWN,
            )
            own_notes = [note for note in found_notes.notes if note.collections != (COLLECTION,)]
            hidden = found_notes.total - len(found_notes.notes)
            if found_notes.notes:
                count = wording.format_count(found_notes.total, "note")
                if hidden:
                    count += (
                        f"; the first {len(found_notes.notes)} are shown, narrow the search to see others"
                    )
                elif is_collection and note_filter.collection and found_notes.total > 1:
                    count += ", the chapters of a study. The arrows change their order."
                elif is_collection and not own_notes:
                    count += " of the examples. *Keep* on a page adds your own."
                st.caption(count)
            elif not shown_sets:
                st.info("No note fits the search and the filters.")
                st.button("Show all notes", on_click=clear_note_filters)
            if note_filter.collection in sets and is_collection:
                offer_next_lesson(note_filter.collection, found_notes.notes, names)
            if shown_sets:
                show_note_list(store, own_notes, names)
                show_lesson_sets(store, shown_sets, names)
            if note_filter == NoteFilter():
                with st.container(horizontal=True, vertical_alignment="center", key="new-lessons"):
                    words = "A lesson shows a position with a clear slip: find a better move."
                    if reviewed := find_run_for_lessons(store, runs):
                        offer_lessons(reviewed, (), ())
                        words += f" These come from {wording.format_run_title(reviewed.summary)}."
                    else:
                        show_link(
                            ask_lesson_slips(runs), "Make lessons from a reviewed run", ":material/school:"
                        )
                    st.caption(escape_markdown(words), width="content")
            rest = [note for note in found_notes.notes if not shown_sets or note not in own_notes]
            show_note_list(store, rest, names, note_filter.collection if is_collection else None)
            show_note_upload(store)

    offer_notes(store, note_filter)
    with st.container(key="keep-row"):
        show_notes_give_away(store, note_filter, note_count if shown_sets else found_notes.total)
