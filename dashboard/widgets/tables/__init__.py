"""Tables on a page, and their files as CSV and Parquet. Spreadsheets evaluate no text of them as a formula."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Collection, Hashable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

import pandas as pd
import streamlit as st
from pandas.api.types import is_numeric_dtype

from dashboard.widgets.components import script_renderer
from dashboard.widgets.forms import MAX_BROWSER_INTEGER
from dashboard.widgets.keep.give_away import OtherForm, offer_form
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.short_names import shorten_names
from pipelines.report.show.html import draw_cell
from pipelines.report.table import Table, format_cell, is_number

CHOOSE_A_ROW: Final = "Choose a row to replay its game."
"""What stands above a list of games whose rows are links."""
CHOOSE_A_GROUP: Final = "Choose a row to list what it counts."
"""What stands above a table whose rows are links to other questions."""
SORT_SCRIPT: Final = Path(__file__).with_name("sort_rows.js")
DIE_FACE_ONE: Final = "\N{DIE FACE-1}"
MAX_ROWS_SHOWN: Final = 1000
"""Rows that a page shows; the files hold all rows."""
MAX_LINE_CHARACTERS: Final = 30
"""A longer cell of a table without links may take several lines."""
MAX_PHRASE_CHARACTERS: Final = 60
"""A longer cell is a text, which needs wider lines."""
MAX_ROWS_UNROLLED: Final = 40
"""A table with more rows scrolls inside itself; smaller ones show all their rows."""
TABLE_STYLE: Final = """<style>
.numbers { overflow: auto; background: linear-gradient(transparent, var(--paper) 70%) bottom / 100% 3rem local no-repeat,
  radial-gradient(farthest-side at 50% 100%, rgb(128 128 128 / 60%), transparent) bottom / 100% 0.9rem no-repeat; }
.numbers table { border-collapse: collapse; font-size: 0.9rem; line-height: 1.5; font-variant-numeric: tabular-nums; }
.numbers :is(th, td) { padding: 0.3rem 1.4rem 0.3rem 0; border: 0; font-weight: 400; text-align: left; vertical-align: top; white-space: nowrap;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.numbers :is(th, td).number { text-align: right; }
.numbers thead th { position: sticky; z-index: 1; top: 0; background: var(--paper); font-weight: 600; vertical-align: bottom; }
.numbers td.words { min-width: 18rem; white-space: normal; }
.numbers td.phrase { min-width: 10rem; white-space: normal; }
.numbers pre { margin: 0; padding: 0; background: none; font: 0.8rem/1.25 ui-monospace, "DejaVu Sans Mono", monospace; }
.numbers pre[aria-hidden] { font-size: 0.55rem; line-height: 1.17; }
.numbers .dice { font-size: 1.5rem; line-height: 1; letter-spacing: 0.1em; vertical-align: -0.1em; }
.numbers th button { all: unset; cursor: pointer; }
.numbers th button:focus-visible { outline: 2px solid; outline-offset: 2px; }
.numbers th button:hover { text-decoration: underline; text-underline-offset: 0.2em; }
@media (max-width: 768px), (pointer: coarse) {
  .numbers th button { min-width: 2.25rem; line-height: 44px; }
  .numbers tr:has(a) td { line-height: 34px; }
}
.numbers th[aria-sort] button::after { content: " ↑" / ""; }
.numbers th[aria-sort="descending"] button::after { content: " ↓" / ""; }
.numbers tr:has(a) { position: relative; }
.numbers tr:has(a):hover { background: color-mix(in srgb, currentColor 8%, transparent); }
.numbers tr:has(a:focus-visible) { outline: 2px solid; outline-offset: -2px; }
.numbers a { color: inherit; outline: none; }
.numbers a::after { content: ""; position: absolute; inset: 0; }
</style>"""


def show_table(
    table: pd.DataFrame,
    label: str,
    formats: Mapping[str, str] | None = None,
    links: Mapping[str, Sequence[str]] | None = None,
    *,
    strategies: Collection[str] = (),
) -> None:
    """Show a table; `label` is its name for screen readers.

    `formats` holds the number formats of columns by name, `links` the addresses of the cells of a column, which their whole rows
    lead to; the rows of a table with links are sorted by the headings of its columns. The full names of `strategies`, which stand side by side, become short names; a tooltip has the full one. The table is plain HTML:
    unlike `st.dataframe` it can be read aloud, searched in the browser, printed and copied.
    """
    light, dark = _background_colours()
    head_style = f"<style>.numbers {{ --paper: light-dark({light}, {dark}); }}</style>"
    html = write_table_html(table, label, formats or {}, links or {}, strategies)
    st.html(TABLE_STYLE + head_style + html)
    if links:
        script_renderer(SORT_SCRIPT)(key=f"sort-{label}", data={"label": label}, height="content")
    if len(table) > MAX_ROWS_SHOWN:
        st.caption(f"Showing the first {MAX_ROWS_SHOWN:,} of {len(table):,} rows.")


def show_report_table(table: Table) -> None:
    """Show a table of the report with its caption."""
    show_table(make_frame(table), table.title, table.formats)
    if table.caption:
        st.caption(escape_markdown(table.caption))


def make_frame(table: Table) -> pd.DataFrame:
    """Return a table of the report as a data frame, to show and to download."""
    frame = pd.DataFrame(table.rows, columns=list(table.columns), dtype=object)
    decimals = {name: float for name, how in table.formats.items() if how != "d"}
    frame = frame.astype(decimals) if decimals else frame
    frame.attrs["order"] = table.order
    return frame


def keep_digits(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table for a grid, which rounds integers that browsers cannot hold: their columns become text with all digits."""
    copied = frame.copy()
    for place, column in enumerate(frame.columns):
        if any(isinstance(value, int) and abs(value) > MAX_BROWSER_INTEGER for value in frame[column]):
            copied.isetitem(place, frame[column].map(str, na_action="ignore").array)
    return copied


def _background_colours() -> tuple[str, str]:
    """Return the background of pages in the light and the dark theme: from the settings, else Streamlit's defaults."""
    return (
        st.get_option("theme.light.backgroundColor") or "#ffffff",
        st.get_option("theme.dark.backgroundColor") or "#0e1117",
    )


def write_table_html(
    table: pd.DataFrame,
    label: str,
    formats: Mapping[str, str],
    links: Mapping[str, Sequence[str]],
    strategies: Collection[str] = (),
) -> str:
    """Return a table as HTML. All its values are escaped."""
    columns = [str(name) for name in table.columns]
    rows = [list(row) for row in table.head(MAX_ROWS_SHOWN).itertuples(index=False, name=None)]
    numeric = [all(row[at] is None or is_number(row[at]) for row in rows) for at in range(len(columns))]
    heading = "<button>{}</button>" if links else "{}"
    attributes = [
        (' class="number"' if is_number else "") + (f' data-of="{escape(name)}"' if links else "")
        for name, is_number in zip(columns, numeric, strict=True)
    ]
    order = table.attrs.get("order")
    sorts = [f' aria-sort="{order}"' if order and not place else "" for place in range(len(columns))]
    head = "".join(
        f'<th scope="col"{attribute}{sort}>{heading.format(escape(name.strip()))}</th>'
        for name, attribute, sort in zip(columns, attributes, sorts, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            _write_cell_html(
                format_cell(value, formats.get(name, "")),
                attribute,
                links[name][at] if name in links else "",
                strategies,
                is_roll=name.endswith("roll"),
            )
            for name, value, attribute in zip(columns, row, attributes, strict=True)
        )
        + "</tr>"
        for at, row in enumerate(rows)
    )
    height = ' style="max-height: min(44rem, 70vh)"' if len(rows) > MAX_ROWS_UNROLLED else ""
    return (
        f'<div class="numbers"{height} role="region" tabindex="0" aria-label="{escape(label)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _draw_dice(roll: str) -> str:
    """Return a roll as HTML, with the faces of dice in place of their numbers.

    >>> _draw_dice("I4 V3"), _draw_dice("2 6")
    ('I4 V3', '<span class="dice" role="img" aria-label="2 6">\u2681\u2685</span>')
    """
    if not re.fullmatch(r"[1-6]( [1-6])*", roll):
        return escape(roll)
    faces = "".join(chr(ord(DIE_FACE_ONE) + int(number) - 1) for number in roll.split())
    return f'<span class="dice" role="img" aria-label="{roll}">{faces}</span>'


def _write_cell_html(
    text: str, attributes: str, address: str, strategies: Collection[str], *, is_roll: bool = False
) -> str:
    short_text = shorten_names(text, strategies)
    hint = f' title="{escape(text)}"' if short_text != text else ""
    inside = _draw_dice(short_text) if is_roll else draw_cell(short_text)
    if inside.startswith("<svg"):  # which Streamlit removes
        inside = f'<img alt="" src="data:image/svg+xml;base64,{b64encode(inside.encode()).decode()}">'
    inside = f'<a href="{escape(address)}">{inside}</a>' if address else inside
    if len(short_text) > MAX_LINE_CHARACTERS and not attributes and "\n" not in text:
        attributes = f' class="{"words" if len(short_text) > MAX_PHRASE_CHARACTERS else "phrase"}"'
    return f"<td{attributes}{hint}>{inside}</td>"


def offer_table(table: Table, title: str, name: str) -> None:
    """Offer a table as CSV and as Parquet behind *Give away*."""
    offer_form(OtherForm(title, "CSV", lambda: write_table_csv(make_frame(table)), f"{name}.csv", "text/csv"))
    parquet = "application/vnd.apache.parquet"
    offer_form(
        OtherForm(title, "Parquet", lambda: _write_parquet(make_frame(table)), f"{name}.parquet", parquet)
    )


def _write_parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False)
    return buffer.getvalue()


_FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\n")
_NUMBER_PATTERN: Final = re.compile(
    r"[+-][0-9][0-9.,]*( (\((all equal|exact|no interval)\)|exactly|± [0-9.]+|\([+−-]?[0-9.]+ to [+−-]?[0-9.]+\)))?( \*)?"
)
"""A number with a sign, or an estimate as pages write it: not a formula, though it begins like one. A star marks a clear sign."""


def escape_formula(text: str) -> str:
    """Return a text with an apostrophe in front if a spreadsheet would evaluate it as a formula.

    >>> escape_formula("=1+1"), escape_formula("-2+3"), escape_formula("-"), escape_formula("+1.5 (0.2 to 2.8)")
    ("'=1+1", "'-2+3", '-', '+1.5 (0.2 to 2.8)')
    """
    # Python before 3.13 writes a carriage return without quotes, so a new row would begin after it.
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    is_formula = (
        len(lines) > 1 and lines.startswith(_FORMULA_PREFIXES) and not _NUMBER_PATTERN.fullmatch(lines)
    )
    return f"'{lines}" if is_formula else lines


def write_table_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV in which no text and no column name is a formula."""
    safe = table.rename(columns=_escape_cell)
    for place, column in enumerate(table.columns):
        if not is_numeric_dtype(table[column]):
            safe.isetitem(place, table[column].map(_escape_cell, na_action="ignore").array)
    return safe.to_csv(index=False)


def _escape_cell(value: Hashable) -> Hashable:
    return escape_formula(value) if isinstance(value, str) else value
