"""A note: an address of the dashboard with a title, a text and collections; where it leads; and lists of notes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, get_args

from pydantic import Field

from engine.catalogue import Catalogue
from engine.errors import GameError, InvalidError
from pipelines.design import limits
from pipelines.design.titles import name_match, spell_rulesets
from pipelines.questions.address import (
    Address,
    Question,
    describe_unknown,
    format_path,
    read_fields,
    write_address,
)
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.every_question import current_page, read_question
from pipelines.questions.game import LESSON_KEY, START_PLY, GameQuestion, game_address
from pipelines.questions.games import GamesQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesetQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion, Switch
from pipelines.questions.sql import SqlQuestion
from pipelines.questions.whatif import ManyGamesQuestion, SavedWhatifQuestion, WhatifQuestion
from pipelines.report.table import Table
from pipelines.report.wording import format_run_title

if TYPE_CHECKING:
    from pipelines.runs.run import Run

NoteKind = Literal[
    "run", "game", "ply", "comparison", "what-if", "chart", "question", "rules", "hand", "simulation"
]
NOTE_KINDS: Final[tuple[NoteKind, ...]] = get_args(NoteKind)

MAX_COLLECTIONS: Final = 30
"""Collections that a note is in."""
MAX_ADDRESS_CHARACTERS: Final = 20_000
"""A question in SQL is part of its address."""
_PAGE_PATTERN: Final = re.compile(r"[a-z]{1,20}")


@dataclass(frozen=True)
class Note:
    """One thing that somebody has kept. Notes are changed through `pipelines.notes.store.NoteStore` only."""

    note_id: str
    """32 hexadecimal digits."""
    kind: NoteKind
    page: str
    """Name of the page, such as `replay`; `library` is the page at the address `/`."""
    address: Address
    """What the page shows. The key `run` has the name that the run had when the note was made."""
    run_key: str | None
    """What identifies the run whatever its file is called (`pipelines.notes.note.run_key`); None without a run."""
    title: str
    text: str
    collections: tuple[str, ...]
    is_favourite: bool
    created_at: datetime
    """UTC, without a time zone; so is the next."""
    changed_at: datetime
    version: int
    """Counts the changes, from 1."""

    @property
    def path(self) -> str:
        """The address with the page, such as `/replay?run=demo&game-number=4`."""
        return format_path(self.page, self.address)

    @property
    def is_lesson(self) -> bool:
        """Whether its board asks for a better move than the one that was played."""
        return self.page == GameQuestion.page and read_fields(GameQuestion, self.address)[0].is_lesson

    def place_as_lesson(self, *, is_lesson: bool) -> NotePlace:
        """Return the place of the note as a lesson, or as no lesson."""
        address = {key: texts for key, texts in self.address.items() if key != LESSON_KEY}
        if is_lesson:
            address[LESSON_KEY] = ["1"]
        return NotePlace(self.kind, self.page, address, self.run_key)

    @property
    def kind_name(self) -> str:
        """What people call its kind."""
        return "lesson" if self.is_lesson else KIND_NAMES[self.kind]

    @property
    def content(self) -> NoteContent:
        """What people write and change."""
        return NoteContent(self.title, self.text, self.collections, is_favourite=self.is_favourite)


@dataclass(frozen=True)
class NoteContent:
    """What people write and change of a note. Raises InvalidError if something is too long or empty."""

    title: str
    text: str = ""
    collections: tuple[str, ...] = ()
    is_favourite: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", limits.normal_form(" ".join(self.title.split())))
        object.__setattr__(
            self, "text", limits.normal_form(self.text.replace("\r\n", "\n").replace("\r", "\n").strip())
        )
        object.__setattr__(self, "collections", clean_names(self.collections))
        if not self.title:
            raise InvalidError("a note needs a title")
        limits.check_length(self.title, limits.MAX_TITLE_CHARACTERS, "the title of the note")
        limits.check_length(self.text, limits.MAX_TEXT_CHARACTERS, "the text of the note")


@dataclass(frozen=True)
class NotePlace:
    """What a note is about."""

    kind: NoteKind
    page: str
    address: Address = field(default_factory=dict)
    run_key: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in NOTE_KINDS:
            raise InvalidError(f"unknown kind of note {self.kind!r}; the kinds are {', '.join(NOTE_KINDS)}")
        if not _PAGE_PATTERN.fullmatch(self.page):
            raise InvalidError(f"{self.page!r} is not a page")
        if len(format_path(self.page, self.address)) > MAX_ADDRESS_CHARACTERS:
            raise InvalidError(f"the address of a note has more than {MAX_ADDRESS_CHARACTERS:,} characters")


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of collections without surrounding spaces and without repetitions, in alphabetical order.

    Two names that differ only in upper and lower case are the same; the first one counts.

    >>> clean_names([" opening ", "Opening", "", "close  finish"])
    ('close finish', 'opening')

    Raises InvalidError if there are too many, or if one is too long.
    """
    names_by_fold: dict[str, str] = {}
    for name in names:
        cleaned = limits.normal_form(" ".join(name.replace(",", " ").split()))
        limits.check_length(cleaned, limits.MAX_LABEL_CHARACTERS, "the collection")
        if cleaned:
            names_by_fold.setdefault(cleaned.casefold(), cleaned)
    if len(names_by_fold) > MAX_COLLECTIONS:
        raise InvalidError(f"a note is in at most {MAX_COLLECTIONS} collections, not {len(names_by_fold)}")
    return tuple(names_by_fold[key] for key in sorted(names_by_fold))


def read_address(value: object) -> dict[str, list[str]]:
    """Return a JSON value as the query of an address; raise InvalidError if it is not a query."""
    if not isinstance(value, dict):
        raise InvalidError("an address is an object of texts")
    address = {}
    for key, values in value.items():
        listed = [values] if isinstance(values, str) else values
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            raise InvalidError(f"the value of {str(key)[:40]!r} in an address is not a text")
        for text in (str(key), *listed):
            limits.check_unicode(text, "an address")
        address[str(key)] = list(listed)
    return address


def place_of_run(run: Run) -> NotePlace:
    """Return the place of a whole run: a comparison on its own page, another run on the page Scores."""
    summary = run.summary
    if summary.is_comparison:
        return _place_of_question("comparison", KnownComparisonQuestion(run=run.name), run)
    question = ScoresQuestion(rulesets=(summary.rulesets[0].name,), runs=(run.name,))
    return _place_of_question("what-if" if summary.is_whatif else "run", question, run)


def _place_of_question(kind: NoteKind, question: Question, run: Run) -> NotePlace:
    return NotePlace(kind, question.page, write_address(question), run.key)


def place_of_game(run: Run, game: int, ply: int | None = None, *, is_lesson: bool = False) -> NotePlace:
    """Return the place of a game, or of a ply in it, which may be a lesson. Raises InvalidError if the run does not have it."""
    run.game(game)
    kind: NoteKind = "game" if ply is None else "ply"
    return NotePlace(kind, GameQuestion.page, game_address(run.name, game, ply, is_lesson=is_lesson), run.key)


def place_of_address(page: str, address: Address, runs: Iterable[Run]) -> NotePlace | None:
    """Return the place of an address of the dashboard; None if it says nothing in particular."""
    runs_by_name = {run.name: run for run in runs}
    names = [*address.get("run", ()), *address.get("runs", ())]
    run = runs_by_name.get(names[0]) if len(names) == 1 else None
    try:
        kind = _kind_of_question(read_question(page, address).question)
    except InvalidError:
        return None
    key = run.key if run else None
    return None if kind is None else NotePlace(kind, current_page(page, address), address, key)


def _kind_of_question(question: Question) -> NoteKind | None:  # noqa: PLR0911 - one for each class of questions
    """Return the kind of a note on a question; None for one without a subject, whose answer changes with the library."""
    match question:
        case GameQuestion(run=name, ply=ply) if name:
            return "ply" if ply != START_PLY else "game"
        case ScoresQuestion() if question.rulesets or question.runs:
            return "chart"
        case (
            KnownComparisonQuestion(run=name)
            | NewComparisonQuestion(ruleset=name)
            | RuleEffectQuestion(ruleset=name)
        ) if name:
            return "comparison"
        case WhatifQuestion(run=name) | ManyGamesQuestion(run=name) | SavedWhatifQuestion(run=name) if name:
            return "what-if"
        case RulesetQuestion(ruleset=name) if name:
            return "rules"
        case SqlQuestion(sql=text) if text:
            return "question"
        case GamesQuestion():
            return "question"
        case HandGameQuestion(seats=text) if text:
            return "hand"
        case SimulationQuestion(play=name) if name:
            return "simulation"
    return None


def title_of_place(place: NotePlace, runs: Iterable[Run] = ()) -> str:
    """Return the title that a note gets if nobody writes another. With the `runs` of the library, it has names for people.

    >>> title_of_place(NotePlace("ply", "replay", {"run": ["demo"], "game-number": ["4"], "move": ["8"]}))
    'Move 8 of game 4 of demo'
    """
    question = read_question(place.page, place.address).question
    title = question.title
    if isinstance(question, ScoresQuestion) and place.kind != "chart":  # a whole run
        title = f"{place.kind.capitalize()}: {', '.join(question.runs)}"
    elif isinstance(question, GameQuestion | WhatifQuestion | ManyGamesQuestion):
        run = next((run for run in runs if place.run_key == run.key), None)
        with suppress(GameError):  # a game or an action that the run does not have
            if isinstance(question, GameQuestion):
                summary = run and run.summary
                title = (
                    question.describe(name_match(summary.rulesets[0], summary.table)) if summary else title
                )
            elif run:
                title = question.describe(run)
    elif runs:
        played = {ruleset.name: ruleset for run in runs for ruleset in run.summary.rulesets}
        title = spell_rulesets(title, {**Catalogue().rulesets, **played})
    return limits.choose_title(None, title)


def is_default_title(title: str, place: NotePlace, runs: Iterable[Run]) -> bool:
    """Return whether a note gets this title if nobody writes another, or got it from an older version, which knew no names of moves."""
    return title in {title_of_place(place), title_of_place(place, runs)}


def find_own_title(note: Note, runs: Iterable[Run] = ()) -> str:
    """Return the title of a note; empty if it is that by default. `runs` hold the run of the note, if it is still there."""
    place = _place_of_note(note)
    return "" if place and is_default_title(note.title, place, runs) else note.title


def find_shown_title(note: Note, address: Address | None, runs: Iterable[Run]) -> str:
    """Return the title of a note; without one of its own, a comparison is called by its question, which is the title of its run.

    `address` is that of the note now, and `runs` are those of the library.
    """
    if note.kind == "comparison" and address and not find_own_title(note):
        run = next((run for run in runs if [run.name] == address.get("run")), None)
        return format_run_title(run.summary) if run else note.title
    place = _place_of_note(note)
    return title_of_place(place, runs) if place and note.title == title_of_place(place) else note.title


def describe_kind(note: Note, address: Address | None, title: str, runs: Iterable[Run]) -> list[str]:
    """Return what a note is; of one on a game, its move, game and run, and its players, unless the `title` names them.

    `address` is that of the note now, and `runs` are those of the library.
    """
    question = read_question(note.page, address).question if address else None
    if not isinstance(question, GameQuestion | WhatifQuestion):
        return [note.kind_name]
    moment = GameQuestion(run=question.run, game=question.game, ply=question.ply).title
    matches = [
        name_match(run.summary.rulesets[0], run.summary.table) for run in runs if run.name == question.run
    ]
    kind = [note.kind_name] if isinstance(question, WhatifQuestion) or note.is_lesson else []
    if note.is_lesson and title.startswith(name_lesson(question.game, question.ply)):
        moment = ""
    return [*kind, moment, *(match for match in matches if match not in title)]


def name_lesson(game_id: int, ply: int) -> str:
    """Return the beginning of the title of a lesson.

    >>> name_lesson(4, 3)
    'Game 5, move 4'
    """
    return f"Game {game_id + 1}, move {ply + 1}"


def _place_of_note(note: Note) -> NotePlace | None:
    place = place_of_address(note.page, note.address, ())
    return place and replace(place, kind=note.kind, run_key=note.run_key)


def names_by_key(runs: Iterable[Run]) -> dict[str, list[str]]:
    """Return the names of the runs of each key: several if a file was copied."""
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(run.key, []).append(run.name)
    return names


def current_address(note: Note, names: Mapping[str, Sequence[str]]) -> Address | None:
    """Return the address of a note with the name that its run has now, by `names_by_key`; None if the run is gone.

    If the run was copied, the copy that has the noted name counts, else any.
    """
    if note.run_key is None:
        return note.address
    known = names.get(note.run_key)
    if not known:
        return None
    return {
        key: [values[0] if values[0] in known else known[0]]
        if key in {"run", "runs"} and len(values) == 1
        else values
        for key, values in note.address.items()
    }


KIND_NAMES: Final[Mapping[NoteKind, str]] = {
    **{kind: kind for kind in NOTE_KINDS},
    "ply": "move",
    "hand": "game by hand",
}
"""What people call the kinds of notes."""


class NoteListQuestion(Question):
    """Which notes are listed. Every field that is set must fit."""

    page: ClassVar[str] = "notes"

    words: Annotated[str, Field(title="search")] = ""
    kinds: Annotated[tuple[str, ...], Field(title="kind of note")] = ()
    """Names of `KIND_NAMES`."""
    collection: Annotated[str, Field(title="collection")] = ""
    favourites: Annotated[Switch, Field(title="value of favourites")] = "false"

    @property
    def title(self) -> str:
        return "Notes"

    @property
    def command(self) -> str:
        words = ["reroll", "notes", *([self.words] if self.words else [])]
        words += [
            word for kind, name in KIND_NAMES.items() if name in self.kinds for word in ("--kind", kind)
        ]
        words += ["--collection", self.collection] if self.collection else []
        return shlex.join([*words, *(["--favourites"] if self.favourites == "true" else [])])

    def find_problems(self, collections: Collection[str]) -> tuple[str, ...]:
        """Return a sentence on each value that no note can have; `collections` are those of all notes."""
        known = KIND_NAMES.values()
        problems = [describe_unknown("kind of note", kind) for kind in self.kinds if kind not in known]
        if self.collection and self.collection not in collections:
            problems.append(describe_unknown("collection", self.collection))
        return tuple(problems)


SHOWN_ID_LENGTH: Final = 8
"""Digits of an id that a list shows; any longer or shorter beginning that only one note has will do."""


def tabulate_notes(notes: Sequence[Note], names: Mapping[str, Sequence[str]]) -> Table:
    """Return a row for each note. `names` are the names of the runs by `pipelines.notes.note.names_by_key`."""
    return Table(
        "Notes",
        ("id", "kind", "title", "changed", "address"),
        tuple(
            (
                note.note_id[:SHOWN_ID_LENGTH],
                note.kind,
                f"{'* ' if note.is_favourite else ''}{note.title}",
                f"{note.changed_at:%Y-%m-%d %H:%M}",
                "(the run is gone)" if address is None else format_path(note.page, address),
            )
            for note in notes
            for address in [current_address(note, names)]
        ),
        optional=("address", "changed"),
    )
