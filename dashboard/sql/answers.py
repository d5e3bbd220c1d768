"""Answers of queries as tables, and the documentation of what can be asked. Knows no Streamlit."""

from __future__ import annotations

from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from pipelines.runs.query import Answer
    from pipelines.runs.schema import DocumentedTable

MAX_CHART_GROUPS = 6
"""More colours on one chart cannot be told apart."""
INT64_LIMIT = 2**63


def build_answer_table(found: Answer) -> pd.DataFrame:
    """Return an answer as a table whose columns have different names and simple values."""
    names: list[str] = []
    for column in found.columns:
        again = sum(name == column or name.startswith(f"{column} (") for name in names)
        names.append(f"{column} ({again + 1})" if again else column)
    table = pd.DataFrame(found.rows, columns=pd.Index(names))
    for name in names:
        table[name] = _simplify_column(table[name])
    return table


def _simplify_column(column: pd.Series) -> pd.Series:
    """Turn decimals and whole numbers of any size into numbers that a table, a chart and a file can hold."""
    values = [value for value in column if value is not None]
    if any(isinstance(value, Decimal) for value in values):
        return column.map(lambda value: float(value) if isinstance(value, Decimal) else value)
    if any(isinstance(value, int) and abs(value) >= INT64_LIMIT for value in values):
        return column.map(lambda value: None if value is None else str(value))
    if column.dtype == object and values and all(type(value) in {dict, tuple} for value in values):
        return column.map(lambda value: None if value is None else str(value))
    return column


def numeric_columns(table: pd.DataFrame) -> list[str]:
    """Return the columns that hold numbers."""
    return [
        str(name)
        for name in table.columns
        if pd.api.types.is_numeric_dtype(table[name]) and not pd.api.types.is_bool_dtype(table[name])
    ]


def group_labels(table: pd.DataFrame, across: str, up: str) -> list[str]:
    """Return what tells rows with the same place apart: the text column with the fewest values, if there are few."""
    if not table[across].duplicated().any():
        return []
    texts = [
        str(name)
        for name in table.columns
        if name not in {across, up} and not pd.api.types.is_numeric_dtype(table[name])
    ]
    few = [name for name in texts if 1 < table[name].astype(str).nunique() <= MAX_CHART_GROUPS]
    return (
        []
        if not few
        else [str(value) for value in table[min(few, key=lambda name: table[name].astype(str).nunique())]]
    )


def write_columns_html(table: DocumentedTable) -> str:
    """Return the columns of a table as HTML."""
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(column.name)}</code></th><td>{escape(column.about)}</td>'
        f"<td>{escape(column.type.lower())}</td></tr>"
        for column in table.columns
    )
    return (
        '<div class="rulebook"><table><thead><tr><th scope="col">Column</th><th scope="col">What it holds</th>'
        f'<th scope="col">Type</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )
