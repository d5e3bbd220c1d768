"""The files of records that the scripts write, and the same figures as pages in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.records.record_file import FileType, format_record_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.report.table import Table


def write_record_file(
    path: Path, record: FileType, format_page: Callable[[FileType], str] | None = None
) -> None:
    """Write a file of records, and beside it the same figures as a page in Markdown."""
    path.write_text(format_record_file(record), encoding="utf-8")
    if format_page:
        path.with_suffix(".md").write_text(format_page(record), encoding="utf-8")


def list_markdown_rows(table: Table) -> list[str]:
    """Return the lines of a table in Markdown.

    >>> from pipelines.report.table import Table
    >>> list_markdown_rows(Table("Games", ("games", "score"), ((1200, 3.5),)))
    ['| games | score |', '| --- | --- |', '| 1,200 | 3.5 |']
    """
    rows = (table.columns, ["---"] * len(table.columns), *table.texts)
    return [f"| {' | '.join(cells)} |" for cells in rows]
