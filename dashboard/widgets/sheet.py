"""The sheet of an answer on a page: its verdict, and its parts by their roles.

A page chooses the order and the width of the parts, and may say how one of them is drawn, such as with clicks. It never words,
tabulates or draws an answer itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets import markdown, tables
from dashboard.widgets.address import name_tab
from dashboard.widgets.board import show_board
from dashboard.widgets.charts import show_chart
from dashboard.widgets.keep.give_away import OtherForm, offer_form
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from pipelines.questions.game import GameQuestion
from pipelines.report.charts import Chart, Scales
from pipelines.report.sheet import Part, Passage, Sheet, SquareMaps
from pipelines.report.show.html import chart_style, draw_scales
from pipelines.report.show.json import sheet_document
from pipelines.report.table import Table
from pipelines.runs.names import run_name_from_text

if TYPE_CHECKING:
    from engine.scene import SceneBoard

MAP_SIZE_PX: Final = 480
"""The height of a map; its width is that of its column."""
MAPS_BESIDE: Final = 3
"""Two strategies and their difference stand beside each other; on phones one of them is chosen."""
UNSEEN_STYLE: Final = (
    "position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%)"
)


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
    show_basis(sheet)
    key = details_key or f"details-{sheet.kind}"
    show_details(sheet, draw or {}, rows, key=key, is_bound=bool(details_key))
    offer_sheet(sheet)


def show_verdict(sheet: Sheet) -> None:
    """Show what an answer says: the verdict, why not to trust it, and what follows from it."""
    name_tab(sheet.title)
    if sheet.verdict:
        st.markdown(f"## {write_markdown_sentence(sheet.verdict)}")
    else:  # the headings of the parts need one above them, which only screen readers read
        st.html(f'<h2 style="{UNSEEN_STYLE}">{escape(sheet.title)}</h2>')
    for warning in sheet.warnings:
        st.warning(escape_markdown(warning))
    if sheet.consequences:
        st.markdown("\n".join(f"- {write_markdown_sentence(sentence)}" for sentence in sheet.consequences))


def show_basis(sheet: Sheet) -> None:
    """Say what an answer rests on. It stands below the picture, so that the picture is on the first screen of a phone."""
    st.caption(escape_markdown(sheet.basis))


def show_parts(
    parts: Iterable[Part], rows: Sequence[Sequence[str]], draw: Mapping[str, Callable[[Part], None]]
) -> None:
    """Show some parts below each other, and those of a row beside each other, in the order of the parts."""
    waiting = {part.key: part for part in parts}
    placed = {key: row for row in rows for key in row}
    while waiting:
        key = next(iter(waiting))
        beside = [waiting.pop(name) for name in tuple(waiting) if name in placed.get(key, (key,))]
        if len(beside) > 1 and all(isinstance(part.content, Table) for part in beside):
            row = st.container(
                horizontal=True, gap="large"
            )  # as wide as they are, below each other on phones
            columns = [row.container(width="content") for _ in beside]
        else:
            columns = st.columns(len(beside), gap="medium") if len(beside) > 1 else [st.container()]
        for column, part in zip(columns, beside, strict=True):
            with column:
                draw.get(part.key, show_part)(part)


def show_part(part: Part, strategies: Collection[str] = ()) -> None:
    """Show one part. A replay needs the page, which says how it is drawn.

    The names of `strategies` become short in tables (`tables.show_table`).
    """
    content = part.content
    if isinstance(content, Table):
        st.subheader(escape_markdown(part.title), anchor=False)
        if content.links:
            is_of_games = any(link.startswith(GameQuestion.page) for link in content.links)
            st.caption(tables.CHOOSE_A_ROW if is_of_games else tables.CHOOSE_A_GROUP)
        links = {content.columns[0]: content.links} if content.links else None
        frame = tables.make_frame(content)
        tables.show_table(frame, content.title, content.formats, links, strategies=strategies)
    elif isinstance(content, Scales):
        st.subheader(escape_markdown(part.title), anchor=False)
        st.html(f"<style>{chart_style()}</style>{draw_scales(content, has_inline_styles=True)}")
    elif isinstance(content, Passage):
        st.subheader(escape_markdown(part.title), anchor=False)
        show_passage(content)
    elif isinstance(content, Chart):
        show_chart(content, part.key, caption=part.caption)
    elif isinstance(content, SquareMaps):
        st.subheader(escape_markdown(part.title), anchor=False)
        show_maps(content, part.key)
    if part.caption and not isinstance(content, Chart):
        st.caption(escape_markdown(part.caption))


def show_maps(maps: SquareMaps, key: str) -> None:
    """Show the boards beside each other, with one scale of colours; the keys of what is drawn begin with `key`."""
    board = maps.scene["boards"][0]
    plain: SceneBoard = {**board, "fills": [None if fill is None else "plain" for fill in board["fills"]]}
    chosen = 0
    if len(maps.maps) > 1:
        names = [square_map.name.split(" · ")[0].split(" ")[0] for square_map in maps.maps]
        with st.container(key=f"which-map-{key}"):
            chosen = st.segmented_control(
                "Board",
                range(len(names)),
                default=0,
                format_func=names.__getitem__,
                required=True,
                key=f"{key}-which",
                label_visibility="collapsed",
            )
    across = min(len(maps.maps), MAPS_BESIDE)
    columns = [column for _ in maps.maps[::across] for column in st.columns(across, gap="medium")]
    for number, (square_map, column) in enumerate(zip(maps.maps, columns, strict=False)):
        scale = square_map.scale or maps.scale
        with column, st.container(key=f"map-{'chosen' if number == chosen else 'other'}-{key}-{number}"):
            st.markdown(escape_markdown(square_map.name))
            show_board(
                {**maps.scene, "boards": [plain]},
                key=f"{key}-{number}",
                label=f"{maps.title}: {square_map.name}.",
                size=MAP_SIZE_PX,
                heat={
                    "values": square_map.values,
                    "notes": square_map.notes,
                    "outlined": square_map.outlined,
                    "low": scale.low,
                    "high": scale.high,
                    "low_text": scale.low_text,
                    "high_text": scale.high_text,
                    "low_colour": scale.low_colour,
                    "high_colour": scale.high_colour,
                    "numbers": square_map.write_numbers(scale),
                },
            )


def show_passage(passage: Passage) -> None:
    """Show the lines of a short text, each with what it is about."""
    lines = [
        f"**{escape_markdown(about)}**: {write_markdown_sentence(words)}"
        if about
        else write_markdown_sentence(words)
        for about, words in passage.lines
    ]
    st.markdown("  \n".join(lines))


def show_details(  # noqa: PLR0913 - what is shown, and where, by name
    sheet: Sheet,
    draw: Mapping[str, Callable[[Part], None]],
    rows: Sequence[Sequence[str]] = (),
    *,
    key: str,
    is_bound: bool,
    more: Callable[[], None] | None = None,
) -> None:
    """Show the details behind one word, what the page draws with `more`, and how the answer was made. They are drawn when they are opened."""
    drawer = st.expander("Details", key=key, on_change="rerun", bind="query-params" if is_bound else None)
    if not drawer.open:
        return
    with drawer:
        if more:
            more()
        show_parts(sheet.list_parts("details"), rows, draw)
        st.markdown(
            "  \n".join(
                f"**{escape_markdown(fact.name)}**: {escape_markdown(fact.value)}" for fact in sheet.facts
            )
        )
        for command in sheet.commands:
            markdown.show_verbatim(command)


def offer_sheet(sheet: Sheet) -> None:
    """Offer the tables of a sheet as CSV and Parquet, and the whole answer as JSON, behind *Give away*."""
    stem = run_name_from_text(sheet.title, sheet.kind)
    for part in sheet.parts:
        numbers = part.numbers or part.content
        if isinstance(numbers, Table):
            tables.offer_table(numbers, part.title, f"{stem}-{part.key}")

    def write_json() -> str:
        return json.dumps(sheet_document(sheet), indent=1, ensure_ascii=False)

    offer_form(OtherForm("Everything", "JSON", write_json, f"{stem}.json", "application/json"))
