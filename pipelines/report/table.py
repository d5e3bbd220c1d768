"""A table without a front end."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Final, Literal, NamedTuple, TypeAlias

_IS_NUMBER: Final = re.compile(
    r"([-+\N{MINUS SIGN}]?\d[\d,.]*( %)?( \(.*\))?( \*)?|not finite|no interval|\N{EN DASH}|)"
)
Cell: TypeAlias = str | int | float | None
"""Estimates with intervals are texts; a missing value is None."""


class Table(NamedTuple):
    """A table with its caption."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    formats: Mapping[str, str] = {}
    """Formats of columns of numbers with fractions (`.2f`), and of numbers that only name something (`d`)."""
    links: tuple[str, ...] = ()
    """The page of the dashboard that each row leads to, empty for a row that leads nowhere; none if no row does."""
    optional: tuple[str, ...] = ()
    """The columns that a narrow terminal leaves out, the first one first."""
    order: Literal["", "ascending", "descending"] = ""
    """The order of the first column, by which the rows are sorted; empty if they are not."""

    @property
    def columns_of_numbers(self) -> set[str]:
        """The columns in which every cell is a number, one with its interval, or missing.

        >>> Table("Means", ("name", "games", "mean"), (("a", 7, "12 (11 to 13)"), ("2 b", None, "+3 %"))).columns_of_numbers == {"games", "mean"}
        True
        """
        return {
            column
            for place, column in enumerate(self.columns)
            if all(_IS_NUMBER.fullmatch(row[place]) for row in self.texts)
        }

    def list_values(self, name: str) -> list[Any]:
        """Return the values of a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    @property
    def formatted(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows, in which the numbers of a column with a format are texts."""
        return tuple(
            tuple(
                format_cell(cell, self.formats[name]) if name in self.formats and cell is not None else cell
                for name, cell in zip(self.columns, row, strict=True)
            )
            for row in self.rows
        )

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The rows as texts.

        >>> Table("Games", ("games", "score"), ((1200, 3.5), (7, "12 (11 to 13)"))).texts
        (('1,200', '3.5'), ('7', '12 (11 to 13)'))
        >>> Table("Means", ("game", "mean"), ((1200, 3.5), (7, None)), formats={"game": "d", "mean": ".2f"}).texts
        (('1200', '3.50'), ('7', '\N{EN DASH}'))
        """
        return tuple(tuple(map(format_cell, row)) for row in self.formatted)


def make_table(
    title: str,
    rows: Sequence[Mapping[str, Cell]],
    caption: str = "",
    formats: Mapping[str, str] = {},
    optional: tuple[str, ...] = (),
) -> Table:
    """Return a table whose rows have their cells by the titles of the columns, the same in every row."""
    cells = tuple(tuple(row.values()) for row in rows)
    return Table(title, tuple(rows[0]) if rows else (), cells, caption, formats, optional=optional)


def format_cell(value: Any, how: str = "") -> str:  # noqa: ANN401 - a cell, or what a data frame makes of it
    """Format a cell: integers with commas, other numbers by the format `how`, a minus sign, and a dash for a missing value.

    >>> format_cell(1234), format_cell(-0.5, ".2f"), format_cell(-0.04, "+.1f"), format_cell("seat 0")
    ('1,234', '\u22120.50', '0.0', 'seat 0')
    """
    if value is None or (is_number(value) and math.isnan(value)):
        return "\N{EN DASH}"
    if not is_number(value):
        return str(value)
    from pipelines.statistics.rounding import set_minus_signs  # noqa: PLC0415 - numpy takes 0.3 s; many tables have no such cell

    text = format(value, how or (",d" if isinstance(value, Integral) else ",.6g"))
    return set_minus_signs(text if text.strip("+-0.") else text.lstrip("+-"))


def is_number(value: object) -> bool:
    """Return whether a cell is a number, of Python or of NumPy."""
    return hasattr(value, "__float__") and not isinstance(value, bool)
