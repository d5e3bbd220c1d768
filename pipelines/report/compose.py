"""The sheet of every answer: one function for each class of answers, which stands beside the words of its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.questions.comparison.answer import ComparisonAnswer
from pipelines.questions.games.answer import GamesAnswer
from pipelines.questions.sql.answer import SqlAnswer
from pipelines.report.comparison import compose_comparison
from pipelines.report.games import compose_games
from pipelines.report.sql import compose_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.report.sheet import FindLooks, Sheet

COMPOSERS: Final[Mapping[type, Callable[[Any, FindLooks], Sheet]]] = {
    ComparisonAnswer: compose_comparison,
    GamesAnswer: compose_games,
    SqlAnswer: compose_sql,
}


def compose(answer: object, find_looks: FindLooks) -> Sheet:
    """Return the sheet of an answer. It is pure: an answer that grows has the same parts under the same keys.

    `find_looks` returns the looks of strategies by their names.
    """
    return COMPOSERS[type(answer)](answer, find_looks)
