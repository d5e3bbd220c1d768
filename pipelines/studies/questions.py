"""The section of a study on a question in SQL: its answer as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.questions.sql.answer import answer_sql
from pipelines.report.sheet import Fact, Part, Sheet
from pipelines.report.tables.table import Table
from pipelines.report.wording import format_count
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.questions.sql.question import SqlQuestion
    from pipelines.studies.sources import StudySource

MAX_ROWS: Final = 50
MAX_CELL_CHARACTERS: Final = 200


def describe_question(source: StudySource, question: SqlQuestion) -> Sheet:
    """Return the sheet of a query with the values of its parameters. Raises InvalidError if it cannot be answered."""
    answered = answer_sql(question, source, rows=MAX_ROWS)
    answer = answered.answer
    cut = f"The first {MAX_ROWS} rows. " if answer.is_cut else ""
    values = [Fact(f"${name}", str(value)) for name, value in answered.parameters.items()]
    return Sheet(
        kind="question",
        title="A question in SQL",
        basis=f"Asked over {format_count(len(answered.basis.runs), 'run')} of the library.",
        parts=(
            Part(
                "answer",
                Table(
                    "Answer",
                    answer.columns,
                    tuple(tuple(map(_format_cell, row)) for row in answer.rows),
                    f"{cut}A query says nothing of the uncertainty of its numbers.",
                ),
            ),
        ),
        facts=(Fact("Question", question.sql), *values),
        commands=(question.command,),
        warnings=tuple(answered.basis.left_out),
    )


def _format_cell(value: object) -> str:
    """Return a value of an answer as text."""
    if value is None:
        return ""
    if isinstance(value, float):
        return set_minus_signs(f"{value:.6g}")
    text = str(value)
    return text if len(text) <= MAX_CELL_CHARACTERS else f"{text[: MAX_CELL_CHARACTERS - 1]}…"
