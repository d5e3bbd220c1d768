"""Printing: texts, JSON, CSV and tables, and the format of numbers, times and sizes."""

import csv
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import typer

from engine.wording import escape_control_characters

if TYPE_CHECKING:
    from pipelines.report.sheet import Sheet
    from pipelines.report.table import Table

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


def print_file(content: bytes) -> None:
    """Print a text file in UTF-8 to stdout: byte by byte into a file or a pipe, escaped for a terminal."""
    typer.echo(text_for_stdout(content.decode()) if sys.stdout.isatty() else content, nl=False)


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
    """Print a table to stdout, with numbers at the right. On a terminal, it is fitted to its width."""
    from pipelines.report.show.terminal import format_table

    typer.echo(format_table(columns, rows, _find_width()))


def _find_width() -> int:
    """Return how many characters a line of a table may take."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_TABLE_WIDTH


def print_report_table(table: "Table") -> None:
    """Print a table of the report, without its title and caption."""
    print_table(table.columns, table.formatted)


def print_warnings(sheet: "Sheet") -> None:
    """Print to stderr why an answer must not be trusted, and what its address names that does not exist."""
    for warning in sheet.warnings:
        print_text(f"reroll: {warning}", err=True)


def print_sheet(sheet: "Sheet") -> None:
    """Print an answer as text: what was found, what it rests on, the numbers, and how it was made."""
    from pipelines.report.show.terminal import write_sheet_lines

    print_warnings(sheet)
    for line in write_sheet_lines(sheet, _find_width()):
        print_text(line)
