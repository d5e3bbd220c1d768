"""The answer to a question about scores: that of its view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from pipelines.questions.scores.distributions import DistributionsAnswer, answer_distributions
from pipelines.questions.scores.lengths import LengthsAnswer, answer_lengths
from pipelines.questions.scores.place_means import MeansAnswer, answer_means
from pipelines.questions.scores.scope import find_scope, resolve_scores
from pipelines.questions.scores.selection import SelectionAnswer, answer_selection, read_selection
from pipelines.questions.scores.squares import SquaresAnswer, answer_squares, find_square_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.questions.scores.question import ScoresQuestion, View
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource

ScoresAnswer: TypeAlias = DistributionsAnswer | MeansAnswer | LengthsAnswer | SquaresAnswer | SelectionAnswer

_ANSWERS: Final[Mapping[View, Callable[[ScoresQuestion, ScoresScope, QuestionSource], ScoresAnswer]]] = {
    "Scores": answer_distributions,
    "Explore": answer_selection,
    "Parts": answer_means,
    "Course": answer_means,
    "Players": answer_means,
    "Length": answer_lengths,
    "Squares": answer_squares,
}


def answer_scores(question: ScoresQuestion, source: QuestionSource) -> tuple[ScoresAnswer, tuple[str, ...]]:
    """Return the answer of the view that a question asks for, and a sentence on everything in it that does not exist.

    Raises InvalidError if the library has no games, and if a file is damaged.
    """
    resolved, problems = resolve_scores(question, source)
    scope = find_scope(resolved, source)
    if resolved.view == "Explore":
        problems += read_selection(resolved, scope)[1]
    if resolved.view == "Squares":
        problems += find_square_problems(resolved, scope, source)
    return _ANSWERS[resolved.view](resolved, scope, source), problems
