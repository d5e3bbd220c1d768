"""Read a sheet as each renderer shows it, and compare it with the sheet. The readers know nothing of the renderers' code."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple

from pipelines.report.charts import Chart
from pipelines.report.estimates import set_sentence
from pipelines.report.sheet import Passage
from pipelines.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamlit.testing.v1 import AppTest

    from pipelines.report.sheet import Part, Sheet

SIGNS = str.maketrans({"\u00a0": " ", "\u2060": "", "\\": ""})
"""Signs that forbid a break or escape Markdown."""
VOID_TAGS = frozenset({"br", "hr", "img", "input", "link", "meta"})


class ShownPart(NamedTuple):
    """What a reader sees under the title of a part: its texts, its rows of tables, and whether there is a picture."""

    key: str
    text: str
    tables: tuple[tuple[tuple[str, ...], ...], ...] = ()
    has_picture: bool = False


class HtmlReader(HTMLParser):
    """Reads HTML as a browser does: texts are what is outside of tags, and all tags and attributes are remembered."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        """The texts outside of scripts and style sheets."""
        self.scripts: dict[str, str] = {}
        """The contents of scripts by their ids."""
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.parts: list[ShownPart] = []
        self.rows: list[list[str]] = []
        self._open: list[tuple[str, str | None]] = []
        self._begun: list[tuple[str, int]] = []
        self._script = ""
        self.feed(html)
        self.close()

    @property
    def text(self) -> str:
        return fold("".join(self.words))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        self.tags.add(tag)
        self.attributes.update(own)
        key = own.get("data-part")
        if key:
            self._begun.append((key, len(self.words)))
            self.rows, self._has_picture = [], False
        self._has_picture = tag == "svg" or getattr(self, "_has_picture", False)
        if tag in {"script", "style"}:
            self._script = own.get("id") or tag
        elif tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"} and self.rows:
            self.rows[-1].append("")
        if tag not in VOID_TAGS:
            self._open.append((tag, key))
        self.words.append(" ")
        drawing = own.get("d") or ""
        if (source := own.get("src") or "").startswith("data:image/svg+xml;base64,"):
            drawing = b64decode(source.partition(",")[2]).decode()
        if any(opened == "td" for opened, _ in self._open):
            self.handle_data(read_squares(drawing))

    def handle_endtag(self, tag: str) -> None:
        while self._open and tag not in VOID_TAGS:
            opened, key = self._open.pop()
            if key:
                name, start = self._begun.pop()
                tables = (tuple(map(tuple, self.rows)),) if self.rows else ()
                self.parts.append(
                    ShownPart(name, fold("".join(self.words[start:])), tables, self._has_picture)
                )
            if opened == tag:
                break
        self._script = ""
        self.words.append(" ")

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
            return
        self.words.append(data)
        if self.rows and any(tag in {"td", "th"} for tag, _ in self._open):
            self.rows[-1][-1] += data


def read_squares(drawing: str) -> str:
    """Return the squares of a drawn shape as two full blocks each, the top row first, or an empty text."""
    squares = {(int(column), int(row)) for column, row in re.findall(r"M(\d+) (\d+)h\.9v\.9", drawing)}
    lines = (
        "".join(2 * ("\N{FULL BLOCK}" if (column, row) in squares else " ") for column in range(9))
        for row in range(9)
    )
    return "\n".join(line.rstrip() for line in lines).rstrip()


def read_page_parts(at: AppTest) -> list[ShownPart]:
    """Return what stands below each heading of a page, in the order of the page; the key is the heading."""
    parts: list[ShownPart] = []
    for node in _walk(at.main):
        kind = getattr(node, "type", "")
        if kind == "subheader":
            parts.append(ShownPart(fold(node.value), ""))
        elif parts:
            last = parts[-1]
            if kind == "html":
                reader = HtmlReader(str(node.proto.body))
                rows = (tuple(map(tuple, reader.rows)),) if reader.rows else ()
                parts[-1] = last._replace(text=f"{last.text} {reader.text}", tables=last.tables + rows)
            elif kind == "dataframe":
                frame = node.value
                drawn = tuple(tuple(map(str, row)) for row in (frame.columns, *frame.itertuples(index=False)))
                parts[-1] = last._replace(text=f"{last.text} {drawn}", tables=(*last.tables, drawn))
            elif kind == "plotly_chart":
                parts[-1] = last._replace(has_picture=True)
            elif kind in {"markdown", "caption"}:
                parts[-1] = last._replace(text=f"{last.text} {fold(node.value)}")
    return parts


def open_details(at: AppTest) -> AppTest:
    """Open all drawers of a page that are called Details, as clicks do."""
    for node in _walk(at.main):
        proto: Any = getattr(node, "proto", None)
        drawer: Any = getattr(proto, "expandable", None) or proto
        if getattr(node, "type", "") == "expander" and drawer.label == "Details" and not drawer.expanded:
            at.session_state[re.sub(r"^\$\$ID-[0-9a-f]+-", "", drawer.id)] = True
    return at.run()


def _walk(node: Any) -> Iterator[Any]:  # noqa: ANN401 - blocks and elements of a page
    yield node
    for child in getattr(node, "children", {}).values():
        yield from _walk(child)


def fold(text: str) -> str:
    """Return a text without signs that nobody sees, with single spaces."""
    return " ".join(text.translate(SIGNS).split())


def list_words(sheet: Sheet) -> list[str]:
    """Return what a sheet says above its parts."""
    said = (sheet.verdict, *sheet.consequences, sheet.basis)
    return [fold(set_sentence(text)) for text in said if text]


def list_part_words(part: Part) -> list[str]:
    """Return the title, the texts or the cells, and the caption of a part, in their order."""
    words = [part.title]
    if isinstance(part.content, Passage):
        words += [word for about, line in part.content.lines for word in (about, set_sentence(line))]
    if isinstance(part.content, Table):
        words += [*part.content.columns, *(cell for row in part.content.texts for cell in row)]
    return [folded for word in (*words, part.caption) if (folded := fold(word).rstrip("."))]


def find_missing_words(text: str, words: Iterable[str]) -> str:
    """Return the first of some words that a text does not have behind the words before it; empty if it has all."""
    at = 0
    for word in words:
        found = text.casefold().find(word.casefold(), at)
        if found < 0:
            return word
        at = found + len(word)
    return ""


def find_missing_part(part: Part, shown: ShownPart) -> str:
    """Return what a renderer does not show of a part, with its title; empty if it shows all."""
    if isinstance(part.content, Table):
        width = len(part.content.columns)  # a page may add a column, such as links or tags
        rows = [tuple(tuple(map(fold, row[:width])) for row in table) for table in shown.tables]
        expected = [
            tuple(tuple(fold(str(cell)) for cell in row) for row in (part.content.columns, *cells))
            for cells in (part.content.texts, part.content.rows)  # what sorts its rows holds plain numbers
        ]
        if not any(one in rows for one in expected):
            return f"the rows of {part.title}: {expected[0]} are not {rows}"
        if expected[0] not in rows:
            return ""
    if isinstance(part.content, Chart) and not shown.has_picture:
        return f"the picture of {part.title}"
    missing = find_missing_words(f"{shown.key} {shown.text}", list_part_words(part))
    return f"{missing} in {part.title}: {shown.text[:400]}" if missing else ""


def check_growth(sheets: list[Sheet]) -> None:
    """Check that the parts of a sheet stay the same, and that only the last one is not said to be so far."""
    assert len(sheets) > 2
    assert len({tuple((part.key, part.role) for part in sheet.parts) for sheet in sheets}) == 1
    assert [sheet.verdict.startswith("so far, ") for sheet in sheets] == [True] * (len(sheets) - 1) + [False]
    assert [sheet.fields["is_finished"] for sheet in sheets] == [False] * (len(sheets) - 1) + [True]
    for sheet in sheets[:-1]:
        assert not sheet.consequences, "a later look may withdraw a finding"
        assert not re.search(r"clear| to |costs|brings|up to|surely", sheet.verdict)
    blocks = [sheet.fields["blocks"] for sheet in sheets]
    assert blocks == sorted(set(blocks))
