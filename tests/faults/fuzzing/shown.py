"""Targets that run queries and write markup: their output is checked, not only their errors."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from .oracle import FuzzTarget

if TYPE_CHECKING:
    from pathlib import Path


def sql(folder: Path) -> FuzzTarget:
    """SQL: a single query is answered within its limits, anything else is refused; no file is read, made or changed."""
    import duckdb

    from pipelines.report.query_examples import QUERY_EXAMPLES
    from pipelines.runs.attach import attach_statements
    from pipelines.runs.pack import RunSources
    from pipelines.runs.query import find_mistake
    from pipelines.runs.query_process import decode_value, is_single_query, run_query
    from pipelines.runs.schema import OFFLINE_SETTINGS

    secret = "seventeen-green-herons"  # noqa: S105 - not a password
    (folder / "secret.csv").write_text(secret, encoding="utf-8")
    settings = {**OFFLINE_SETTINGS, "threads": "1", "memory_limit": "64MB", "temp_directory": ""}
    task = {
        "settings": settings,
        "statements": list(attach_statements(RunSources())),
        "parameters": {},
        "rows": 20,
    }
    task["seconds"] = 0.3
    connection = duckdb.connect(config=settings)

    def try_input(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        try:
            is_query = is_single_query(connection, text)
        except duckdb.Error:
            is_query = False
        if not is_query and zlib.crc32(data) % 16:
            return  # try only some of these, because making a connection is slow
        mistake = find_mistake(text)
        assert mistake is None or mistake.format_pointer(text).endswith("^")
        how, said = run_query({**task, "sql": text})
        assert how in {"rows", "wrong", "late", "large"}
        assert is_query or how != "rows"
        if how == "rows":
            columns, rows = json.loads(json.dumps(said))
            assert all(len(decode_value(row)) == len(columns) for row in rows)
        assert secret not in repr(said).replace(text, "")
        assert [path.name for path in folder.iterdir()] == ["secret.csv"]
        assert (folder / "secret.csv").read_text(encoding="utf-8") == secret

    path = folder / "secret.csv"
    hostile = [
        f"SELECT * FROM '{path}'",  # noqa: S608 - the query must be refused
        f"FROM read_text('{path}')",
        f"COPY (SELECT 1) TO '{folder}/new.csv'",
        f"ATTACH '{folder}/new.duckdb'",
        "SET memory_limit = '9GB'",
        "INSTALL httpfs; LOAD httpfs",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t",
        "PIVOT seats ON seat USING avg(score)",
        "SELECT getenv('HOME'), current_setting('threads')",
        "/* (( */ SELECT {'a': [1, NULL]}, MAP {'x': 1}, INTERVAL 3 DAY, '1'::BLOB, 1.5::DECIMAL(9, 2)",
    ]
    return FuzzTarget(
        try_input,
        [*(example.sql.encode() for example in QUERY_EXAMPLES), *(text.encode() for text in hostile)],
        1000,
    )


class _HtmlReader(HTMLParser):
    """Collects the text, the elements and the attributes of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def unknown_decl(self, data: str) -> None:
        self.elements.add(f"<!{data}")

    def handle_comment(self, data: str) -> None:
        self.elements.add(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.elements.add(f"<!{decl}")

    def handle_pi(self, data: str) -> None:
        self.elements.add(f"<?{data}")


def markup(_: Path) -> FuzzTarget:
    """Texts in Markdown, HTML, JSON and CSV: readers of the output get the text itself, no markup and no formula."""
    from markdown_it import MarkdownIt
    from pandas import DataFrame

    from dashboard.rules.rulebook import markup_to_html
    from dashboard.widgets.markdown import WORD_JOINER, escape_markdown
    from dashboard.widgets.tables import write_table_csv
    from pipelines.report.show.html import render_template
    from pipelines.report.table import Table
    from pipelines.viewer.replay.assets import replay_page

    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    pipes = str.maketrans("", "", "*`")

    def without_spaces(text: str) -> str:
        return "".join(text.split())

    def try_input(data: bytes) -> None:
        text = data.decode("utf-8", "replace").replace("\0", "")
        escaped = _HtmlReader(markdown.render(escape_markdown(text)))
        assert escaped.elements <= {"p", "br"}, escaped.elements
        assert without_spaces("".join(escaped.words).replace(WORD_JOINER, "")) == without_spaces(
            text.replace(WORD_JOINER, "")
        )
        rules = _HtmlReader(markup_to_html(text))
        assert rules.elements <= {"code", "strong", "em"}, rules.elements
        assert not rules.attributes
        assert "".join(rules.words).translate(pipes) == text.translate(pipes)
        notebook = _HtmlReader(
            render_template(
                "pipelines.notebook",
                "table.html",
                chart_style="",
                title=text,
                table=Table("", ("run", "games"), ((text, 1),)),
                notes=[text],
            )
        )
        assert notebook.elements <= {"div", "style", "table", "thead", "tbody", "tr", "th", "td"}
        assert notebook.attributes <= {"style", "class"}
        assert notebook.words.count(text) >= 3 * bool(text)
        page = replay_page({"title": text}, text)  # type: ignore[typeddict-item]  # the other keys have no text from people
        scene = page.partition('id="scene">')[2].partition("</script>")[0]
        assert "<" not in scene
        assert json.loads(scene) == {"title": text}
        table = write_table_csv(DataFrame({text: [text, "end"]}))
        for (cell,) in [*csv.reader(io.StringIO(table, newline=""))][:2] if text.strip() else ():
            plain = text.replace("\r\n", "\n").replace("\r", "\n")
            assert cell == plain or (cell == f"'{plain}" and plain[0] in "=+-@\t\n")
            assert len(cell) < 2 or cell[0] not in "=@\t\r"
            assert cell[0] not in "+-" or not re.search(
                "[A-Za-z(]", re.sub("every time|exactly|to|[(]", "", cell, count=2)
            )

    texts = [
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "$x^2$ :red[y]",
        "=HYPERLINK(1)",
        "# a\n---",
    ]
    texts += [
        "*a* **b** `c`",
        "&lt;&#60;",
        "</script><!--",
        "| a | b |\n|---|---|",
        "1. one\n\n    two",
        "~~a~~",
        "+1 (2 to 3)",
    ]
    return FuzzTarget(try_input, [text.encode() for text in texts], 200)
