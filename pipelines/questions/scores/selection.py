"""The selection of the view Explore: read from the address, and compared with all other results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipelines.questions.scores import results
from pipelines.questions.scores.results import ResultQuestion, Selection

if TYPE_CHECKING:
    from pipelines.questions.measured import Basis
    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.questions.scores.results import ResultCells, SelectedResult, SelectionReport
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource

MAX_VALUE: Final = 2**31


@dataclass(frozen=True)
class SelectionAnswer:
    """A selection compared with all other results."""

    question: ScoresQuestion
    scope: ScoresScope
    selection: Selection
    report: SelectionReport
    basis: Basis


def make_result_question(scope: ScoresScope) -> ResultQuestion:
    """Return which results count, with the parts of the score as measures."""
    return ResultQuestion(scope.hashes, scope.strategies, scope.seats, tuple(scope.part_titles))


def list_measure_titles(scope: ScoresScope) -> dict[str, str]:
    """Return the titles of all measures by name, in the order of the charts."""
    parts = {results.PART_PREFIX + part: title for part, title in scope.part_titles.items()}
    return {
        results.SCORE: "Score",
        results.MARGIN: "Margin",
        results.ROUNDS: "Length in rounds",
        **parts,
        results.WON: "Share of games won",
    }


def read_selection(question: ScoresQuestion, scope: ScoresScope) -> tuple[Selection, tuple[str, ...]]:
    """Return the selection of an address, and a sentence on what it names that does not exist."""
    try:
        document: Any = json.loads(question.select) if question.select else {}
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return Selection(), ("The selection in the address cannot be read.",)
    measures = make_result_question(scope).measures
    members = {
        results.SEAT: scope.players,
        results.STRATEGY: len(scope.strategies),
        results.RULESET: len(scope.rulesets),
    }
    held = {key: _read_integers(values) for key, values in document.items()}
    ranges = tuple((name, held[name][0], held[name][1]) for name in measures if len(held.get(name, ())) == 2)
    groups = tuple(
        (name, chosen)
        for name, size in members.items()
        if (chosen := tuple(value for value in held.get(name, ()) if 0 <= value < size))
    )
    known = {name for name, *_ in (*ranges, *groups)}
    unknown = [str(key)[:60] for key in document if key not in known]
    problem = f"The selection in the address holds nothing that can be read for {', '.join(unknown)}."
    return Selection(ranges, groups), (problem,) if unknown else ()


def _read_integers(values: object) -> tuple[int, ...]:
    """Return a list of integers of JSON; empty for anything else."""
    if isinstance(values, list) and all(type(one) is int and abs(one) <= MAX_VALUE for one in values):
        return tuple(values)
    return ()


def answer_number_of_results(scope: ScoresScope, source: QuestionSource) -> int:
    """Return how many results count."""
    return source.query(results.count_results, scope.runs, make_result_question(scope))


def answer_cells(
    scope: ScoresScope, source: QuestionSource, most: int | None, selection: Selection = results.EVERYTHING
) -> ResultCells:
    """Return how many results have the same bins of all measures: of about `most` results, or of all if it is None.

    No cell is partly inside of a range of `selection`.
    """
    question = make_result_question(scope)._replace(most=most)
    return source.query(results.count_result_cells, scope.runs, question, selection)


def answer_selected_results(
    scope: ScoresScope,
    source: QuestionSource,
    selection: Selection,
    most: int,
    games: tuple[tuple[str, int], ...] | None,
) -> list[SelectedResult]:
    """Return the first selected results, `most` at most; only those of these games (run and number) unless it is None."""
    question = make_result_question(scope)
    return source.query(results.selected_results, scope.runs, question, selection, most, games)


def answer_selection(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> SelectionAnswer:
    """Return how the selected results differ from all others."""
    selection, _ = read_selection(question, scope)
    report = source.query(results.selected_differences, scope.runs, make_result_question(scope), selection)
    blocks = max((row.difference.blocks for row in report.differences if row.difference), default=0)
    return SelectionAnswer(question, scope, selection, report, scope.describe_basis(blocks))
