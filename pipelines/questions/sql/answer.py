"""The answer to a question in SQL: rows, without any word on their uncertainty, which a query knows nothing of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import InvalidError
from pipelines.questions.measured import Basis
from pipelines.runs.query import MAX_QUERY_ROWS, QUERY_TIMEOUT_SECONDS, answer_query, find_mistake
from pipelines.runs.query_parameters import bind_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipelines.questions.source import QuestionSource
    from pipelines.questions.sql.question import SqlQuestion
    from pipelines.runs.query import Answer, QueryPosition
    from pipelines.runs.query_parameters import ParameterValue
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class SqlAnswer:
    """The rows of a query, the values that it was asked with, and the runs that it read."""

    question: SqlQuestion
    answer: Answer
    parameters: Mapping[str, ParameterValue]
    basis: Basis


def answer_sql(
    question: SqlQuestion,
    source: QuestionSource,
    *,
    rows: int = MAX_QUERY_ROWS,
    seconds: float = QUERY_TIMEOUT_SECONDS,
    on_start: Callable[[Callable[[], None]], None] = lambda _: None,
) -> SqlAnswer:
    """Return the answer of a query with at most `rows` rows, in at most `seconds`.

    `on_start` is called with a function that stops the query and may be called from any thread. Raises InvalidError for an unknown run, a missing or wrong value of a parameter, and a query that fails.
    """
    if not question.sql.strip():
        raise InvalidError("there is no query")
    runs = source.find_runs(question.runs)
    parameters = _bind_values(question, runs)
    answer = answer_query(
        runs, question.sql, parameters=parameters, rows=rows, seconds=seconds, on_start=on_start
    )
    damaged = (*(() if question.runs else source.unreadable), *answer.left_out)
    left_out = [f"{message}; the answer is that of the other runs" for message in damaged]
    left_out += question.problems
    basis = Basis(runs=tuple(run.name for run in runs), left_out=tuple(left_out))
    return SqlAnswer(question, answer, parameters, basis)


def locate_mistake(question: SqlQuestion, source: QuestionSource) -> QueryPosition | None:
    """Return where a query that failed is wrong; None if that shows only when it runs, or if a run or a value is wrong."""
    try:
        return find_mistake(question.sql, _bind_values(question, source.find_runs(question.runs)))
    except InvalidError:
        return None


def _bind_values(question: SqlQuestion, runs: Sequence[Run]) -> dict[str, ParameterValue]:
    return bind_parameters(question.sql, question.texts, question.parameter_kinds, runs)
