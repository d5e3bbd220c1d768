"""The notes of a library: add, change, remove and find them; comments on moves, and queries that are kept.

What `add`, `change` or `remove` has confirmed is on disk. A change names the version that it was made from, so that nobody
overwrites a change that they have not seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from engine.errors import GameError, InvalidError, unknown_name_error
from pipelines.design.limits import normal_form
from pipelines.notes.note import Note, NoteContent, NoteKind, NotePlace, find_own_title
from pipelines.notes.sidecar import Sidecar
from pipelines.questions.address import read_fields, write_address
from pipelines.questions.game import LESSON_KEY, START_PLY, GameQuestion
from pipelines.questions.sql import SqlQuestion

if TYPE_CHECKING:
    import sqlite3

    from pipelines.runs.run import Run

DEFAULT_MOST_NOTES: Final = 200

_COLUMNS: Final = (
    "note_id, kind, page, address, run_key, title, text, is_favourite, created_at, changed_at, version"
)


class EditConflictError(GameError):
    """Somebody has changed or removed a note since it was read."""

    def __init__(self, title: str, current: Note | None) -> None:
        self.current = current
        """The note as it is now; None if it was removed."""
        change = "changed" if current else "removed"
        super().__init__(f"the note {title!r} was {change} elsewhere since you opened it; nothing was saved")


@dataclass(frozen=True)
class NoteFilter:
    """Which notes to find. Every field that is set must fit."""

    words: str = ""
    """All words must occur in the title, the text or a collection; upper and lower case are the same."""
    kinds: tuple[NoteKind, ...] = ()
    collection: str | None = None
    outside: tuple[str, ...] = ()
    """Collections whose notes are left out."""
    run_key: str | None = None
    page: str | None = None
    place: NotePlace | None = None
    only_favourites: bool = False


@dataclass(frozen=True)
class FoundNotes:
    """The notes that a search shows, and how many it found."""

    notes: tuple[Note, ...]
    """Those of a collection in its order; others the newest change first."""
    total: int


class NoteStore:
    """The notes of one library. Instances hold no connection, so any number of threads may share one."""

    def __init__(self, folder: Path) -> None:
        """Use the notes of a data folder. The file is made by the first note."""
        self._file = Sidecar(folder)
        self.path = self._file.path

    def add(self, place: NotePlace, content: NoteContent) -> Note:
        """Save a new note and return it."""
        now = _now()
        note = Note(uuid4().hex, **vars(place), **vars(content), created_at=now, changed_at=now, version=1)
        with self._file.writing() as connection:
            _insert_note(connection, note)
        return note

    def change(self, note: Note, content: NoteContent, place: NotePlace | None = None) -> Note:
        """Save another content of a note, and another place if one is given; return the note as it is then.

        Raises EditConflictError if the note was changed or removed since `note` was read.
        """
        with self._file.writing() as connection:
            current = _find_unchanged(connection, note)
            changed = Note(
                **{
                    **vars(current),
                    **vars(content),
                    **(vars(place) if place else {}),
                    "changed_at": _now(),
                    "version": current.version + 1,
                }
            )
            _remove_note(connection, note.note_id)
            _insert_note(connection, changed)
        return changed

    def remove(self, note: Note) -> None:
        """Remove a note. Raises EditConflictError if it was changed or removed since `note` was read."""
        with self._file.writing() as connection:
            _find_unchanged(connection, note)
            _remove_note(connection, note.note_id)

    def merge(self, notes: Iterable[Note], orders: Mapping[str, Sequence[str]] | None = None) -> int:
        """Save notes from another library: new ones, and newer versions of known ones. Return how many were saved.

        Of two versions with the same number, the one changed last is kept. In collections with one of the `orders`, the notes
        that it names come first.
        """
        saved = 0
        with self._file.writing() as connection:
            for note in notes:
                known = _find_note(connection, note.note_id)
                if known and (known.version, known.changed_at) >= (note.version, note.changed_at):
                    continue
                _remove_note(connection, note.note_id)
                _insert_note(connection, note)
                saved += 1
            for collection, ids in (orders or {}).items():
                earlier_ids = _find_ids(connection, NoteFilter(collection=collection))
                _write_order(connection, collection, list(dict.fromkeys([*ids, *earlier_ids])))
        return saved

    def move(self, note: Note, collection: str, by: int) -> None:
        """Move a note among the notes of a collection: down by `by` places, or up if `by` is negative."""
        with self._file.writing() as connection:
            ids = _find_ids(connection, NoteFilter(collection=collection))
            if note.note_id not in ids:
                raise EditConflictError(note.title, None)
            place = max(0, ids.index(note.note_id) + by)
            ids.remove(note.note_id)
            ids.insert(place, note.note_id)
            _write_order(connection, collection, ids)

    def orders(self, notes: Sequence[Note]) -> dict[str, list[str]]:
        """Return the order of the notes in each of their collections: the ids, by the name of the collection."""
        names = {name.casefold(): name for note in notes for name in note.collections}
        ids = {note.note_id for note in notes}
        with self._file.reading() as connection:
            return {
                name: [
                    note_id
                    for note_id in _find_ids(connection, NoteFilter(collection=name))
                    if note_id in ids
                ]
                for name in names.values()
            }

    def find(self, note_id: str) -> Note:
        """Return a note by its id, or by the beginning of the id; raise InvalidError if there is not exactly one."""
        with self._file.reading() as connection:
            notes = _select_notes(
                connection, "WHERE substr(note_id, 1, ?) = ? LIMIT 2", [len(note_id), note_id]
            )
        if len(notes) == 1 and note_id:
            return notes[0]
        reason = "several notes begin with" if notes else "there is no note"
        raise InvalidError(f"{reason} {note_id[:40]!r}; `reroll notes` lists them")

    def search(self, note_filter: NoteFilter, *, limit: int = DEFAULT_MOST_NOTES) -> FoundNotes:
        """Return the notes that fit, at most `limit`: of a collection in its order, else those changed last first."""
        with self._file.reading() as connection:
            ids = _find_ids(connection, note_filter)
            listed_ids = json.dumps(ids[:limit])
            notes = _select_notes(
                connection,
                "JOIN json_each(?) AS listed ON listed.value = note_id ORDER BY listed.key",
                [listed_ids],
            )
        return FoundNotes(tuple(notes), len(ids))

    def find_at(self, place: NotePlace) -> Note | None:
        """Return the note about a place that was changed last; None without one."""
        return next(iter(self.search(NoteFilter(place=place), limit=1).notes), None)

    def collections(self) -> dict[str, int]:
        """Return all collections with their number of notes, by name."""
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT min(label), count(*) FROM labels GROUP BY folded ORDER BY folded"
            )
            return dict(rows.fetchall())

    def lesson_collections(self) -> list[str]:
        """Return the collections that hold lessons only, in alphabetical order."""
        is_lesson = f"page = '{GameQuestion.page}' AND coalesce(address ->> '$.{LESSON_KEY}[0]', '') = '1'"
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT min(label) FROM labels JOIN notes USING (note_id) "  # noqa: S608 - made of constants
                f"GROUP BY folded HAVING min({is_lesson}) ORDER BY folded"
            )
            return [name for (name,) in rows]


def _filter_clause(note_filter: NoteFilter) -> tuple[str, list[str]]:
    """Return the WHERE clause of a search with its values."""
    words = re.findall(r"(?:game|move) [0-9]+(?!\S)|\S+", normal_form(note_filter.words).casefold())
    tests: list[tuple[str, list[str]]] = [
        ("(' ' || searched || ' ') GLOB ?", [f"*[^0-9]{word}[^0-9]*"])  # 5 is not in 50
        if re.search(r"^[0-9]+$|^(game|move) ", word)
        else ("instr(searched, ?) > 0", [word])
        for word in words
    ]
    if note_filter.collection is not None:
        folded = normal_form(note_filter.collection).casefold()
        tests.append(("note_id IN (SELECT note_id FROM labels WHERE folded = ?)", [folded]))
    for name in note_filter.outside:
        folded = normal_form(name).casefold()
        tests.append(("note_id NOT IN (SELECT note_id FROM labels WHERE folded = ?)", [folded]))
    if note_filter.kinds:
        tests.append((f"kind IN ({', '.join('?' * len(note_filter.kinds))})", list(note_filter.kinds)))
    if note_filter.run_key is not None:
        tests.append(("run_key = ?", [note_filter.run_key]))
    if note_filter.page is not None:
        tests.append(("page = ?", [note_filter.page]))
    if note_filter.place is not None:
        at = note_filter.place
        tests.append(
            (
                "page = ? AND address = ? AND coalesce(run_key, '') = ?",
                [at.page, json.dumps(at.address), at.run_key or ""],
            )
        )
    if note_filter.only_favourites:
        tests.append(("is_favourite", []))
    where = " AND ".join(test for test, _ in tests)
    return f"WHERE {where}" if where else "", [value for _, values in tests for value in values]


def _find_ids(connection: sqlite3.Connection, note_filter: NoteFilter) -> list[str]:
    """Return the ids of the notes that fit: of a collection in its order, later ones at the end; else the newest change first."""
    where, values = _filter_clause(note_filter)
    order = "changed_at DESC" if note_filter.collection is None else "created_at"
    rows = connection.execute(f"SELECT note_id FROM notes {where} ORDER BY {order}, note_id", values)  # noqa: S608 - made of constants
    ids = [note_id for (note_id,) in rows]
    if note_filter.collection is None:
        return ids
    row = connection.execute(
        "SELECT note_ids FROM orders WHERE folded = ?", [normal_form(note_filter.collection).casefold()]
    ).fetchone()
    places = {note_id: place for place, note_id in enumerate(json.loads(row[0]))} if row else {}
    return sorted(ids, key=lambda note_id: places.get(note_id, len(places)))


def _write_order(connection: sqlite3.Connection, collection: str, ids: Sequence[str]) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO orders VALUES (?, ?)", [collection.casefold(), json.dumps(ids)]
    )


def _insert_note(connection: sqlite3.Connection, note: Note) -> None:
    searched = "\n".join([note.title, note.text, *note.collections]).casefold()
    connection.execute(
        f"INSERT INTO notes ({_COLUMNS}, searched) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - made of constants
        [
            note.note_id,
            note.kind,
            note.page,
            json.dumps(note.address),
            note.run_key,
            note.title,
            note.text,
            note.is_favourite,
            note.created_at.isoformat(timespec="microseconds"),
            note.changed_at.isoformat(timespec="microseconds"),
            note.version,
            searched,
        ],
    )
    connection.executemany(
        "INSERT INTO labels (note_id, sort, folded, label) VALUES (?, 'collection', ?, ?)",
        [(note.note_id, name.casefold(), name) for name in note.collections],
    )


def _remove_note(connection: sqlite3.Connection, note_id: str) -> None:
    connection.execute("DELETE FROM notes WHERE note_id = ?", [note_id])


def _find_note(connection: sqlite3.Connection, note_id: str) -> Note | None:
    notes = _select_notes(connection, "WHERE note_id = ?", [note_id])
    return notes[0] if notes else None


def _find_unchanged(connection: sqlite3.Connection, note: Note) -> Note:
    """Return a note as it is stored; raise EditConflictError if it was changed or removed since `note` was read."""
    current = _find_note(connection, note.note_id)
    if current is None or current.version != note.version:
        raise EditConflictError(note.title, current)
    return current


def _select_notes(connection: sqlite3.Connection, clauses: str, values: list[str | int]) -> list[Note]:
    """Return the notes that clauses select, with their collections."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM notes {clauses}", values).fetchall()  # noqa: S608 - made of constants
    collections: dict[str, list[str]] = {}
    selected = json.dumps([row[0] for row in rows])
    for note_id, name in connection.execute(
        "SELECT note_id, label FROM labels WHERE note_id IN (SELECT value FROM json_each(?)) ORDER BY folded",
        [selected],
    ):
        collections.setdefault(note_id, []).append(name)
    return [
        Note(
            note_id=row[0],
            kind=row[1],
            page=row[2],
            address=json.loads(row[3]),
            run_key=row[4],
            title=row[5],
            text=row[6],
            collections=tuple(collections.get(row[0], ())),
            is_favourite=bool(row[7]),
            created_at=datetime.fromisoformat(row[8]),
            changed_at=datetime.fromisoformat(row[9]),
            version=row[10],
        )
        for row in rows
    ]


def _now() -> datetime:
    return datetime.now(tz=UTC).replace(tzinfo=None)


MAX_NOTES_OF_RUN: Final = 10_000


def read_comments(store: NoteStore, run: Run, game: int, *, only_favourites: bool = False) -> dict[int, str]:
    """Return the comments on the moves of a game by ply; several on one move stand in the order in which they were made.

    If the file of the notes cannot be read, the result is empty.
    """
    note_filter = NoteFilter(page=GameQuestion.page, run_key=run.key, only_favourites=only_favourites)
    try:
        notes = store.search(note_filter, limit=MAX_NOTES_OF_RUN).notes
    except GameError:
        return {}
    comments: dict[int, list[str]] = {}
    for note in sorted(notes, key=lambda note: (note.created_at, note.note_id)):
        question, _ = read_fields(GameQuestion, note.address)
        words = [line for line in (find_own_title(note), note.text) if line]
        if words and question.game == game and question.ply != START_PLY and not note.is_lesson:
            comments.setdefault(question.ply, []).extend(words)
    return {ply: "\n".join(words) for ply, words in comments.items()}


MAX_QUESTIONS_SEARCHED: Final = 10_000


def list_questions(store: NoteStore, page: str) -> list[Note]:
    """Return the notes of a page, those changed last first."""
    return list(store.search(NoteFilter(page=page), limit=MAX_QUESTIONS_SEARCHED).notes)


def find_question(store: NoteStore, name: str) -> Note:
    """Return a kept query by its title, or by its id or the beginning of it.

    Raises InvalidError if there is not exactly one.
    """
    questions = list_questions(store, SqlQuestion.page)
    matching = _with_title(questions, name) or [
        note for note in questions if len(name) >= 4 and note.note_id.startswith(name)
    ]
    if len(matching) == 1:
        return matching[0]
    if matching:
        ids = ", ".join(note.note_id[:8] for note in matching[:5])
        raise InvalidError(
            f"{len(matching)} kept questions are named {name[:80]!r}; use one of their ids: {ids}"
        )
    raise unknown_name_error("kept question", name[:80], dict.fromkeys(note.title for note in questions))


def save_question(
    store: NoteStore, name: str, query: SqlQuestion, run_key: str | None = None
) -> tuple[Note, bool]:
    """Keep a query under a name; return its note, and whether it replaces an earlier query of this name.

    A query without a chart keeps the chart of the earlier one. `run_key` is the key of the only run that the query reads
    (`Run.key`), if it reads only one.
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
    return store.change(note, note.content, place), True


def _with_title(notes: Sequence[Note], title: str) -> list[Note]:
    folded_title = normal_form(" ".join(title.split())).casefold()
    return [note for note in notes if note.title.casefold() == folded_title]
