"""The sheet of every answer: one function for each class of answers, which stands beside the words of its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.questions.comparison.answer import ComparisonAnswer
from pipelines.questions.scores.answer import DistributionsAnswer
from pipelines.questions.scores.lengths import LengthsAnswer
from pipelines.questions.scores.place_means import MeansAnswer
from pipelines.questions.scores.selection import SelectionAnswer
from pipelines.questions.scores.squares import SquaresAnswer
from pipelines.report.comparison import compose_comparison
from pipelines.report.scores import compose_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.report.sheet import FindLooks, Sheet

COMPOSERS: Final[Mapping[type, Callable[[Any, FindLooks], Sheet]]] = {
    ComparisonAnswer: compose_comparison,
    DistributionsAnswer: compose_scores,
    LengthsAnswer: compose_scores,
    MeansAnswer: compose_scores,
    SelectionAnswer: compose_scores,
    SquaresAnswer: compose_scores,
}


def compose(answer: object, find_looks: FindLooks) -> Sheet:
    """Return the sheet of an answer. It is pure: an answer that grows has the same parts under the same keys.

    `find_looks` returns the looks of strategies by their names.
    """
    return COMPOSERS[type(answer)](answer, find_looks)
