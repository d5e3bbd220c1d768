"""A table without a front end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Cell: TypeAlias = str | int | float | None
"""Estimates with intervals are texts; a missing value is None."""
MISSING: Final = "\N{EN DASH}"
"""What stands in the place of a missing value."""


class Table(NamedTuple):
    """A table with its caption."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    formats: Mapping[str, str] = {}
    """Formats of columns of numbers with fractions (`.2f`), and of numbers that only name something (`d`)."""

    def select_columns(self, *names: str) -> Table:
        """Return the table with some of its columns."""
        places = [self.columns.index(name) for name in names]
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return self._replace(columns=names, rows=rows)

    @property
    def formatted(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows, in which the numbers of a column with a format are texts."""
        formats = [self.formats.get(name) for name in self.columns]
        return tuple(
            tuple(
                cell
                if how is None or cell is None or isinstance(cell, str)
                else set_minus_signs(format(cell, how))
                for cell, how in zip(row, formats, strict=True)
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
        return tuple(tuple(map(_format_cell, row)) for row in self.formatted)


def make_table(
    title: str,
    rows: Sequence[Mapping[str, Cell]],
    caption: str = "",
    formats: Mapping[str, str] = {},
) -> Table:
    """Return a table whose rows have their cells by the titles of the columns, the same in every row."""
    return Table(
        title, tuple(rows[0]) if rows else (), tuple(tuple(row.values()) for row in rows), caption, formats
    )


def _format_cell(cell: Cell) -> str:
    if cell is None:
        return MISSING
    return (
        cell
        if isinstance(cell, str)
        else set_minus_signs(f"{cell:,.6g}" if isinstance(cell, float) else f"{cell:,}")
    )
