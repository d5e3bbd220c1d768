"""A table without a front end."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

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

    def select_columns(self, *names: str) -> Table:
        """Return the table with some of its columns."""
        places = [self.columns.index(name) for name in names]
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return self._replace(columns=names, rows=rows)

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The rows as texts.

        >>> Table("Games", ("games", "score"), ((1200, 3.5), (7, "12 (11 to 13)"))).texts
        (('1,200', '3.5'), ('7', '12 (11 to 13)'))
        """
        return tuple(tuple(map(_format_cell, row)) for row in self.rows)


def _format_cell(cell: Cell) -> str:
    if cell is None:
        return MISSING
    return cell if isinstance(cell, str) else f"{cell:,.6g}" if isinstance(cell, float) else f"{cell:,}"
