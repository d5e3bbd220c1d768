"""Tables of the report as text: for the terminal, for what objects show on a console, and for pages in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from engine.printable import escape_control_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.report.table import Table

COLUMN_GAP: Final = 2
"""Spaces between the columns of a table."""


def format_table(columns: Sequence[str], rows: Iterable[Sequence[object]], width: int) -> str:
    """Format a table of at most `width` characters a line, with numbers at the right.

    Long cells are wrapped between words. If even the longest words of all columns do not fit side by side, every row is
    written as a block of lines, one for each column.
    """
    titles = [_format_cell(column) for column in columns]
    cells = [["" if cell is None else _format_cell(cell) for cell in row] for row in rows]
    texts = [list(column) for column in zip(titles, *cells, strict=True)]
    natural = [max(map(cell_len, column)) for column in texts]
    least = [max(cell_len(word) for text in column for word in (text.split() or [""])) for column in texts]
    room = width - COLUMN_GAP * (len(titles) - 1)
    if sum(least) > room:
        return _format_blocks(titles, cells)
    table = rich_table.Table(box=None, pad_edge=False, padding=(0, COLUMN_GAP, 0, 0))
    for title, column, column_width in zip(titles, texts, _fit_widths(natural, least, room), strict=True):
        is_numeric = bool(cells) and all(map(_is_number, column[1:]))
        table.add_column(Text(title), justify="right" if is_numeric else "left", width=column_width)
    for row in cells:
        table.add_row(*map(Text, row))
    console = Console(width=width + COLUMN_GAP)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def list_markdown_rows(table: Table) -> list[str]:
    """Return the lines of a table in Markdown.

    >>> from pipelines.report.table import Table
    >>> list_markdown_rows(Table("Games", ("games", "score"), ((1200, 3.5),)))
    ['| games | score |', '| --- | --- |', '| 1,200 | 3.5 |']
    """
    rows = (table.columns, ["---"] * len(table.columns), *table.texts)
    return [f"| {' | '.join(cells)} |" for cells in rows]


def _fit_widths(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return the widths of columns that together fit into `room`: the widest columns become narrower, down to `least`.

    >>> _fit_widths([3, 30, 12], [3, 8, 5], 35)
    [3, 20, 12]
    """
    widths = list(natural)
    while sum(widths) > room:
        shrinkable = (number for number, width in enumerate(widths) if width > least[number])
        widths[max(shrinkable, key=widths.__getitem__)] -= 1
    return widths


def _format_blocks(titles: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Format every row of a table as a block of lines with a title and a cell."""
    if not cells:
        return "  ".join(titles)
    longest = max(map(len, titles))
    blocks = (
        "\n".join(f"{title:<{longest}}  {cell}".rstrip() for title, cell in zip(titles, row, strict=True))
        for row in cells
    )
    return "\n\n".join(blocks)


def _format_cell(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}".rstrip("0").rstrip(".")
    return escape_control_characters(str(cell).replace("\n", " "))


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).lstrip("+-\N{MINUS SIGN}").isdecimal() or not cell
