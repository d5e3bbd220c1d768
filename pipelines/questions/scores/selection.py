"""The selection of the view Explore: read from the address, and compared with all other results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from engine.errors import InvalidError
from pipelines.questions.scores import results
from pipelines.questions.scores.results import ResultQuestion, Selection

if TYPE_CHECKING:
    from pipelines.questions.measured import Basis
    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.questions.scores.results import (
        ResultCells,
        SelectedResult,
        SelectionReport,
    )
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource

MAX_VALUE: Final = 2**31


MAX_RESULTS_LISTED: Final = 50


@dataclass(frozen=True)
class SelectionAnswer:
    """All measures of the results, and a selection of them compared with all others."""

    question: ScoresQuestion
    scope: ScoresScope
    selection: Selection
    results: int
    """How many results count. The cells may be those of a sample."""
    cells: ResultCells
    report: SelectionReport | None
    """None if nothing is selected."""
    selected: tuple[SelectedResult, ...]
    """The first selected results."""
    basis: Basis
    problems: tuple[str, ...] = ()


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
    """Return how all measures spread, and how the selected results differ from all others. Raises InvalidError for several games."""
    if len({one.game for one in scope.rulesets}) > 1:
        raise InvalidError(
            "choose rulesets of one game: the points of different games have nothing in common"
        )
    selection, problems = read_selection(question, scope)
    asked = make_result_question(scope)
    every = source.query(results.count_results, scope.runs, asked)
    most = None if question.every == "true" or every <= results.MAX_CELLS else results.MAX_CELLS
    cells = source.query(results.count_result_cells, scope.runs, asked._replace(most=most), selection)
    if selection == results.EVERYTHING or not every:
        return SelectionAnswer(
            question, scope, selection, every, cells, None, (), scope.describe_basis(), problems
        )
    report = source.query(results.selected_differences, scope.runs, asked, selection)
    selected = source.query(results.selected_results, scope.runs, asked, selection, MAX_RESULTS_LISTED)
    blocks = max((row.difference.blocks for row in report.differences if row.difference), default=0)
    basis = scope.describe_basis(blocks)
    return SelectionAnswer(question, scope, selection, every, cells, report, tuple(selected), basis, problems)
