"""The answer to a question about scores: that of its view, with everything that its sheet shows."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from engine.errors import GameError, InvalidError
from pipelines.design.limits import MAX_RANGE_END
from pipelines.questions.address import describe_unknown
from pipelines.questions.scores import distributions, squares
from pipelines.questions.scores.decisions import DecisionsAnswer, answer_decisions, list_decision_groupings
from pipelines.questions.scores.means import LengthsAnswer, MeansAnswer, answer_lengths, answer_means
from pipelines.questions.scores.moves import MovesAnswer, answer_moves, list_groupings
from pipelines.questions.scores.scope import (
    PlayedRuleset,
    ScoresScope,
    find_played_rulesets,
    find_scope,
    has_subject,
    resolve_scores,
)
from pipelines.questions.scores.selection import SelectionAnswer, answer_selection

if TYPE_CHECKING:
    from pipelines.questions.measured import Basis
    from pipelines.questions.scores.question import Comparison, ScoresQuestion
    from pipelines.questions.source import QuestionSource


@dataclass(frozen=True)
class DistributionsAnswer:
    """How scores, or the points of a part, spread."""

    question: ScoresQuestion
    scope: ScoresScope
    groups: tuple[distributions.GroupScores, ...]
    comparisons: tuple[distributions.MeansComparison, ...]
    """Empty if nothing can be compared fairly, or if there are too few blocks. Of several rulesets one for each strategy."""
    basis: Basis
    listed: tuple[distributions.ResultInRange, ...] | None = None
    """The first results in the range that the question names; None if it names none."""
    run_results: tuple[distributions.StrategyResult, ...] = ()
    """The results of every strategy, of a question about a whole run."""
    problems: tuple[str, ...] = ()
    """A sentence on everything that the question names and that does not exist."""

    @property
    def results(self) -> int:
        return sum(group.scores.n for group in self.groups)

    @property
    def needs_games(self) -> bool:
        """Whether there are games, but too few for intervals."""
        return bool(self.groups) and not any(group.mean.has_interval for group in self.groups)

    @property
    def part(self) -> str:
        """The name of the part; empty for whole scores."""
        return distributions.find_part(self.question, self.scope)

    @property
    def compared(self) -> Comparison:
        """What shares a panel."""
        return distributions.find_comparison(self.question, self.scope)


ScoresAnswer: TypeAlias = (
    DistributionsAnswer
    | MeansAnswer
    | LengthsAnswer
    | squares.SquaresAnswer
    | SelectionAnswer
    | MovesAnswer
    | DecisionsAnswer
)

MAX_RESULTS_IN_RANGE: Final = 200
"""Results in a range that are listed."""


class PreparedScores(NamedTuple):
    """A question that names only what the library has, and what it counts. A page shows a form of it before it is answered."""

    question: ScoresQuestion
    scope: ScoresScope
    problems: tuple[str, ...]
    """A sentence on everything that was named and does not exist."""
    has_subject: bool
    """Whether one of the rulesets and one of the runs that were named exist."""

    def with_fields(self, **fields: Any) -> PreparedScores:  # noqa: ANN401 - values of fields of the question
        """Return the same with other values of fields that do not say which results count."""
        return self._replace(question=self.question.model_copy(update=fields))


def answer_scores(question: ScoresQuestion, source: QuestionSource) -> ScoresAnswer:
    """Return the answer of the view that a question asks for.

    Raises InvalidError if the library has no games of its rulesets or none of its runs, and if a file is damaged.
    """
    prepared = prepare_scores(question, find_played_rulesets(question, source), source)
    if not prepared.has_subject:
        raise InvalidError(" ".join(prepared.problems))
    return answer_prepared_scores(prepared, source)


def prepare_scores(
    question: ScoresQuestion, played: Mapping[str, PlayedRuleset], source: QuestionSource
) -> PreparedScores:
    """Return what a question asks of the rulesets that were played. Raises InvalidError without one."""
    resolved, problems = resolve_scores(question, played)
    scope = find_scope(resolved, played)
    compared, kind, impossible = distributions.find_comparison(resolved, scope), resolved.map, list[str]()
    if resolved.compared not in {"", compared}:
        impossible.append(describe_unknown("way to compare", resolved.compared, "of a single ruleset"))
    if resolved.view == "Squares":
        with suppress(GameError, OSError):  # the answer says why the board cannot be drawn
            impossible += squares.find_square_problems(resolved, scope, source)
            kind = kind if kind in squares.list_map_kinds(resolved, scope) else "Filled"
    by = resolved.by
    if resolved.view == "Moves" and by not in (groupings := list_groupings(resolved, scope)):
        impossible.append(describe_unknown("grouping by", by, "under this ruleset"))
        by = groupings[0]
    grouping = resolved.grouping
    if resolved.view == "Decisions" and grouping not in list_decision_groupings(resolved):
        impossible.append(describe_unknown("grouping of decisions", grouping, "of luck"))
        grouping = "round"
    prepared = resolved.model_copy(update={"compared": compared, "map": kind, "by": by, "grouping": grouping})
    is_possible = has_subject(question, resolved)
    return PreparedScores(prepared, scope, (*problems, *(impossible if is_possible else ())), is_possible)


def answer_prepared_scores(
    prepared: PreparedScores, source: QuestionSource, marks: squares.MarkCounts | None = None
) -> ScoresAnswer:
    """Return the answer to a prepared question. `marks` are those counted so far; without them a map of marks counts all."""
    question, scope, problems, _ = prepared
    answer: ScoresAnswer
    match question.view:
        case "Scores":
            answer = _answer_distributions(question, scope, source)
        case "Explore":
            answer = answer_selection(question, scope, source)
        case "Length":
            answer = answer_lengths(question, scope, source)
        case "Squares":
            answer = squares.answer_squares(question, scope, source, marks)
        case "Moves":
            answer = answer_moves(question, scope, source)
        case "Decisions":
            answer = answer_decisions(question, scope, source)
        case _:
            answer = answer_means(question, scope, source)
    return replace(answer, problems=(*problems, *answer.problems))


def _answer_distributions(
    question: ScoresQuestion, scope: ScoresScope, source: QuestionSource
) -> DistributionsAnswer:
    """Return the distributions that a question asks for. There may be none."""
    part = distributions.find_part(question, scope)
    groups = distributions.read_score_groups(scope, source, part)
    answer = DistributionsAnswer(
        question,
        scope,
        groups,
        distributions.compare_means(scope, source, part),
        scope.describe_basis(group.blocks for group in groups),
    )
    is_whole_run = len(question.runs) == len(scope.runs) == 1 and not (
        question.strategies or question.seats or part
    )
    return replace(
        answer,
        listed=list_results_asked(answer, source),
        run_results=tuple(distributions.answer_run(scope.runs[0])) if is_whole_run else (),
    )


def list_results_asked(
    answer: DistributionsAnswer, source: QuestionSource
) -> tuple[distributions.ResultInRange, ...] | None:
    """Return the first results in the range that a question names; None if it names none."""
    question = answer.question
    if question.low is None and question.high is None:
        return None
    span = (
        -MAX_RANGE_END if question.low is None else question.low,
        MAX_RANGE_END if question.high is None else question.high,
    )
    return tuple(
        distributions.list_results_in_range(answer.scope, source, answer.part, span, MAX_RESULTS_IN_RANGE)
    )
