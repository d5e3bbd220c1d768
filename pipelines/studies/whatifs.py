"""Sections of a study on what-if questions: their continuations are played again, or read from the run that holds them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.counted_nouns import capitalise
from engine.errors import InvalidError
from pipelines.design.whatif import WhatIfDesign
from pipelines.panel.documents import continuation_document, find_continuation
from pipelines.questions.whatif.answer import answer_many_games, answer_saved_whatif, answer_whatif
from pipelines.questions.whatif.question import (
    ManyGamesQuestion,
    WhatifQuestion,
    resolve_many_games,
    resolve_whatif,
)
from pipelines.report.charts.whatif import branch_scores_chart, score_changes_chart
from pipelines.report.estimates import set_sentence
from pipelines.report.runs import list_run_facts
from pipelines.report.sentences.whatif import (
    basis_sentence,
    positions_basis_sentence,
    positions_sentence,
    whatif_sentence,
)
from pipelines.report.sheet import Continuation, Continuations, Fact, Part, Sheet
from pipelines.report.tables.whatif import effects_table, overall_table
from pipelines.report.wording import format_count, format_player, name_branches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.questions.whatif.answer import WhatifAnswer
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource


def describe_whatif(run: Run, question: WhatifQuestion | ManyGamesQuestion) -> Sheet:
    """Return the sheet of a what-if question about a run. Raises a GameError if the question is not possible."""
    asked = question.model_copy(update={"run": run.name})
    return (
        _describe_many_games(asked, run)
        if isinstance(asked, ManyGamesQuestion)
        else _describe_whatif(asked, run)
    )


def _describe_whatif(question: WhatifQuestion, run: Run) -> Sheet:
    question, problems = resolve_whatif(question, run)
    if problems:
        raise InvalidError(" ".join(problems))
    return _describe_answer(answer_whatif(question, run), run)


def _describe_answer(answer: WhatifAnswer, run: Run) -> Sheet:
    """Return the sheet of an answer about a game of a run."""
    whatif, question = answer.whatif, answer.question
    return Sheet(
        kind="what-if",
        title=question.describe(whatif.fork.ruleset),
        verdict=whatif_sentence(whatif),
        basis=f"Game {question.game + 1} of {run.name}, from move {question.ply + 1} on: "
        f"{set_sentence(basis_sentence(whatif))}",
        parts=(
            *_draw_branches(whatif),
            _choose_continuations(whatif, run),
            Part("players", effects_table(whatif)),
        ),
        facts=(*list_run_facts(run), Fact("Seed of the continuations", str(question.seed))),
        commands=(run.summary.command, question.command),
    )


def _choose_continuations(answer: WhatIf, run: Run) -> Part:
    """Return the continuations in which the change lost most and gained most, and one in the middle."""
    fork = answer.fork
    logged: Mapping[str, Any] = {} if fork.change else run.scene(fork.game_id)
    was, now = name_branches(answer)
    choices = [
        Continuation(name, continuation_document(answer, find_continuation(answer, place), logged))
        for name, place in (("largest loss", "worst"), ("in the middle", "middle"), ("largest gain", "best"))
    ]
    return Part(
        "continuations",
        Continuations(
            title="One continuation on both branches",
            names=(capitalise(was), capitalise(now)),
            choices=tuple(choices),
            opened=1,
        ),
        caption=f"Of {format_count(answer.n, 'continuation')}: the one in which player {fork.seat + 1} lost most by the "
        "change, one in the middle, and the one in which the gain was largest.",
    )


def describe_saved_whatif(source: StudySource, run: Run) -> Sheet:
    """Return the sheet of a run that holds the continuations of a what-if question.

    Nothing is played again. Raises InvalidError if the game that the question is about is not in the library.
    """
    design = run.design
    if not isinstance(design, WhatIfDesign):
        raise InvalidError(f"{run.name} holds no what-if question")
    parent = source.find_run(design.fork.run)
    return _describe_answer(answer_saved_whatif(run, parent), parent)


def _draw_branches(answer: WhatIf) -> list[Part]:
    """Return the scores on both branches, and the change in the score of every player."""
    scores, changes = branch_scores_chart(answer), score_changes_chart(answer)
    count = format_count(answer.n, "continuation")
    return [
        Part(
            "branches",
            replace(scores, title=f"Final score of {format_player(answer.fork.seat)}"),
            caption=f"The share of {count} of each branch with each score; 95 % intervals.",
        ),
        Part(
            "changes",
            changes,
            caption=f"95 % intervals from {count} of each branch with the same luck.",
        ),
    ]


def _describe_many_games(question: ManyGamesQuestion, run: Run) -> Sheet:
    question, problems = resolve_many_games(question, run)
    if problems:
        raise InvalidError(" ".join(problems))
    positions = answer_many_games(question, run).positions
    basis = positions_basis_sentence(positions, question.games, question.where)
    return Sheet(
        kind="what-if",
        title=question.describe(question.find_ruleset(run)),
        verdict=positions_sentence(positions),
        basis=set_sentence(f"in {run.name}, {basis}"),
        parts=(Part("overall", overall_table(positions)),) if positions.has_enough_blocks else (),
        facts=(*list_run_facts(run), Fact("Seed of the continuations", str(question.seed))),
        commands=(run.summary.command, question.command),
    )
