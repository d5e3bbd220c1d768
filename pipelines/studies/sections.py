"""The sections of a study: each is the sheet of an address of the dashboard, or of a note, which keeps an address."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from engine.errors import GameError, InvalidError
from pipelines.notes.places import find_own_title
from pipelines.questions.address import write_path
from pipelines.questions.comparison import NewComparisonQuestion
from pipelines.questions.every_question import ANSWERS, answer_question, read_question
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.whatif import answer_saved_whatif
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence
from pipelines.report.sheet import Continuations, Passage, Replay, Sheet, SquareMaps
from pipelines.report.show.json import json_value
from pipelines.report.table import Table
from pipelines.report.wording import hide_folders
from pipelines.studies.page import Section

if TYPE_CHECKING:
    from pipelines.notes.note import Note
    from pipelines.questions.address import Address, Question
    from pipelines.report.sheet import Content, Continuation
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource


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
    return add_words(section, find_own_title(note, [run] if run else ()), note.text, note.tags)


def add_words(section: Section, title: str, text: str, tags: tuple[str, ...]) -> Section:
    """Return a section with what a person wrote about it.

    A line that says what the title or the answer says is left out, and so is a comment on its move that says the same.
    """
    sheet = section.sheet
    title = title or sheet.title
    said = set(map(_fold_sentence, (title, sheet.title, sheet.verdict)))
    more = "\n".join(line for line in text.splitlines() if not line or _fold_sentence(line) not in said)
    own = (f"{title}\n{text}", text, title)
    parts = tuple(
        replace(part, content=_leave_out_comments(part.content, own))
        if isinstance(part.content, Replay)
        else part
        for part in sheet.parts
    )
    return replace(section, sheet=replace(sheet, title=title, parts=parts), text=more.strip(), tags=tags)


def _leave_out_comments(replay: Replay, own: tuple[str, ...]) -> Replay:
    """Return a replay without the texts `own` in the comments on the move at which it opens."""
    comments = {
        at: left
        for at, words in replay.comments.items()
        if (left := _leave_out_own(words, own) if at == replay.ply else words)
    }
    return replay._replace(comments=comments)


def _leave_out_own(words: str, own: tuple[str, ...]) -> str:
    """Return the comments on a move without the first of the texts `own` that they contain as whole lines."""
    lines = f"\n{words}\n"
    found = next((text for text in own if text and f"\n{text}\n" in lines), None)
    return words if found is None else lines.replace(f"\n{found}\n", "\n", 1).strip("\n")


def _fold_sentence(text: str) -> str:
    return " ".join(set_sentence(text.strip()).casefold().split())


def compose_address(
    source: StudySource,
    page: str,
    address: Address,
    *,
    run: Run | None = None,
) -> Sheet:
    """Return the sheet of what an address of the dashboard shows. `run` is its run under its current name.

    Raises a GameError, such as InvalidError, if the address shows nothing in particular or something that is not there.
    """
    reading = read_question(page, address)
    if type(reading.question) in ANSWERS:
        sheet = _compose_answer(source, reading.question, run)
    else:
        sheet = _describe_question(reading.question)
    sheet = _add_comments(source, sheet, run)
    return _hide_sheet_folders(
        replace(sheet, warnings=(*sheet.warnings, *reading.problems), address=write_path(reading.question))
    )


def _compose_answer(source: StudySource, question: Question, run: Run | None) -> Sheet:
    """Return the sheet of a question. `run` is its run under its current name, which may be a file outside of the library."""
    if isinstance(question, ScoresQuestion) and (found := _find_saved_whatif(source, question, run)):
        with suppress(GameError):  # the game that the question is about may be gone
            return compose(answer_saved_whatif(found, source), source.find_looks)
    if run:
        named = {"run": run.name} if "run" in type(question).model_fields else {"runs": (run.name,)}
        question = question.model_copy(update=named)
        source = source if run in source.runs else replace(source, only=(run,))
    return compose(answer_question(question, source), source.find_looks)


def _find_saved_whatif(source: StudySource, question: ScoresQuestion, run: Run | None) -> Run | None:
    """Return the only run of a question if it holds the games of a what-if: they are about its question."""
    found = run or (source.find_run(question.runs[0]) if len(question.runs) == 1 else None)
    return found if found and found.summary.is_whatif else None


def _describe_question(question: Question) -> Sheet:
    """Return the sheet of a question. Raises InvalidError for one that has no answer to give away."""
    match question:
        case NewComparisonQuestion(ruleset=name) | SimulationQuestion(ruleset=name) if name:
            raise InvalidError(f"this has not been played yet; play it with: {question.command}")
        case HandGameQuestion(seats=seats) if seats:
            raise InvalidError(f"this game by hand is in progress; go on with: {question.command}")
    raise InvalidError(
        f"the address of the page {question.page} says nothing in particular; open something on it first"
    )


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
            maps = (one._replace(name=hide_folders(one.name)) for one in content.maps)
            return content._replace(maps=tuple(maps))
        case Passage():
            return content._replace(lines=tuple(map(tuple, hide_folders(content.lines))))
    return content


def _hide_pair_folders(choice: Continuation) -> dict[str, Any]:
    pair: dict[str, Any] = hide_folders(choice.pair)
    return pair


def _hide_table_folders(table: Table) -> Table:
    return table._replace(rows=tuple(tuple(map(hide_folders, row)) for row in table.rows))
