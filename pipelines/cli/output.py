"""What commands print: tables, JSON, messages, and what a run says at its end."""

from __future__ import annotations

import csv
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import typer

from engine.wording import escape_control_characters
from pipelines.report.wording import format_count, format_duration
from pipelines.runs.names import UNFINISHED_SUFFIX

if TYPE_CHECKING:
    from pipelines.report.sheet import Role, Sheet
    from pipelines.report.table import Table
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun

PIPE_TABLE_WIDTH: Final = 100_000
"""Characters that a line of a table may take where stdout is not a terminal: nothing is wrapped or cut there."""


def print_text(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text for people. Control characters, which names from other people may hold, are escaped."""
    typer.echo(escape_control_characters(text), err=err, nl=nl)


def print_paragraph(text: str, indent: int = 0) -> None:
    """Print a text for people, on a terminal wrapped between words; its further lines are indented."""
    margin = " " * indent
    lines = textwrap.wrap(
        text, _find_width(), subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
    print_text("\n".join(lines))


def print_page(text: str) -> None:
    """Print a page in Markdown: on a terminal as it is meant to look, in a pipe as it is."""
    if sys.stdout.isatty():
        from pipelines.report.show.terminal import render_markdown

        text = render_markdown(text, _find_width())
    typer.echo(text, nl=False)


def text_for_stdout(text: str) -> str:
    """Return a text unchanged for a file or a pipe, with control characters escaped for a terminal."""
    return escape_control_characters(text) if sys.stdout.isatty() else text


def print_json(answer: object) -> None:
    """Print JSON to stdout. A command that does so prints nothing else there.

    JSON has no infinite and unknown numbers; they are null.
    """
    text = json.dumps(
        _drop_infinite(answer), indent=1, default=str, ensure_ascii=sys.stdout.isatty(), allow_nan=False
    )
    typer.echo(text_for_stdout(text))


def _drop_infinite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _drop_infinite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_drop_infinite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


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


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], optional: Sequence[str] = ()
) -> None:
    """Print a table to stdout, with numbers at the right. On a terminal, it is fitted to its width."""
    from pipelines.report.show.terminal import format_table

    typer.echo(format_table(columns, rows, _find_width(), optional))


def _find_width() -> int:
    """Return how many characters a line of a table may take."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_TABLE_WIDTH


def print_report_table(table: Table) -> None:
    """Print a table of the report, without its title and caption."""
    print_table(table.columns, table.formatted, table.optional)


def print_warnings(sheet: Sheet) -> None:
    """Print to stderr why an answer must not be trusted, and what its address names that does not exist."""
    for warning in sheet.warnings:
        print_text(f"reroll: {warning}", err=True)


def print_sheet(sheet: Sheet, *, as_json: bool = False, details: bool = False) -> None:
    """Print an answer as text: what was found, what it rests on, the numbers, and how it was made; or as JSON, for programs.

    Without `details`, the parts are left out that a page shows below *Details*, and a line says how to see them.
    """
    from pipelines.report.show.json import sheet_document
    from pipelines.report.show.terminal import write_sheet_lines

    if as_json:
        print_json(sheet_document(sheet))
        return
    print_warnings(sheet)
    roles: tuple[Role, ...] = ("main", "beside", "details") if details else ("main", "beside")
    for line in write_sheet_lines(sheet, _find_width(), roles):
        print_text(line)
    if not details and (hidden := sheet.list_parts("details")):
        print_text(f"{format_count(len(hidden), 'more table')}: --details")


def find_any_run(library: Library, name: str) -> Run | UnfinishedRun:
    """Return the run of a name or path, or else the unfinished run; raise InvalidError if there is neither."""
    if name.rstrip("/").endswith(UNFINISHED_SUFFIX) or library.has_unfinished_run(name):
        return library.unfinished_run(name)
    return library.run(name)


def describe_run(run: Run) -> dict[str, Any]:
    """Return name, path and summary of a run as JSON data."""
    document = asdict(run.summary)
    del document["played"]
    more = {"lineup": str(run.summary.lineup), "blocks": run.summary.played.blocks}
    return {"run": run.name, "path": str(run.path), **document, **more}


def print_run(run: Run, *, as_json: bool) -> None:
    """Print where a run is and its results."""
    if as_json:
        print_json(describe_run(run))
        return
    results = tabulate_run(run)
    summary = run.summary
    speed = summary.games / max(summary.seconds, 1e-3)
    print_text(
        f"{run.name}: {format_count(summary.games, 'game')} in {format_duration(summary.seconds)} ({speed:.0f} per second), "
        f"seed {summary.seed}\n{run.path}"
    )
    for strategy, program in run.programs.items():
        print_text(f"{strategy}: {program}")
    print_report_table(results)


def tabulate_run(run: Run | UnfinishedRun) -> Table:
    """Return the results of every strategy, by its short name; raise InvalidError if the file is damaged."""
    from pipelines.design.short_names import short_names
    from pipelines.questions.scores.distributions import answer_run, read_results_so_far
    from pipelines.report.score_tables import tabulate_results_so_far, tabulate_strategy_results
    from pipelines.runs.unfinished_run import UnfinishedRun

    if isinstance(run, UnfinishedRun):
        with run.open_tables() as connection:
            table = tabulate_results_so_far(read_results_so_far(connection))
    else:
        table = tabulate_strategy_results(answer_run(run))
    if not table.rows:  # without results it has no columns
        return table
    place = table.columns.index("strategy")
    names = short_names(table.list_values("strategy"))
    return table._replace(
        rows=tuple((*row[:place], names[str(row[place])], *row[place + 1 :]) for row in table.rows)
    )
