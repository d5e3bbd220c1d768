"""Lessons as notes: a reviewed run makes a collection of them, easy ones first, and the board leads from one to the next."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import InvalidError
from engine.wording import capitalise
from pipelines.design.limits import LESSONS, MAX_LABEL_CHARACTERS
from pipelines.design.short_names import short_names
from pipelines.experiments.lessons import Lesson, RatedLesson, order_lessons
from pipelines.notes.note import Note, NoteContent, current_address, place_of_game
from pipelines.notes.store import MAX_NOTES_OF_RUN, NoteFilter
from pipelines.questions.address import read_fields, write_address
from pipelines.questions.game import GameQuestion
from pipelines.report.wording import format_count, join_words

if TYPE_CHECKING:
    from pipelines.notes.store import NoteStore
    from pipelines.questions.address import Address
    from pipelines.runs.run import Run


def keep_lessons(
    store: NoteStore, run: Run, lessons: Sequence[RatedLesson], collection: str | None = None
) -> tuple[str, list[Note]]:
    """Keep lessons of a run as notes with a star in a collection, easy ones first; return its name and the notes.

    A lesson that is kept already is added to the collection; its title and its text stay. Raises InvalidError without lessons.
    """
    if not lessons:
        raise InvalidError(f"no slip of {run.name} is clear enough for a lesson; review more games")
    name = collection or _choose_name(store, run, len(lessons))
    notes = []
    for rated in order_lessons(lessons):
        place = place_of_game(run, rated.lesson.game_id, rated.lesson.decision.ply, is_lesson=True)
        content = NoteContent(
            _write_title(run, rated.lesson), write_rating(rated), (name,), is_favourite=True
        )
        known = _find_lesson(store, run, place.address)
        if known is None:
            notes.append(store.add(place, content))
        elif name in known.collections:
            notes.append(known)
        else:
            notes.append(store.change(known, replace(known.content, collections=(*known.collections, name))))
    store.merge([], {name: [note.note_id for note in notes]})
    return name, notes


def _choose_name(store: NoteStore, run: Run, count: int) -> str:
    """Return a name such as "Blokus Duo: 50 lessons", with a number if a collection of that name is not about the run."""
    title = run.summary.rulesets[0].title
    for number in itertools.count(1):
        end = f": {format_count(count, 'lesson')}{f' ({number})' if number > 1 else ''}"
        name = f"{title[: MAX_LABEL_CHARACTERS - len(end)]}{end}"
        notes = store.search(NoteFilter(collection=name), limit=1).notes
        if not notes or notes[0].run_key == run.key:
            return name
    raise AssertionError


def _write_title(run: Run, lesson: Lesson) -> str:
    seat, seats = lesson.decision.seat, run.seats(lesson.game_id)
    strategy = short_names(seated.strategy for seated in seats)[seats[seat].strategy]
    return f"Game {lesson.game_id + 1}, move {lesson.decision.ply + 1}: player {seat + 1} ({strategy}) is to move"


def write_rating(rated: RatedLesson) -> str:
    """Return in a sentence how hard a lesson is: which strategies find a good move, and which do not."""
    finders, others = rated.finders, [name for name, is_found in rated.found.items() if not is_found]
    parts = []
    if finders:
        parts.append(f"{join_words(finders)} {'finds' if len(finders) == 1 else 'find'} a good move here")
    if others:
        does_not = "does not" if len(others) == 1 else "do not"
        parts.append(f"{join_words(others)} {does_not}{'' if finders else ' find a good move here'}")
    return f"{capitalise(rated.level)}: {'; '.join(parts)}."


def find_lesson_collections(store: NoteStore, run: Run) -> list[str]:
    """Return the collections that hold lessons of a run, in alphabetical order."""
    return sorted({name for note in _list_lessons(store, run) for name in note.collections})


class KeptLesson(NamedTuple):
    """A lesson as its note and its collection show it."""

    text: str
    title: str
    """Such as "Lesson 3 of 50"; "Lesson" outside a collection."""
    following: Address | None
    """The address of the next lesson of the collection; None without one."""


def find_kept_lesson(
    store: NoteStore, run: Run, question: GameQuestion, names: Mapping[str, Sequence[str]]
) -> KeptLesson:
    """Return the lesson of a question, empty if it is not kept.

    `names` are the names of the runs by `pipelines.notes.note.names_by_key`.
    """
    note = _find_lesson(store, run, write_address(question))
    if note is None:
        return KeptLesson("", "Lesson", None)
    for collection in note.collections:
        notes = store.search(NoteFilter(collection=collection), limit=LESSONS.maximum).notes
        addresses = [
            (other.note_id, address)
            for other in notes
            if other.is_lesson and (address := current_address(other, names))
        ]
        place = next((place for place, (key, _) in enumerate(addresses) if key == note.note_id), None)
        if place is not None:
            following = addresses[place + 1][1] if place + 1 < len(addresses) else None
            return KeptLesson(note.text, f"Lesson {place + 1} of {len(addresses)}", following)
    return KeptLesson(note.text, "Lesson", None)


def _find_lesson(store: NoteStore, run: Run, address: Address) -> Note | None:
    """Return the lesson of a run that has the game and the move of an address; None if it is not kept."""
    place = _find_move(address)
    return next((note for note in _list_lessons(store, run) if _find_move(note.address) == place), None)


def _list_lessons(store: NoteStore, run: Run) -> list[Note]:
    notes = store.search(NoteFilter(page=GameQuestion.page, run_key=run.key), limit=MAX_NOTES_OF_RUN).notes
    return [note for note in notes if note.is_lesson]


def _find_move(address: Address) -> tuple[int, int]:
    question, _ = read_fields(GameQuestion, address)
    return question.game, question.ply
