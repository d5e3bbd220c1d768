"""A sheet as lines of text: on a terminal, in a pipe, and where an object shows itself on a console."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from pipelines.report.charts import Chart, Scales
from pipelines.report.estimates import set_sentence
from pipelines.report.sheet import NUMBERS, Passage, Role
from pipelines.report.show.chart_tables import tabulate_chart
from pipelines.report.show.text_tables import format_table
from pipelines.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pipelines.report.sheet import Part, Sheet


def write_sheet_lines(sheet: Sheet, width: int, roles: Collection[Role] = get_args(Role)) -> Iterator[str]:
    """Yield the lines of a sheet: first what was found, then what it rests on, the numbers, and how it was made.

    A table is at most `width` characters wide; a chart is the table of its numbers. Replays and maps are left out, and warnings,
    which are for stderr.
    """
    found = [f"- {set_sentence(sentence)}" for sentence in sheet.consequences]
    first = [set_sentence(sheet.verdict), *found, sheet.title] if sheet.verdict else [sheet.title, *found]
    for text in (*first, sheet.basis):
        yield from _wrap(text, width)
    shown = sheet.list_parts(*roles)
    has_numbers = any(part.key == NUMBERS for part in shown)
    for part in shown:
        is_tabulated = has_numbers and isinstance(part.content, Chart)
        yield from _write_part_lines(part, width, has_table=not is_tabulated)
    yield ""
    for fact in sheet.facts:
        yield from _wrap(f"{fact.name}: {fact.value}", width)
    for command in sheet.commands:
        yield f"command: {command}"


def _write_part_lines(part: Part, width: int, *, has_table: bool) -> Iterator[str]:
    """Yield the lines of a part; without its table if another part has the numbers of this one."""
    content = part.content
    if isinstance(content, Passage):
        lines = [
            line
            for about, words in content.lines
            for line in _wrap(f"{about}: {set_sentence(words)}" if about else set_sentence(words), width)
        ]
    elif isinstance(content, Table | Chart | Scales):
        table = content if isinstance(content, Table) else tabulate_chart(content)
        lines = format_table(table.columns, table.formatted, width).split("\n") if has_table else []
    else:
        return
    yield ""
    yield from _wrap(part.title, width)
    yield from lines
    yield from _wrap(part.caption, width)


def _wrap(text: str, width: int) -> list[str]:
    """Return the lines of a sentence, none for an empty text. Words are never broken."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def shorten_review(sheet: Sheet) -> Sheet:
    """Return the sheet of a review without the tables of every decision and every roll."""
    return replace(sheet, parts=tuple(part for part in sheet.parts if part.key not in {"decisions", "rolls"}))
