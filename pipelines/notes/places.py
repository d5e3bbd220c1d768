"""Where a note leads: the places of runs, games and plies, and the run of a note under the name that it has now."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import GameError, InvalidError
from pipelines.design.limits import choose_title
from pipelines.notes.note import NotePlace
from pipelines.questions.address import write_address
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.every_question import read_question
from pipelines.questions.game import START_PLY, GameQuestion, game_address
from pipelines.questions.games import GamesQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesetQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.sql import SqlQuestion
from pipelines.questions.whatif import ManyGamesQuestion, WhatifQuestion
from pipelines.report.wording import format_run_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipelines.notes.note import Note, NoteKind
    from pipelines.questions.address import Address, Question
    from pipelines.runs.run import Run


def run_key(run: Run) -> str:
    """Return what identifies a run whatever its file is called and wherever it lies: copies have the same key.

    The moment at which it was sealed, to the microsecond, its seed and its command make it.
    """
    summary = run.summary
    parts = f"{summary.created_at.isoformat()}\n{summary.seed}\n{summary.command}"
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def place_of_run(run: Run) -> NotePlace:
    """Return the place of a whole run: a comparison on its own page, another run on the page Scores."""
    summary = run.summary
    if summary.is_comparison:
        return _place_of_question("comparison", KnownComparisonQuestion(run=run.name), run)
    question = ScoresQuestion(rulesets=(summary.rulesets[0].name,), runs=(run.name,))
    return _place_of_question("what-if" if summary.is_whatif else "run", question, run)


def _place_of_question(kind: NoteKind, question: Question, run: Run) -> NotePlace:
    return NotePlace(kind, question.page, write_address(question), run_key(run))


def place_of_game(run: Run, game: int, ply: int | None = None) -> NotePlace:
    """Return the place of a game, or of a ply in it. Raises InvalidError if the run does not have it."""
    run.game(game)
    kind: NoteKind = "game" if ply is None else "ply"
    return NotePlace(kind, GameQuestion.page, game_address(run.name, game, ply), run_key(run))


def place_of_address(page: str, address: Address, runs: Iterable[Run]) -> NotePlace | None:
    """Return the place of an address of the dashboard; None if it says nothing in particular."""
    named = {run.name: run for run in runs}
    names = [*address.get("run", ()), *address.get("runs", ())]
    run = named.get(names[0]) if len(names) == 1 else None
    try:
        kind = _kind_of_question(read_question(page, address).question)
    except InvalidError:
        return None
    return None if kind is None else NotePlace(kind, page, address, run_key(run) if run else None)


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
        case WhatifQuestion(run=name) | ManyGamesQuestion(run=name) if name:
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
    """Return the title that a note gets if nobody writes another. With the run of the note among `runs`, a move has its name.

    >>> title_of_place(NotePlace("ply", "replay", {"run": ["demo"], "game-number": ["4"], "move": ["8"]}))
    'Move 8 of game 4 of demo'
    """
    question = read_question(place.page, place.address).question
    title = question.title
    if isinstance(question, ScoresQuestion) and place.kind != "chart":  # a whole run
        title = f"{place.kind.capitalize()}: {', '.join(question.runs)}"
    elif isinstance(question, WhatifQuestion | ManyGamesQuestion):
        run = next((run for run in runs if place.run_key == run_key(run)), None)
        with suppress(GameError):  # a game or an action that the run does not have
            title = question.describe(question.find_ruleset(run)) if run else title
    return choose_title(None, title)


def is_default_title(title: str, place: NotePlace, runs: Iterable[Run]) -> bool:
    """Return whether a note gets this title if nobody writes another, or got it from an older version, which knew no names of moves."""
    return title in {title_of_place(place), title_of_place(place, runs)}


def find_own_title(note: Note, runs: Iterable[Run] = ()) -> str:
    """Return the title of a note; empty if it is that by default. `runs` hold the run of the note, if it is still there."""
    found = place_of_address(note.page, note.address, ())
    place = found and replace(found, kind=note.kind, run_key=note.run_key)
    return "" if place and is_default_title(note.title, place, runs) else note.title


def find_shown_title(note: Note, address: Address | None, runs: Iterable[Run]) -> str:
    """Return the title of a note; without one of its own, a comparison is called by its question, which is the title of its run.

    `address` is that of the note now, and `runs` are those of the library.
    """
    if note.kind == "comparison" and address and not find_own_title(note):
        found = next((run for run in runs if [run.name] == address.get("run")), None)
        return format_run_title(found.summary) if found else note.title
    return note.title


def names_by_key(runs: Iterable[Run]) -> dict[str, list[str]]:
    """Return the names of the runs of each key: several if a file was copied."""
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(run_key(run), []).append(run.name)
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
