"""The sections of a study: each is made from an address of the dashboard, or from a note, which keeps an address."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import GameError, InvalidError
from pipelines.notes.places import place_of_address, title_of_place
from pipelines.report.wording import hide_folders
from pipelines.studies.address import first_values, read_number
from pipelines.studies.comparisons import describe_comparison
from pipelines.studies.games import DEFAULT_REVIEW_EFFORT, describe_game
from pipelines.studies.questions import describe_question
from pipelines.studies.rules import describe_rules
from pipelines.studies.scores import describe_scores
from pipelines.studies.study import Section
from pipelines.studies.whatifs import describe_saved_whatif, describe_whatif_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.notes.note import Address, Note
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource


def describe_note(source: StudySource, note: Note, *, effort: float = DEFAULT_REVIEW_EFFORT) -> Section:
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
    is_own_title = note.title != _default_title(note)
    return replace(
        section, title=note.title if is_own_title else section.title, text=note.text, tags=note.tags
    )


def _default_title(note: Note) -> str:
    place = place_of_address(note.page, note.address, ())
    return title_of_place(replace(place, kind=note.kind)) if place else ""


def describe_address(
    source: StudySource,
    page: str,
    address: Address,
    *,
    run: Run | None = None,
    effort: float = DEFAULT_REVIEW_EFFORT,
) -> Section:
    """Return the section of what an address of the dashboard shows. `run` is its run under its current name.

    Raises a GameError, such as InvalidError, if the address shows nothing in particular or something that is not there.
    """
    return _hide_section_folders(_describe_page(source, page, address, run, effort))


def _describe_page(
    source: StudySource, page: str, address: Address, run: Run | None, effort: float
) -> Section:
    fields = first_values(address)
    if page == "rules" and "ruleset" in fields:
        return describe_rules(source, fields)
    if page == "sql" and "sql" in fields:
        return describe_question(source, address)
    if page == "scores" and ("rulesets" in fields or "runs" in fields):
        return _describe_scores(source, address, run)
    if page in {"replay", "whatif", "strategies"} and "run" in fields:
        found = run or source.find_run(fields["run"])
        if page == "whatif":
            return describe_whatif_address(found, address)
        if page == "strategies":
            return describe_comparison(source, found, metric=fields.get("metric"))
        return _describe_replay(found, fields, effort)
    if page == "play" and "seats" in fields:
        raise InvalidError("this game by hand is in progress; a study shows it when it is finished")
    if page == "strategies" and "ruleset" in fields:
        raise InvalidError("this comparison has not been played yet; a study shows it when it is finished")
    raise InvalidError(
        f"the address of the page {page} says nothing in particular; open something on it first"
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


def _describe_replay(run: Run, fields: Mapping[str, str], effort: float) -> Section:
    is_start = fields.get("ply", "-1") == "-1"
    ply = None if is_start else read_number(fields, "ply", 0)
    is_reviewed = fields.get("review") == "1"
    return describe_game(run, read_number(fields, "game", 0), ply, is_reviewed=is_reviewed, effort=effort)


def _describe_scores(source: StudySource, address: Address, run: Run | None) -> Section:
    """Return the section of the page Scores. The games of a saved what-if are about its question."""
    names = address.get("runs", ())
    found = run or (source.find_run(names[0]) if len(names) == 1 else None)
    if found and found.summary.is_whatif:
        with suppress(GameError):  # the game that the question is about may be gone
            return describe_saved_whatif(source, found)
    return describe_scores(source, address, found)
