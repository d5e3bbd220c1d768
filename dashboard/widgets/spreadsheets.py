"""Tables for programs that take a text for a formula if it begins like one. Knows no Streamlit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

_FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\n")
_NUMBER_PATTERN: Final = re.compile(
    r"[+-][0-9][0-9.,]*( (exactly|± [0-9.]+|\([+-]?[0-9.]+ to [+-]?[0-9.]+\)))?"
)
"""A number, or an estimate as pages write it: it begins with a sign and is no formula."""


def escape_formula(text: str) -> str:
    """Keep a text from being taken for a formula where tables are opened.

    >>> escape_formula("=1+1"), escape_formula("-2+3"), escape_formula("-"), escape_formula("+1.5 (0.2 to 2.8)")
    ("'=1+1", "'-2+3", '-', '+1.5 (0.2 to 2.8)')
    """
    # Python before 3.13 writes a carriage return without quotes round it: a new row would begin behind it.
    told = text.replace("\r\n", "\n").replace("\r", "\n")
    is_formula = len(told) > 1 and told.startswith(_FORMULA_PREFIXES) and not _NUMBER_PATTERN.fullmatch(told)
    return f"'{told}" if is_formula else told


def write_table_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV in which no text, and no name of a column, is a formula."""
    from pandas.api.types import is_numeric_dtype  # noqa: PLC0415 - a page of a game has no table, and pandas takes long

    safe = table.rename(columns=_escape_cell)
    for place, column in enumerate(table.columns):
        if not is_numeric_dtype(table[column]):
            safe.isetitem(place, table[column].map(_escape_cell, na_action="ignore").array)
    return safe.to_csv(index=False)


def _escape_cell(value: Hashable) -> Hashable:
    return escape_formula(value) if isinstance(value, str) else value
