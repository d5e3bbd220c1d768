"""A sheet as JSON data and as CSV: the typed answer, with its sentences and tables."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from pipelines.report.table import Table

if TYPE_CHECKING:
    from pipelines.report.sheet import Sheet


def sheet_document(sheet: Sheet) -> dict[str, Any]:
    """Return a sheet as JSON data: the fields of the typed answer, then those of the sheet."""
    return {
        **{name: json_value(value) for name, value in sheet.fields.items()},
        "kind": sheet.kind,
        "title": sheet.title,
        "address": sheet.address,
        "verdict": sheet.verdict,
        "consequences": list(sheet.consequences),
        "basis": sheet.basis,
        "warning": " ".join(sheet.warnings),
        "tables": [
            _table_document(part.content, part.caption)
            for part in sheet.parts
            if isinstance(part.content, Table)
        ],
        "facts": {fact.name: fact.value for fact in sheet.facts},
        "commands": list(sheet.commands),
    }


def _table_document(table: Table, caption: str) -> dict[str, Any]:
    rows = [dict(zip(table.columns, map(json_value, row), strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows, "caption": caption}


def json_value(value: Any) -> Any:  # noqa: ANN401, PLR0911 - one return for each kind of value
    """Return a value of an answer as JSON data: named structures are objects, infinite and unknown numbers are null.

    >>> json_value({"share": float("nan"), "seats": (0, 1)})
    {'share': None, 'seats': [0, 1]}
    """
    if hasattr(value, "as_json"):
        return json_value(value.as_json())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_value(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return json_value(value._asdict())
    if hasattr(value, "items"):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    return str(value)


def list_tables(sheet: Sheet) -> dict[str, Table]:
    """Return the tables of an answer as files have them, in full precision, by the keys of their parts."""
    numbers = {part.key: part.numbers or part.content for part in sheet.parts}
    return {key: table for key, table in numbers.items() if isinstance(table, Table)}


def write_table_csv(table: Table) -> str:
    """Return a table as CSV with plain line ends."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue()
