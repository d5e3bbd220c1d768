"""The forms of an answer for programs and files. `reroll ask` and the routes of the dashboard write both here: the same bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.errors import InvalidError
from pipelines.report.show.json import sheet_document, write_table_csv
from pipelines.report.table import Table
from pipelines.studies.page import Section, write_study
from pipelines.studies.sections import compose_address, make_study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.questions.address import Address
    from pipelines.report.sheet import Sheet
    from pipelines.studies.sections import StudySource

AnswerForm: TypeAlias = Literal["json", "csv", "html"]
MEDIA_TYPES: Final[Mapping[AnswerForm, str]] = {
    "json": "application/json",
    "csv": "text/csv",
    "html": "text/html",
}
TABLE_KEY: Final = "table"
"""The key of an address that names one of several tables for CSV. No question has it."""


def answer_address(source: StudySource, page: str, address: Address) -> Sheet:
    """Return the sheet that all forms of an address are written from. Raises a GameError if it has no answer."""
    return compose_address(source, page, {key: texts for key, texts in address.items() if key != TABLE_KEY})


def write_answer(sheet: Sheet, form: AnswerForm, address: Address) -> tuple[bytes, str]:
    """Return an answer in a form, as UTF-8, and its media type.

    CSV is one table: the first, or the one that the address names. Raises InvalidError if the answer does not have it.
    """
    if form == "json":
        text = json.dumps(sheet_document(sheet), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    elif form == "csv":
        text = write_table_csv(_find_table(sheet, next(iter(address.get(TABLE_KEY, ())), "")))
    else:
        text = write_study(make_study([Section(sheet)]))
    return text.encode(errors="replace"), MEDIA_TYPES[form]


def list_tables(sheet: Sheet) -> dict[str, Table]:
    """Return the tables of an answer as files have them, in full precision, by the keys of their parts."""
    numbers = {part.key: part.numbers or part.content for part in sheet.parts}
    return {key: table for key, table in numbers.items() if isinstance(table, Table)}


def _find_table(sheet: Sheet, key: str) -> Table:
    tables = list_tables(sheet)
    if not tables:
        said = f": {sheet.verdict}" if sheet.verdict else ""
        raise InvalidError(f"this answer has no table{said}")
    if key and key not in tables:
        raise InvalidError(f"this answer has no table {key[:60]!r}; {TABLE_KEY} may be {', '.join(tables)}")
    return tables[key or next(iter(tables))]
