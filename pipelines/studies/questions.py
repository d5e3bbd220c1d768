"""The section of a study on a question in SQL: its answer as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.report.tables.table import Table
from pipelines.report.wording import format_count
from pipelines.runs.query import answer_query
from pipelines.statistics.rounding import set_minus_signs
from pipelines.studies.study import Fact, Section

if TYPE_CHECKING:
    from pipelines.notes.note import Address
    from pipelines.studies.sources import StudySource

MAX_ROWS: Final = 50
MAX_CELL_CHARACTERS: Final = 200


def describe_question(source: StudySource, address: Address) -> Section:
    """Return the section of a query over the runs that an address of the page SQL names, by default all.

    Raises InvalidError if it cannot be answered.
    """
    sql = " ".join(address.get("sql", ())).strip()
    named = set(address.get("runs", ()))
    runs = [run for run in source.runs if run.name in named or not named]
    if not sql:
        raise InvalidError("the address holds no question in SQL")
    answer = answer_query(runs, sql, rows=MAX_ROWS)
    cut = f"The first {MAX_ROWS} rows. " if answer.is_cut else ""
    return Section(
        kind="question",
        title="A question in SQL",
        basis=f"Asked over {format_count(len(runs), 'run')} of the library.",
        tables=(
            Table(
                "Answer",
                answer.columns,
                tuple(tuple(map(_format_cell, row)) for row in answer.rows),
                f"{cut}A query says nothing of the uncertainty of its numbers.",
            ),
        ),
        facts=(Fact("Question", sql),),
        problem=" ".join(answer.left_out),
    )


def _format_cell(value: object) -> str:
    """Return a value of an answer as text."""
    if value is None:
        return ""
    if isinstance(value, float):
        return set_minus_signs(f"{value:.6g}")
    text = str(value)
    return text if len(text) <= MAX_CELL_CHARACTERS else f"{text[: MAX_CELL_CHARACTERS - 1]}…"
