"""A sheet as lines of text: on a terminal, in a pipe, and on a console. In place of a chart stand its numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, get_args

from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from engine.wording import escape_control_characters
from pipelines.report.charts import Calibration, Chart, Histogram, Intervals, Scales, write_means
from pipelines.report.estimates import format_intervals, set_sentence
from pipelines.report.sheet import NUMBERS, Part, Passage, Role, Sheet
from pipelines.report.table import Table, is_number
from pipelines.statistics.rounding import set_minus_signs


def write_sheet_lines(sheet: Sheet, width: int, roles: Collection[Role] = get_args(Role)) -> Iterator[str]:
    """Yield the lines of a sheet: first what was found, then what it rests on, the numbers, and how it was made.

    A table is at most `width` characters wide; a chart is the table of its numbers. Replays and maps are left out, and warnings,
    which are for stderr.
    """
    consequences = [f"- {set_sentence(sentence)}" for sentence in sheet.consequences]
    first = (
        [set_sentence(sheet.verdict), *consequences, sheet.title]
        if sheet.verdict
        else [sheet.title, *consequences]
    )
    for text in (*first, sheet.basis):
        yield from _wrap(text, width)
    parts = sheet.list_parts(*roles)
    has_numbers = any(part.key == NUMBERS for part in parts)
    for part in parts:
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
        rows = [
            [set_minus_signs(_format_cell(cell)) if is_number(cell) else cell for cell in row]
            for row in table.formatted
        ]
        text = format_table(table.columns, rows, width, table.optional) if has_table else ""
        lines = text.split("\n") if has_table else []
    else:
        return
    yield ""
    yield from _wrap(part.title, width)
    yield from lines
    yield from _wrap(part.caption, width)


def _wrap(text: str, width: int) -> list[str]:
    """Return the lines of a sentence, none for an empty text. Words are never broken."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


MAX_PROSE_WIDTH: Final = 100
"""Characters of a line of prose at most: longer ones are hard to read."""
COLUMN_GAP: Final = 2
"""Spaces between the columns of a table."""


def format_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], width: int, optional: Sequence[str] = ()
) -> str:
    """Format a table of at most `width` characters a line, with numbers at the right.

    While the cells do not fit side by side, the `optional` columns are left out, the first one first. Then long cells are wrapped
    between words. If even the longest words of all columns do not fit, every row is written as a block of lines, one for each
    column.
    """
    if not columns:
        return ""
    titles = [_format_cell(column) for column in columns]
    cells = [["" if cell is None else _format_cell(cell) for cell in row] for row in rows]
    texts = [list(column) for column in zip(titles, *cells, strict=True)]
    for title in optional:
        if sum(map(_find_whole_width, texts)) + COLUMN_GAP * (len(texts) - 1) <= width:
            break
        texts = [column for column in texts if column[0] != title]
    titles, *cells = map(list, zip(*texts, strict=True))
    natural = [max(map(cell_len, column)) for column in texts]
    whole = list(map(_find_whole_width, texts))
    room = width - COLUMN_GAP * (len(titles) - 1)
    least = whole if sum(whole) <= room else [max(map(_find_longest_word, column)) for column in texts]
    if sum(least) > room:
        return _format_blocks(titles, cells)
    table = rich_table.Table(box=None, pad_edge=False, padding=(0, COLUMN_GAP, 0, 0))
    for title, column, column_width in zip(titles, texts, _fit_widths(natural, least, room), strict=True):
        is_numeric = bool(cells) and all(map(_is_number, column[1:]))
        table.add_column(Text(title), justify="right" if is_numeric else "left", width=column_width)
    for row in cells:
        table.add_row(*map(Text, row))
    console = Console(width=width + COLUMN_GAP, force_terminal=False, force_jupyter=False, color_system=None)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def render_markdown(text: str, width: int) -> str:
    """Return a page in Markdown as a terminal shows it; links that lead elsewhere show their address."""
    from rich.markdown import Markdown  # noqa: PLC0415 - takes 0.1 s to import, and no other text needs it

    console = Console(width=min(width, MAX_PROSE_WIDTH), force_terminal=True, force_jupyter=False)
    with console.capture() as capture:
        console.print(Markdown(text, hyperlinks=False))
    return capture.get()


def _find_whole_width(column: Sequence[str]) -> int:
    """Return the characters that a column needs if only its title, the first of its texts, is wrapped."""
    return max(_find_longest_word(column[0]), *map(cell_len, column[1:]), 0)


def _find_longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


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


def tabulate_chart(chart: Chart | Scales) -> Table:
    """Return a row for each line of a histogram, or for each estimate of another chart, with its n and its interval."""
    if isinstance(chart, Scales):
        return _tabulate_scales(chart)
    if isinstance(chart, Histogram):
        return _tabulate_histogram(chart)
    if isinstance(chart, Calibration):
        points = [(line.name, point) for line in chart.lines for point in line.points]
        happened = format_intervals([point.happened for _, point in points])
        return Table(
            chart.title,
            ("line", "predicted", "happened", "predictions", "games"),
            tuple(
                (name, point.predicted, text, point.predictions, point.games)
                for (name, point), text in zip(points, happened, strict=True)
            ),
            formats={"predicted": ".1f"},
        )
    has_signs = isinstance(chart, Intervals) and chart.mark is not None
    texts = format_intervals([estimate.mean for estimate in chart.estimates], signed=has_signs)
    is_counted = any(estimate.n for estimate in chart.estimates)
    panels = len({estimate.panel for estimate in chart.estimates}) > 1
    names = len({estimate.name for estimate in chart.estimates}) > 1 and any(
        estimate.name != estimate.at for estimate in chart.estimates
    )
    across = getattr(chart, "across", "")
    return Table(
        chart.title,
        (
            *(["panel"] if panels else []),
            across or "estimate",
            *(["line"] if names else []),
            getattr(chart, "axis", "") or getattr(chart, "upright", ""),
            *([f"{chart.unit}s"] if is_counted else []),
        ),
        tuple(
            (
                *([estimate.panel] if panels else []),
                estimate.at,
                *([estimate.name] if names else []),
                text,
                *([estimate.n or None] if is_counted else []),
            )
            for estimate, text in zip(chart.estimates, texts, strict=True)
        ),
    )


def _tabulate_scales(chart: Scales) -> Table:
    """Return a row for each scale, with the lowest and the highest of the others on it, if there are others."""
    has_others = any(row.others for row in chart.rows)
    return Table(
        chart.title,
        ("measure", "value", *(["lowest of the others", "highest of the others"] if has_others else [])),
        tuple(
            (
                row.label,
                row.text,
                *(find(row.others, default=(0, ""))[1] for find in (min, max) if has_others),
            )
            for row in chart.rows
        ),
    )


def _tabulate_histogram(chart: Histogram) -> Table:
    has_panels = len(chart.panels) > 1
    return Table(
        chart.title,
        (*(["panel"] if has_panels else []), "line", f"{chart.unit}s", f"mean {chart.axis}"),
        tuple(
            (*([curve.panel] if has_panels else []), curve.name, curve.scores.n, mean)
            for curve, mean in zip(chart.series, write_means(chart), strict=True)
        ),
    )
