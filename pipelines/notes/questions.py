"""Queries in SQL that are kept as notes, found by their titles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError, unknown_name_error
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteFilter
from pipelines.questions.address import read_fields, write_address
from pipelines.questions.sql import SqlQuestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.notes.note import Note
    from pipelines.notes.store import NoteStore

MAX_QUESTIONS_SEARCHED: Final = 10_000


def list_questions(store: NoteStore, page: str) -> list[Note]:
    """Return the notes of a page, those changed last first."""
    return list(store.search(NoteFilter(page=page), most=MAX_QUESTIONS_SEARCHED).notes)


def find_question(store: NoteStore, name: str) -> Note:
    """Return a kept query by its title, or by its id or the beginning of it.

    Raises InvalidError if there is not exactly one.
    """
    questions = list_questions(store, SqlQuestion.page)
    found = _with_title(questions, name) or [
        note for note in questions if len(name) >= 4 and note.note_id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(note.note_id[:8] for note in found[:5])
        raise InvalidError(
            f"{len(found)} kept questions are named {name[:80]!r}; use one of their ids: {ids}"
        )
    raise unknown_name_error("kept question", name[:80], dict.fromkeys(note.title for note in questions))


def save_question(
    store: NoteStore, name: str, query: SqlQuestion, run_key: str | None = None
) -> tuple[Note, bool]:
    """Keep a query under a name; return its note, and whether it replaces an earlier query of this name.

    A query without a chart keeps the chart of the earlier one. `run_key` is the key of the only run that the query reads
    (`pipelines.notes.note.run_key`), if it reads only one.
    Raises InvalidError if several queries have the name, and EditConflictError if somebody changes the earlier one meanwhile.
    """
    content = NoteContent(name)
    earlier = _with_title(list_questions(store, SqlQuestion.page), content.title)
    if not earlier:
        return store.add(
            NotePlace("question", SqlQuestion.page, write_address(query), run_key), content
        ), False
    note = find_question(store, content.title)
    before, _ = read_fields(SqlQuestion, note.address)
    drawn = query if query.chart else query.draw_as(before)
    place = NotePlace("question", SqlQuestion.page, write_address(drawn), run_key)
    kept = NoteContent(note.title, note.text, note.tags, note.collections, is_favourite=note.is_favourite)
    return store.change(note, kept, place), True


def _with_title(notes: Sequence[Note], title: str) -> list[Note]:
    wanted = " ".join(title.split()).casefold()
    return [note for note in notes if note.title.casefold() == wanted]
