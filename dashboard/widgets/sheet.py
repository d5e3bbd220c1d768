"""The sheet of an answer on a page: its verdict, and its parts by their roles.

A page chooses the order and the width of the parts, and may say how one of them is drawn, such as with clicks. It never words,
tabulates or draws an answer itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets import tables, verbatim
from dashboard.widgets.charts import show_chart
from dashboard.widgets.keep.other_forms import OtherForm, offer_form
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from pipelines.report.charts import Chart
from pipelines.report.sheet import Passage
from pipelines.report.show.json import sheet_document
from pipelines.report.tables.table import Table
from pipelines.runs.names import run_name_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pipelines.report.sheet import Part, Sheet


def show_sheet(
    sheet: Sheet,
    *,
    rows: Sequence[Sequence[str]] = (),
    draw: Mapping[str, Callable[[Part], None]] | None = None,
    details_key: str = "",
) -> None:
    """Show a whole sheet.

    The parts whose keys share one of the `rows` stand beside each other. `draw` holds how the page draws a part, by its key.
    `details_key` is the field of the address that says whether the details are open.
    """
    show_verdict(sheet)
    show_parts(sheet.list_parts("main", "beside"), rows, draw or {})
    show_details(sheet, draw or {}, key=details_key or f"details-{sheet.kind}", is_bound=bool(details_key))
    offer_sheet(sheet)


def show_verdict(sheet: Sheet) -> None:
    """Show what an answer says: the verdict, what follows from it, what it rests on, and why not to trust it."""
    st.markdown(f"## {write_markdown_sentence(sheet.verdict)}")
    for warning in sheet.warnings:
        st.warning(escape_markdown(warning))
    if sheet.consequences:
        st.markdown("\n".join(f"- {write_markdown_sentence(sentence)}" for sentence in sheet.consequences))
    st.caption(escape_markdown(sheet.basis))


def show_parts(
    parts: Iterable[Part], rows: Sequence[Sequence[str]], draw: Mapping[str, Callable[[Part], None]]
) -> None:
    """Show some parts below each other, and those of a row beside each other."""
    shown = {part.key: part for part in parts}
    placed = {key: row for row in rows for key in row}
    while shown:
        key = next(iter(shown))
        beside = [shown.pop(one) for one in placed.get(key, (key,)) if one in shown]
        columns = st.columns(len(beside), gap="medium") if len(beside) > 1 else [st.container()]
        for column, part in zip(columns, beside, strict=True):
            with column:
                draw.get(part.key, show_part)(part)


def show_part(part: Part) -> None:
    """Show one part. A replay or a board needs the page, which says how it is drawn."""
    content = part.content
    if isinstance(content, Table):
        st.subheader(escape_markdown(part.title), anchor=False)
        tables.show_table(tables.make_frame(content), content.title, content.formats)
    elif isinstance(content, Passage):
        st.subheader(escape_markdown(part.title), anchor=False)
        show_passage(content)
    elif isinstance(content, Chart):
        show_chart(content, part.key, caption=part.caption)
    if part.caption and not isinstance(content, Chart):
        st.caption(escape_markdown(part.caption))


def show_passage(passage: Passage) -> None:
    """Show the lines of a short text, each with what it is about."""
    lines = [
        f"**{escape_markdown(about)}**: {write_markdown_sentence(words)}"
        if about
        else write_markdown_sentence(words)
        for about, words in passage.lines
    ]
    st.markdown("  \n".join(lines))


def show_details(
    sheet: Sheet, draw: Mapping[str, Callable[[Part], None]], *, key: str, is_bound: bool
) -> None:
    """Show the details behind one word, and how the answer was made. They are drawn when they are opened."""
    drawer = st.expander("Details", key=key, on_change="rerun", bind="query-params" if is_bound else None)
    if not drawer.open:
        return
    with drawer:
        show_parts(sheet.list_parts("details"), (), draw)
        st.markdown(
            "  \n".join(
                f"**{escape_markdown(one.name)}**: {escape_markdown(one.value)}" for one in sheet.facts
            )
        )
        for command in sheet.commands:
            verbatim.show_verbatim(command)


def offer_sheet(sheet: Sheet) -> None:
    """Offer the tables of a sheet as CSV and Parquet, and the whole answer as JSON, behind *Give away*."""
    stem = run_name_from_text(sheet.title, sheet.kind)
    for part in sheet.parts:
        numbers = part.numbers or part.content
        if isinstance(numbers, Table):
            tables.offer_table(tables.make_frame(numbers), part.title, f"{stem}-{part.key}")

    def write_json() -> str:
        return json.dumps(sheet_document(sheet), indent=1, ensure_ascii=False)

    offer_form(OtherForm("Everything", "JSON", write_json, f"{stem}.json", "application/json"))
