"""Lessons as notes: a reviewed run makes a collection of them, easy ones first, and the board leads from one to the next."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import InvalidError
from engine.wording import capitalise
from pipelines.design.limits import LESSONS, MAX_LABEL_CHARACTERS
from pipelines.design.short_names import base_name, short_names
from pipelines.experiments.lessons import Lesson, RatedLesson, order_lessons
from pipelines.notes.note import Note, NoteContent, current_address, name_lesson, place_of_game
from pipelines.notes.store import MAX_NOTES_OF_RUN, NoteFilter, NoteStore
from pipelines.questions.address import Address, read_fields, write_address
from pipelines.questions.game import GameQuestion
from pipelines.report.wording import format_count, join_words

if TYPE_CHECKING:
    from pipelines.runs.run import Run


def keep_lessons(
    store: NoteStore,
    run: Run,
    lessons: Sequence[RatedLesson],
    collection: str | None = None,
    players: str = "",
) -> tuple[str, list[Note]]:
    """Keep lessons of a run as notes in a collection, easy ones first; return its name and the notes.

    `players` are those whose slips the lessons are, such as "greedy", if not of all. A lesson that is kept already is added to the collection; its title and its text stay. Raises InvalidError without lessons.
    """
    if not lessons:
        raise InvalidError(f"no slip of {run.name} is clear enough for a lesson; review more games")
    name = collection or _choose_name(store, run, len(lessons), players)
    notes = []
    for rated in order_lessons(lessons):
        place = place_of_game(run, rated.lesson.game_id, rated.lesson.decision.ply, is_lesson=True)
        strategy = run.list_seats(rated.lesson.game_id)[rated.lesson.decision.seat].strategy
        content = NoteContent(_write_title(run, rated.lesson), write_rating(rated, strategy), (name,))
        known = _find_lesson(store, run, place.address)
        if known is None:
            notes.append(store.add(place, content))
        elif name in known.collections:
            notes.append(known)
        else:
            notes.append(store.change(known, replace(known.content, collections=(*known.collections, name))))
    store.merge([], {name: [note.note_id for note in notes]})
    return name, notes


def _choose_name(store: NoteStore, run: Run, count: int, players: str) -> str:
    """Return a name such as "Blokus Duo: 50 lessons of greedy", with a number if a collection of that name is not about the run."""
    title = run.summary.rulesets[0].title
    for number in itertools.count(1):
        end = f": {format_count(count, 'lesson')}{players and f' of {players}'}{f' ({number})' if number > 1 else ''}"
        name = f"{title[: MAX_LABEL_CHARACTERS - len(end)]}{end}"
        notes = store.search(NoteFilter(collection=name), limit=1).notes
        if not notes or notes[0].run_key == run.key:
            return name
    raise AssertionError


def _write_title(run: Run, lesson: Lesson) -> str:
    seat, seats = lesson.decision.seat, run.list_seats(lesson.game_id)
    strategy = short_names(seated.strategy for seated in seats)[seats[seat].strategy]
    return f"{name_lesson(lesson.game_id, lesson.decision.ply)}: find a better move than {strategy}, of {lesson.decision.options:,} moves"


def write_rating(rated: RatedLesson, played: str) -> str:
    """Return in a sentence how hard a lesson is: which strategies find a good move, and which do not.

    The strategy that `played` the bad move may find a good one with other luck.
    """
    finders, others = rated.finders, [name for name, is_found in rated.found.items() if not is_found]
    parts = []
    if finders:
        parts.append(f"{join_words(finders)} {'finds' if len(finders) == 1 else 'find'} a good move here")
        if base_name(played) in finders:
            parts[0] += f", though {base_name(played)} erred in this game"
    if others:
        does_not = "does not" if len(others) == 1 else "do not"
        parts.append(f"{join_words(others)} {does_not}{'' if finders else ' find a good move here'}")
    return f"{capitalise(rated.level)}: {'; '.join(parts)}."


def find_lesson_collections(store: NoteStore, run: Run) -> list[str]:
    """Return the collections that hold lessons of a run, in alphabetical order."""
    return sorted({name for note in _list_lessons(store, run) for name in note.collections})


def read_players(collection: str) -> str:
    """Return the players that the name of a collection of lessons names; empty if it is of all.

    >>> read_players("BLOXX!: 3 lessons of greedy and player 2 (2)"), read_players("BLOXX!: 3 lessons (2)")
    ('greedy and player 2', '')
    """
    players = collection.replace(" lesson of ", " lessons of ").partition(" lessons of ")[2]
    start, _, number = players.rpartition(" (")
    return start if number.removesuffix(")").isdigit() else players


class KeptLesson(NamedTuple):
    """A lesson as its note and its collection show it."""

    text: str
    title: str
    """Such as "Lesson 3 of 50"; "Lesson" outside a collection."""
    following: Address | None
    """The address of the next lesson of the collection; None without one."""
    collection: str = ""


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
            return KeptLesson(note.text, f"Lesson {place + 1} of {len(addresses)}", following, collection)
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
