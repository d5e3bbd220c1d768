"""A study: sheets with what a person wrote about them, as one HTML file that opens from a disk and loads nothing.

Texts and tables are plain HTML in the fonts of the dashboard, charts are inline SVG, and the script and the style sheet of
the replay are there once for all replays. The Content-Security-Policy of the page allows exactly its own scripts and its own
style sheet.

Each section is the sheet of an address, or of a note, found by a person's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from engine.errors import GameError, InvalidError
from pipelines.notes.note import Note, NotePlace, find_own_title, place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore, read_comments
from pipelines.questions.address import (
    Address,
    Question,
    is_address,
    nothing_asked_error,
    split_address,
    write_path,
    write_problem,
)
from pipelines.questions.comparison import NewComparisonQuestion
from pipelines.questions.every_question import ANSWERS, QUESTIONS_OF_PAGES, answer_question, read_question
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import answer_saved_whatif
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence
from pipelines.report.sheet import Content, Continuation, Continuations, Passage, Replay, Sheet, SquareMaps
from pipelines.report.show.chart_plan import font_style
from pipelines.report.show.html import read_template, render_template, sheet_style, write_sheet_html
from pipelines.report.show.json import json_value
from pipelines.report.table import Table
from pipelines.report.wording import hide_folders
from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class Section:
    """A sheet, and what a person wrote about it."""

    sheet: Sheet
    text: str = ""
    """It is shown as it is."""
    problem: str = ""
    """Why there is nothing but the text to show; empty if there is."""


@dataclass(frozen=True)
class Study:
    """A page with a title and its sections."""

    title: str
    text: str
    """What the study is about, written by a person; may be empty."""
    sections: tuple[Section, ...]
    made_at: datetime
    """UTC, without a time zone."""
    version: str
    """The version of Reroll that made the page."""


MIN_SECTIONS_FOR_CONTENTS: Final = 3


def write_study(study: Study, *, home: str = "") -> str:
    """Return the page of a study. `home` is the relative address of a page that it leads back to, if there is one.

    Every text is shown as text: none of it can become markup or script.
    Raises ValueError for a number that JSON does not have, such as NaN.
    """
    is_only = len(study.sections) == 1 and study.sections[0].sheet.title == study.title
    contents = [part.content for section in study.sections for part in section.sheet.parts]
    return write_page(
        "study.html",
        has_replays=any(isinstance(content, Replay | Continuations) for content in contents),
        study=study,
        is_only=is_only,
        sheets=[
            write_sheet_html(section.sheet, number=number, section=section, is_only=is_only)
            for number, section in enumerate(study.sections, start=1)
        ],
        has_contents=len(study.sections) >= MIN_SECTIONS_FOR_CONTENTS,
        home=home,
    )


def write_page(template: str, *, has_replays: bool, **values: object) -> str:
    """Return a page that contains its scripts and its style sheet, and a policy that allows nothing else."""
    style = (
        font_style()
        + assets.STYLE_LAYERS
        + read_template("pipelines.studies", "study.css")
        + assets.layer_sheet_style(sheet_style())
        + (assets.replay_style("document") if has_replays else "")
    )
    scripts = [read_template("pipelines.studies", "study.js")]
    if has_replays:
        scripts.append(assets.replay_script("document"))
    wrapped = [f'"use strict";\n(() => {{\n{script}\n}})();' for script in scripts]
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(assets.csp_source, wrapped))}",
            f"style-src {assets.csp_source(style)}",
            "img-src data:",
            "font-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return str(
        render_template("pipelines.studies", template, policy=policy, style=style, scripts=wrapped, **values)
    )


def describe_note(source: StudySource, note: Note) -> Section:
    """Return the section of a note. If there is nothing to show any more, it says why and keeps the text."""
    run = source.runs_by_key.get(note.run_key) if note.run_key else None
    try:
        if note.run_key and run is None:
            raise InvalidError("the run of this note is no longer in the library")
        section = Section(compose_address(source, note.page, note.address, run=run))
    except GameError as error:
        kind = "move" if note.kind == "ply" else note.kind
        section = Section(Sheet(kind, note.title), problem=hide_folders(str(error)))
    return add_words(section, find_own_title(note, [run] if run else ()), note.text)


def add_words(section: Section, title: str, text: str) -> Section:
    """Return a section with what a person wrote about it.

    A line that says what the title or the answer says is left out, and so is a comment on its move that says the same.
    """
    sheet = section.sheet
    title = title or sheet.title
    sentences = set(map(_fold_sentence, (title, sheet.title, sheet.verdict)))
    more = "\n".join(line for line in text.splitlines() if not line or _fold_sentence(line) not in sentences)
    written_texts = (f"{title}\n{text}", text, title)
    parts = tuple(
        replace(part, content=_leave_out_comments(part.content, written_texts))
        if isinstance(part.content, Replay)
        else part
        for part in sheet.parts
    )
    return replace(section, sheet=replace(sheet, title=title, parts=parts), text=more.strip())


def _leave_out_comments(replay: Replay, texts: tuple[str, ...]) -> Replay:
    """Return a replay without the texts `texts` in the comments on the move at which it opens."""
    comments = {
        at: left
        for at, words in replay.comments.items()
        if (left := _leave_out_own(words, texts) if at == replay.ply else words)
    }
    return replay._replace(comments=comments)


def _leave_out_own(words: str, texts: tuple[str, ...]) -> str:
    """Return the comments on a move without the first of the texts `texts` that they contain as whole lines."""
    lines = f"\n{words}\n"
    repeated = next((text for text in texts if text and f"\n{text}\n" in lines), None)
    return words if repeated is None else lines.replace(f"\n{repeated}\n", "\n", 1).strip("\n")


def _fold_sentence(text: str) -> str:
    return " ".join(set_sentence(text.strip()).casefold().split())


def compose_address(source: StudySource, page: str, address: Address, *, run: Run | None = None) -> Sheet:
    """Return the sheet of what an address of the dashboard shows. `run` is its run under its current name.

    Raises a GameError, such as InvalidError, if the address shows nothing in particular or something that is not there.
    """
    reading = read_question(page, address)
    try:
        if type(reading.question) in ANSWERS:
            sheet = _compose_answer(source, reading.question, run)
        else:
            sheet = _describe_question(reading.question)
    except InvalidError as error:
        if not reading.problems:
            raise
        raise InvalidError(" ".join([*reading.problems, write_problem(error)])) from None
    sheet = _add_comments(source, sheet, run)
    return _hide_sheet_folders(
        replace(sheet, warnings=(*sheet.warnings, *reading.problems), address=write_path(reading.question))
    )


def _compose_answer(source: StudySource, question: Question, run: Run | None) -> Sheet:
    """Return the sheet of a question. `run` is its run under its current name, which may be a file outside of the library."""
    if isinstance(question, ScoresQuestion) and (whatif_run := _find_saved_whatif(source, question, run)):
        with suppress(GameError):  # the game that the question is about may be gone
            return compose(answer_saved_whatif(whatif_run, source), source.find_looks)
    if run:
        names = {"run": run.name} if "run" in type(question).model_fields else {"runs": (run.name,)}
        question = question.model_copy(update=names)
        source = source if run in source.runs else replace(source, only=(run,))
    return compose(answer_question(question, source), source.find_looks)


def _find_saved_whatif(source: StudySource, question: ScoresQuestion, run: Run | None) -> Run | None:
    """Return the only run of a question if it holds the games of a what-if: they are about its question."""
    only_run = run or (source.find_run(question.runs[0]) if len(question.runs) == 1 else None)
    return only_run if only_run and only_run.summary.is_whatif else None


def _describe_question(question: Question) -> Sheet:
    """Return the sheet of a question. Raises InvalidError for one that has no answer to give away."""
    match question:
        case NewComparisonQuestion(ruleset=name) | SimulationQuestion(ruleset=name) if name:
            raise InvalidError(f"this has not been played yet; play it with: {question.command}")
        case HandGameQuestion(seats=seats) if seats:
            raise InvalidError(f"this game by hand is in progress; go on with: {question.command}")
    raise nothing_asked_error(*QUESTIONS_OF_PAGES[question.page])


def _add_comments(source: StudySource, sheet: Sheet, run: Run | None) -> Sheet:
    """Return a sheet whose replays of logged games show what notes say on their moves. `run` may be outside of the library."""

    def add_comments(content: Content) -> Content:
        if not isinstance(content, Replay) or not content.run:
            return content
        played = run if run and run.name == content.run else source.find_run(content.run)
        return content._replace(comments=source.read_comments(played, content.game_id))

    return replace(
        sheet, parts=tuple(replace(part, content=add_comments(part.content)) for part in sheet.parts)
    )


def _hide_sheet_folders(sheet: Sheet) -> Sheet:
    """Return a sheet in which no path of this machine is left: it is given away."""
    return replace(
        sheet,
        title=hide_folders(sheet.title),
        verdict=hide_folders(sheet.verdict),
        consequences=tuple(map(hide_folders, sheet.consequences)),
        basis=hide_folders(sheet.basis),
        address="" if hide_folders(unquote(sheet.address)) != unquote(sheet.address) else sheet.address,
        fields=hide_folders(json_value(sheet.fields)),
        warnings=tuple(map(hide_folders, sheet.warnings)),
        parts=tuple(
            replace(
                part,
                content=_hide_folders_of(part.content),
                numbers=part.numbers and _hide_table_folders(part.numbers),
            )
            for part in sheet.parts
        ),
        facts=tuple(fact._replace(value=hide_folders(fact.value)) for fact in sheet.facts),
        commands=tuple(map(hide_folders, sheet.commands)),
    )


def _hide_folders_of(content: Content) -> Content:
    """Return a table, a replay, continuations or a text without paths; the drawers of charts hide those in names."""
    match content:
        case Table():
            return _hide_table_folders(content)
        case Replay():
            return content._replace(scene=hide_folders(content.scene), title=hide_folders(content.title))
        case Continuations():
            choices = (
                replace(choice, make_pair=partial(_hide_pair_folders, choice)) for choice in content.choices
            )
            return content._replace(choices=tuple(choices))
        case SquareMaps():
            maps = (square_map._replace(name=hide_folders(square_map.name)) for square_map in content.maps)
            return content._replace(maps=tuple(maps))
        case Passage():
            return content._replace(lines=tuple(map(tuple, hide_folders(content.lines))))
    return content


def _hide_pair_folders(choice: Continuation) -> dict[str, Any]:
    pair: dict[str, Any] = hide_folders(choice.pair)
    return pair


def _hide_table_folders(table: Table) -> Table:
    return table._replace(rows=tuple(tuple(map(hide_folders, row)) for row in table.rows))


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


def find_items(source: StudySource, names: Iterable[str], *, is_reviewed: bool = False) -> list[StudyItem]:
    """Return what a person names, in the order of the names.

    A name is an address of the dashboard, a run, a game as RUN#GAME or RUN#GAME:MOVE, a collection, or the
    beginning of the id of a note. `is_reviewed` adds a review to the games. Raises InvalidError for anything else.
    """
    return [item for text in names for item in _find_named_items(source, text, is_reviewed=is_reviewed)]


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
    if notes := find_note_items(store, NoteFilter(collection=text)):
        return notes
    if _NOTE_ID_PATTERN.fullmatch(text):
        note = store.find(text)
        return [StudyItem(note.page, note.address, note=note)]
    raise InvalidError(
        f"there is no run, collection or note {text[:60]!r}; `reroll ls` lists the runs and `reroll notes` the notes"
    )


def _item_of_place(place: NotePlace, run: Run) -> StudyItem:
    return StudyItem(place.page, place.address, run)


def find_note_items(store: NoteStore, note_filter: NoteFilter) -> list[StudyItem]:
    """Return the notes that fit: those of a collection in its order, others in the order in which they were made."""
    notes = store.search(note_filter, limit=MAX_ITEMS + 1).notes
    is_ordered = note_filter.collection is not None
    ordered = notes if is_ordered else sorted(notes, key=lambda note: (note.created_at, note.note_id))
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


@dataclass(frozen=True)
class StudySource(QuestionSource):
    """The library that a study is about, with the looks of its strategies."""

    only_favourites: bool = False
    """Whether of the comments on moves only those of favourite notes may be shown."""

    @cached_property
    def runs_by_key(self) -> Mapping[str, Run]:
        return {run.key: run for run in self.runs}

    def read_comments(self, run: Run, game: int) -> Mapping[int, str]:
        """Return what notes say on the moves of a game, by ply."""
        store = NoteStore(self.library.folder)
        return read_comments(store, run, game, only_favourites=self.only_favourites)
