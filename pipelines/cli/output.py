"""Printing: texts, JSON, CSV and tables, and the format of numbers, times and sizes."""

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import typer

from engine.printable import escape_control_characters

if TYPE_CHECKING:
    from pipelines.statistics import Interval

PIPE_TABLE_WIDTH: Final = 100_000
"""Characters that a line of a table may take where stdout is not a terminal: nothing is wrapped or cut there."""


def print_text(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text for people. Control characters, which names from other people may hold, are escaped."""
    typer.echo(escape_control_characters(text), err=err, nl=nl)


def text_for_stdout(text: str) -> str:
    """Return a text unchanged for a file or a pipe, with control characters escaped for a terminal."""
    return escape_control_characters(text) if sys.stdout.isatty() else text


def print_json(answer: object) -> None:
    """Print JSON to stdout. A command that does so prints nothing else there."""
    typer.echo(text_for_stdout(json.dumps(answer, indent=1, default=str, ensure_ascii=sys.stdout.isatty())))


class _CsvLines:
    """Writes rows with plain line ends, while the CSV writer believes that rows end with a carriage return, too.

    Python before 3.13 quotes a carriage return or a line feed in a text only if it is part of the writer's line end.
    """

    def write(self, row: str) -> None:
        sys.stdout.write(text_for_stdout(row.removesuffix("\r\n")) + "\n")


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print CSV to stdout."""
    writer = csv.writer(_CsvLines())
    writer.writerow(columns)
    writer.writerows(rows)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table to stdout, with numbers at the right. On a terminal, long cells are wrapped to its width."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [["" if cell is None else _format_cell(cell) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(columns):
        is_numeric = bool(cells) and all(_is_number(row[number]) for row in cells)
        table.add_column(
            Text(_format_cell(column)), justify="right" if is_numeric else "left", overflow="fold"
        )
    for row in cells:
        table.add_row(*map(Text, row))
    console = Console(width=None if sys.stdout.isatty() else PIPE_TABLE_WIDTH)
    with console.capture() as capture:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _format_cell(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}".rstrip("0").rstrip(".")
    return escape_control_characters(str(cell).replace("\n", " "))


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).removeprefix("-").isdecimal() or not cell


def format_half_interval(interval: "Interval | None", *, signed: bool = False) -> str:
    """Format an estimate with half the width of its 95 % interval; an estimate that is missing is a dash."""
    from pipelines.statistics.rounding import format_plus_minus

    if interval is None:
        return "-"
    return format_plus_minus(interval, signed=signed) + ("" if interval.half_width else " exactly")


def format_duration(seconds: float) -> str:
    """Format a time.

    >>> format_duration(0.4), format_duration(75), format_duration(7300)
    ('0.4 s', '1:15 min', '2:01 h')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"


def format_bytes(count: int) -> str:
    """Format a number of bytes.

    >>> format_bytes(900), format_bytes(2_000_000)
    ('900 B', '2.0 MB')
    """
    for unit, power in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= power:
            return f"{count / power:.1f} {unit}"
    return f"{count} B"


def format_count(count: int, noun: str) -> str:
    """Format a number of things.

    >>> format_count(1, "game"), format_count(2400, "game")
    ('1 game', '2,400 games')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"
