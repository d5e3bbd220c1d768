"""What a study is made of: things that a person names, and notes that a filter finds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import InvalidError
from pipelines.notes.places import place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import is_address, split_address
from pipelines.studies.page import Section, Study
from pipelines.studies.sections import compose_address, describe_note

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.notes.note import Note, NotePlace
    from pipelines.questions.address import Address
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource

MAX_ITEMS: Final = 200
_GAME_PATTERN: Final = re.compile(r"(?P<run>.+?)#(?P<game>[1-9]\d{0,8})(?::(?P<move>\d{1,6}))?", re.ASCII)
_NOTE_ID_PATTERN: Final = re.compile(r"[0-9a-f]{6,32}")


class StudyItem(NamedTuple):
    """One section to make: from a note, or from what an address shows."""

    page: str
    address: Address
    run: Run | None = None
    """The run under its current name, if the item is about one."""
    note: Note | None = None


def find_items(source: StudySource, wanted: Iterable[str], *, is_reviewed: bool = False) -> list[StudyItem]:
    """Return what a person names, in the order of the names.

    A name is an address of the dashboard, a run, a game as RUN#GAME or RUN#GAME:MOVE, a tag, a collection, or the
    beginning of the id of a note. `is_reviewed` adds a review to the games. Raises InvalidError for anything else.
    """
    return [item for text in wanted for item in _find_named_items(source, text, is_reviewed=is_reviewed)]


def _find_named_items(source: StudySource, text: str, *, is_reviewed: bool) -> list[StudyItem]:
    if is_address(text):
        return [StudyItem(*split_address(text))]
    names, library = {run.name: run for run in source.runs}, source.library
    if text in names or text.endswith(".duckdb") or library.has_unfinished_run(text):
        run = names.get(text) or library.run(text)
        return [_item_of_place(place_of_run(run), run)]
    matched = _GAME_PATTERN.fullmatch(text)
    name = matched["run"] if matched else ""
    if matched and (name in names or name.endswith(".duckdb") or library.has_unfinished_run(name)):
        run = names.get(name) or library.run(name)
        ply = int(matched["move"]) - 1 if matched["move"] else None
        place = place_of_game(run, int(matched["game"]) - 1, ply)
        item = _item_of_place(place, run)
        return [item._replace(address={**item.address, "review": ["1"]}) if is_reviewed else item]
    store = NoteStore(source.library.folder)
    for found in (NoteFilter(tags=(text,)), NoteFilter(collection=text)):
        if notes := find_note_items(store, found):
            return notes
    if _NOTE_ID_PATTERN.fullmatch(text):
        note = store.find(text)
        return [StudyItem(note.page, note.address, note=note)]
    raise InvalidError(
        f"there is no run, tag, collection or note {text[:60]!r}; `reroll ls` lists the runs and `reroll notes` the notes"
    )


def _item_of_place(place: NotePlace, run: Run) -> StudyItem:
    return StudyItem(place.page, place.address, run)


def find_note_items(store: NoteStore, wanted: NoteFilter) -> list[StudyItem]:
    """Return the notes that fit: those of a collection in its order, others in the order in which they were made."""
    found = store.search(wanted, most=MAX_ITEMS + 1).notes
    is_ordered = wanted.collection is not None
    ordered = found if is_ordered else sorted(found, key=lambda note: (note.created_at, note.note_id))
    return [StudyItem(note.page, note.address, note=note) for note in ordered]


def iter_sections(source: StudySource, items: Sequence[StudyItem]) -> Iterator[Section]:
    """Yield the section of every item, which may take seconds where games are played again.

    An item that is a note and cannot be shown any more says so in its section. Raises a GameError for another item that
    cannot be shown, and InvalidError for too many items.
    """
    if len(items) > MAX_ITEMS:
        raise InvalidError(
            f"a study has at most {MAX_ITEMS} sections, not {len(items):,}; choose fewer notes"
        )
    for item in items:
        if item.note:
            yield describe_note(source, item.note)
        else:
            yield Section(compose_address(source, item.page, item.address, run=item.run))


def make_study(sections: Iterable[Section], *, title: str = "", text: str = "") -> Study:
    """Return the study of sections. Without a `title`, it has that of its first section and says how many more there are."""
    made = tuple(sections)
    first = made[0].sheet.title if made else "A study"
    return Study(
        title=title or (f"{first} and {len(made) - 1:,} more" if len(made) > 1 else first),
        text=text,
        sections=made,
        made_at=datetime.now(tz=UTC).replace(tzinfo=None),
        version=metadata.version("reroll"),
    )
