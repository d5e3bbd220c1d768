"""CSV files for spreadsheets, which would evaluate a text that looks like a formula. Does not import Streamlit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pandas.api.types import is_numeric_dtype

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

_FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\n")
_NUMBER_PATTERN: Final = re.compile(
    r"[+-][0-9][0-9.,]*( (every time|exactly|± [0-9.]+|\([+−-]?[0-9.]+ to [+−-]?[0-9.]+\)))?( \*)?"
)
"""A number with a sign, or an estimate as pages write it: not a formula, though it begins like one. A star marks a clear sign."""


def escape_formula(text: str) -> str:
    """Return a text with an apostrophe in front if a spreadsheet would evaluate it as a formula.

    >>> escape_formula("=1+1"), escape_formula("-2+3"), escape_formula("-"), escape_formula("+1.5 (0.2 to 2.8)")
    ("'=1+1", "'-2+3", '-', '+1.5 (0.2 to 2.8)')
    """
    # Python before 3.13 writes a carriage return without quotes, so a new row would begin after it.
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    is_formula = (
        len(lines) > 1 and lines.startswith(_FORMULA_PREFIXES) and not _NUMBER_PATTERN.fullmatch(lines)
    )
    return f"'{lines}" if is_formula else lines


def write_table_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV in which no text and no column name is a formula."""
    safe = table.rename(columns=_escape_cell)
    for place, column in enumerate(table.columns):
        if not is_numeric_dtype(table[column]):
            safe.isetitem(place, table[column].map(_escape_cell, na_action="ignore").array)
    return safe.to_csv(index=False)


def _escape_cell(value: Hashable) -> Hashable:
    return escape_formula(value) if isinstance(value, str) else value
