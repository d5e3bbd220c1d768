"""Questions in SQL: the query with its parameters, runs and chart, and the rows, whose uncertainty a query does not know."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints

from engine.errors import InvalidError
from pipelines.design.limits import check_unicode
from pipelines.questions.address import Question
from pipelines.questions.measured import Basis
from pipelines.runs.query import (
    MAX_QUERY_ROWS,
    QUERY_TIMEOUT_SECONDS,
    Answer,
    QueryPosition,
    answer_query,
    find_mistake,
)
from pipelines.runs.query_parameters import (
    PARAMETER_KINDS,
    ParameterKind,
    ParameterValue,
    bind_parameters,
    find_parameters,
    split_setting,
)

if TYPE_CHECKING:
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run

ChartKind: TypeAlias = Literal["", "bar", "line", "points"]


def _check_setting(text: str) -> str:
    split_setting(text)
    return text


def _check_kind(text: str) -> str:
    _, kind = split_setting(text)
    if kind not in PARAMETER_KINDS:
        raise ValueError(
            f"there is no kind of parameter {kind[:40]}; the kinds are {', '.join(PARAMETER_KINDS)}"
        )
    return text


class SqlQuestion(Question):
    """A query over the runs of the library. Values of parameters never become part of its text."""

    page: ClassVar[str] = "sql"

    sql: Annotated[str, Field(title="query"), StringConstraints(strip_whitespace=False)] = ""
    settings: Annotated[
        tuple[Annotated[str, AfterValidator(_check_setting)], ...],
        Field(title="value of a parameter", alias="set"),
    ] = ()
    """`n=3` for each parameter `$n`."""
    kinds: Annotated[
        tuple[Annotated[str, AfterValidator(_check_kind)], ...],
        Field(title="kind of a parameter", alias="type"),
    ] = ()
    """`n=text` for each parameter whose name says another kind."""
    runs: Annotated[tuple[str, ...], Field(title="run")] = ()
    """Names of the runs that the query reads; all runs if empty."""
    chart: Annotated[ChartKind, Field(title="kind of chart", alias="kind")] = ""
    x: str = ""
    y: str = ""

    @property
    def title(self) -> str:
        return " ".join(self.sql.split())[:80] or "Question in SQL"

    @property
    def command(self) -> str:
        words = ["reroll", "sql", self.sql]
        words += [word for text in self.settings for word in ("--set", text)]
        words += [word for name in self.runs for word in ("--run", name)]
        return shlex.join(words)

    @property
    def typed_sql(self) -> str:
        return self.sql

    @property
    def texts(self) -> dict[str, str]:
        """The values of the parameters of the query, as people typed them. Settings of other names do not count."""
        names = {name.lower() for name in find_parameters(self.sql)}
        return {name: text for name, text in map(split_setting, self.settings) if name.lower() in names}

    @property
    def parameter_kinds(self) -> dict[str, ParameterKind]:
        """The kinds of parameters that the address names."""
        kinds = dict(map(split_setting, self.kinds))
        return {name: kind for name, text in kinds.items() for kind in PARAMETER_KINDS if kind == text}

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence on each value and each kind that is of no parameter of the query."""
        known = {name.lower() for name in find_parameters(self.sql)}
        names = dict.fromkeys(name for name, _ in map(split_setting, (*self.settings, *self.kinds)))
        return tuple(f"The query has no parameter ${name}." for name in names if name.lower() not in known)

    def draw_as(self, other: SqlQuestion) -> SqlQuestion:
        """Return the question with the chart of another one."""
        return self.model_copy(update={"chart": other.chart, "x": other.x, "y": other.y})

    def with_parameters(self, texts: Mapping[str, str], kinds: Mapping[str, ParameterKind]) -> SqlQuestion:
        """Return the question with other values and kinds of its parameters."""
        return self.model_copy(
            update={
                "settings": tuple(f"{name}={text}" for name, text in texts.items()),
                "kinds": tuple(f"{name}={kind}" for name, kind in kinds.items()),
            }
        )


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
    check_unicode(question.sql, "the query")
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
