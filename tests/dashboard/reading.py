"""Read the tables and texts of a page that AppTest has run."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from dashboard.widgets.keep.give_away import OtherForm

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


def read_page_text(at: AppTest) -> str:
    """Return the headings, texts and messages of a page, without the marks that escape Markdown or forbid a break."""
    kinds = (
        at.title,
        at.header,
        at.subheader,
        at.markdown,
        at.caption,
        at.info,
        at.success,
        at.warning,
        at.error,
    )
    text = "\n".join(str(element.value) for kind in kinds for element in kind)
    return text.replace("\\", "").replace("\u00a0", " ")


def open_menu(at: AppTest, key: str) -> AppTest:
    """Open the menu with this key, as a click on its button does: what is in a menu is built when it is opened."""
    at.session_state[key] = True
    return at.run()


def read_offered_files(at: AppTest) -> dict[str, OtherForm]:
    """Return the files that a page offers behind *Give away*, by their names."""
    offered: dict[str, OtherForm] = at.session_state["other-forms"]
    return offered


def read_page_links(at: AppTest) -> dict[str, str]:
    """Return the addresses of the links to other pages by their labels."""
    return {link.proto.label: f"{link.proto.page}?{link.proto.query_string}" for link in at.get("page_link")}


def read_tables(at: AppTest) -> list[list[dict[str, CellValue]]]:
    """Return the tables of a page: a list of rows each, with the values by column."""
    tables = []
    for body in _table_bodies(at):
        reader = _TableReader()
        reader.feed(body)
        head, *rows = reader.rows
        tables.append([dict(zip(head, map(_read_cell, row), strict=True)) for row in rows])
    return tables


def read_html_table(text: str) -> list[dict[str, str]]:
    """Return the rows of the first table in a text of HTML, with the texts of the cells by column; none without a table."""
    reader = _TableReader()
    reader.feed(text.partition("</table>")[0])
    head, *rows = [[cell.strip() for cell in row] for row in reader.rows] or [[]]
    return [dict(zip(head, row, strict=True)) for row in rows]


def read_table_links(at: AppTest) -> list[str]:
    """Return the addresses of all links in the tables."""
    reader = _TableReader()
    for body in _table_bodies(at):
        reader.feed(body)
    return reader.links


def read_linked_games(at: AppTest) -> list[int]:
    """Return the numbers of the games that the tables lead to, as people count them."""
    return [int(parse_qs(urlsplit(link).query)["game-number"][0]) for link in read_table_links(at)]


def read_verbatim_texts(at: AppTest) -> list[str]:
    """Return the commands and queries that a page shows."""
    matches = [re.search(r'<pre class="verbatim">(.*?)</pre>', body, re.DOTALL) for body in read_html(at)]
    return [unescape(match[1]) for match in matches if match]


def read_html(at: AppTest) -> list[str]:
    """Return the texts of HTML on a page."""
    return [str(element.proto.body) for element in at.get("html")]


def _table_bodies(at: AppTest) -> list[str]:
    return [body for body in read_html(at) if '<div class="numbers"' in body]


def _read_cell(text: str) -> CellValue:
    if text == "\u2013":
        return None
    plain = text.replace(",", "").replace("\u2212", "-")
    if re.fullmatch(r"-?\d+", plain):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d+\.\d+(e[+-]\d+)?", plain) else text
