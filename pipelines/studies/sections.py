"""The sections of a study: each is made from an address of the dashboard, or from a note, which keeps an address."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import GameError, InvalidError
from pipelines.notes.places import find_own_title
from pipelines.questions.card.question import CardQuestion
from pipelines.questions.comparison.answer import answer_comparison
from pipelines.questions.comparison.question import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.every_question import read_question
from pipelines.questions.game.question import GameQuestion
from pipelines.questions.games.question import GamesQuestion
from pipelines.questions.hand_game.question import HandGameQuestion
from pipelines.questions.rule_effect.question import RuleEffectQuestion, RulesQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation.question import SimulationQuestion
from pipelines.questions.sql.question import SqlQuestion
from pipelines.questions.whatif.question import ManyGamesQuestion, WhatifQuestion
from pipelines.report.estimates import set_sentence
from pipelines.report.wording import hide_folders
from pipelines.studies.comparisons import describe_comparison
from pipelines.studies.game_lists import describe_game_list
from pipelines.studies.games import describe_game
from pipelines.studies.questions import describe_question
from pipelines.studies.rules import describe_card_section, describe_rule_effect, describe_rules
from pipelines.studies.scores import describe_scores
from pipelines.studies.study import Section
from pipelines.studies.whatifs import describe_saved_whatif, describe_whatif

if TYPE_CHECKING:
    from pipelines.notes.note import Note
    from pipelines.questions.address import Address, Question
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource


def describe_note(source: StudySource, note: Note, *, effort: float = 1.0) -> Section:
    """Return the section of a note. If there is nothing to show any more, it says why and keeps the text."""
    run = source.runs_by_key.get(note.run_key) if note.run_key else None
    try:
        if note.run_key and run is None:
            raise InvalidError("the run of this note is no longer in the library")
        section = describe_address(source, note.page, note.address, run=run, effort=effort)
    except GameError as error:
        section = Section(
            kind="move" if note.kind == "ply" else note.kind,
            title=note.title,
            problem=hide_folders(str(error)),
        )
    return add_words(section, find_own_title(note, [run] if run else ()), note.text, note.tags)


def add_words(section: Section, title: str, text: str, tags: tuple[str, ...]) -> Section:
    """Return a section with what a person wrote about it.

    A line that says what the title or the answer says is left out, and so is a comment on its move that says the same.
    """
    title = title or section.title
    said = set(map(_fold_sentence, (title, section.title, section.verdict)))
    more = "\n".join(line for line in text.splitlines() if not line or _fold_sentence(line) not in said)
    own = (f"{title}\n{text}", text, title)
    replays = tuple(
        one._replace(
            comments={
                at: left
                for at, words in one.comments.items()
                if (left := _leave_out_own(words, own) if at == one.ply else words)
            }
        )
        for one in section.replays
    )
    return replace(section, title=title, text=more.strip(), tags=tags, replays=replays)


def _leave_out_own(words: str, own: tuple[str, ...]) -> str:
    """Return the comments on a move without the first of the texts `own` that they contain as whole lines."""
    lines = f"\n{words}\n"
    found = next((text for text in own if text and f"\n{text}\n" in lines), None)
    return words if found is None else lines.replace(f"\n{found}\n", "\n", 1).strip("\n")


def _fold_sentence(text: str) -> str:
    return " ".join(set_sentence(text.strip()).casefold().split())


def describe_address(
    source: StudySource,
    page: str,
    address: Address,
    *,
    run: Run | None = None,
    effort: float = 1.0,
) -> Section:
    """Return the section of what an address of the dashboard shows. `run` is its run under its current name.

    Raises a GameError, such as InvalidError, if the address shows nothing in particular or something that is not there.
    """
    return _hide_section_folders(_describe_page(source, page, address, run, effort))


def _describe_page(
    source: StudySource, page: str, address: Address, run: Run | None, effort: float
) -> Section:
    reading = read_question(page, address)
    section = _describe_question(source, reading.question, run, effort)
    return replace(section, warning=" ".join(filter(None, (section.warning, *reading.problems))))


def _describe_question(  # noqa: C901, PLR0911 - one for each class of questions
    source: StudySource, question: Question, run: Run | None, effort: float
) -> Section:
    """Return the section of a question. Raises InvalidError for one that has no answer to give away."""
    match question:
        case ScoresQuestion() if question.rulesets or question.runs:
            return _describe_scores(source, question, run)
        case CardQuestion():
            return describe_card_section(source, question)
        case RuleEffectQuestion():
            return describe_rule_effect(source, question)
        case RulesQuestion(ruleset=name) if name:
            return describe_rules(source, question)
        case SqlQuestion(sql=sql) if sql:
            return describe_question(source, question)
        case GamesQuestion():
            return describe_game_list(source, question)
        case GameQuestion(run=name) if name:
            return describe_game(source, run or source.find_run(name), question, effort=effort)
        case WhatifQuestion(run=name) | ManyGamesQuestion(run=name) if name:
            return describe_whatif(run or source.find_run(name), question)
        case KnownComparisonQuestion(run=name):
            answer = answer_comparison(question, run or source.find_run(name))
            section = describe_comparison(source, answer)
            return replace(section, warning=" ".join(filter(None, (section.warning, *answer.problems))))
        case NewComparisonQuestion(ruleset=name) | SimulationQuestion(ruleset=name) if name:
            raise InvalidError(f"this has not been played yet; play it with: {question.command}")
        case HandGameQuestion(seats=seats) if seats:
            raise InvalidError(f"this game by hand is in progress; go on with: {question.command}")
    raise InvalidError(
        f"the address of the page {question.page} says nothing in particular; open something on it first"
    )


def _hide_section_folders(section: Section) -> Section:
    """Return a section in which no path of this machine is left: a study is given away."""
    return replace(
        section,
        title=hide_folders(section.title),
        verdict=hide_folders(section.verdict),
        consequences=tuple(map(hide_folders, section.consequences)),
        basis=hide_folders(section.basis),
        problem=hide_folders(section.problem),
        tables=tuple(
            table._replace(rows=tuple(tuple(map(hide_folders, row)) for row in table.rows))
            for table in section.tables
        ),
        replays=tuple(
            one._replace(scene=hide_folders(one.scene), label=hide_folders(one.label))
            for one in section.replays
        ),
        continuations=tuple(
            one._replace(
                choices=tuple(choice._replace(pair=hide_folders(choice.pair)) for choice in one.choices)
            )
            for one in section.continuations
        ),
        facts=tuple(fact._replace(value=hide_folders(fact.value)) for fact in section.facts),
        commands=tuple(map(hide_folders, section.commands)),
    )


def _describe_scores(source: StudySource, question: ScoresQuestion, run: Run | None) -> Section:
    """Return the section of the page Scores. The games of a saved what-if are about its question."""
    names = question.runs
    found = run or (source.find_run(names[0]) if len(names) == 1 else None)
    if found and found.summary.is_whatif:
        with suppress(GameError):  # the game that the question is about may be gone
            return describe_saved_whatif(source, found)
    return describe_scores(source, question, found)
