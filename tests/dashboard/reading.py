"""Reading the tables of a page as somebody who looks at it does."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

CellValue = str | int | float | None


class _TableReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in {"th", "td"}:
            self.rows[-1].append("")
        elif tag == "a":
            self.links.append(dict(attrs).get("href") or "")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def read_tables(at: AppTest) -> list[list[dict[str, CellValue]]]:
    """The tables of numbers on a page, row by row, with the values that stand there."""
    found = []
    for body in _table_bodies(at):
        reader = _TableReader()
        reader.feed(body)
        head, *rows = reader.rows
        found.append([dict(zip(head, map(_read_cell, row), strict=True)) for row in rows])
    return found


def read_table_links(at: AppTest) -> list[str]:
    """Where the cells of the tables lead to."""
    reader = _TableReader()
    for body in _table_bodies(at):
        reader.feed(body)
    return reader.links


def read_verbatim_texts(at: AppTest) -> list[str]:
    """The commands and queries that a page shows."""
    bodies = [str(one.proto.body) for one in at.get("html")]
    found = [re.search(r'<pre class="verbatim">(.*?)</pre>', body, re.DOTALL) for body in bodies]
    return [unescape(one[1]) for one in found if one]


def _table_bodies(at: AppTest) -> list[str]:
    return [str(one.proto.body) for one in at.get("html") if '<div class="numbers"' in str(one.proto.body)]


def _read_cell(text: str) -> CellValue:
    if text == "\u2013":
        return None
    plain = text.replace(",", "")
    if re.fullmatch(r"-?\d+", plain):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d+\.\d+(e[+-]\d+)?", plain) else text
