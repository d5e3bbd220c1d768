"""Rules as HTML tables: clauses, options, provenance, rulesets side by side, and their differences. Does not import Streamlit.

All texts are escaped: markup in a ruleset or a clause is shown as text.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from dashboard.widgets.markdown import escape_markdown
from engine.clauses import CLAUSE_LABELS
from pipelines.report.sentences.rulebook import MAX_SETTING_CHARACTERS, ORIGIN_LABELS, format_key
from pipelines.report.sentences.ruleset_difference import list_differences
from pipelines.report.tables.rulebook import tabulate_options, tabulate_origins, tabulate_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.clauses import Clause
    from engine.ruleset import Ruleset
    from pipelines.report.tables.table import Table

_TAG_CLASSES: Final = {
    "ruling": " settled",
    "table": " guessed",
    ORIGIN_LABELS["reconstructed"]: " guessed",
    ORIGIN_LABELS["own"]: " settled",
}
"""By label; other labels have no class of their own."""


def clauses_table(clauses: Iterable[Clause]) -> str:
    """Return the clauses of a game as an HTML table."""
    rows = "".join(
        f'<tr id="{escape(clause.number)}"><th scope="row">{escape(clause.number)}</th>'
        f"<td>{''.join(_tag_html(label, CLAUSE_LABELS.get(label, '')) for label in clause.labels)}</td>"
        f"<td>{markup_to_html(clause.text)}</td></tr>"
        for clause in clauses
    )
    return _table_html("clauses", ("No.", "label", "rule"), rows)


def write_differences(ruleset: Ruleset, others: Iterable[Ruleset]) -> str:
    """Return how others differ from a ruleset, as a list in Markdown, or as a line if there is only one."""
    lines = [
        f"**{escape_markdown(title)}**: {escape_markdown(words)}."
        for title, words in list_differences(ruleset, others)
    ]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)


def provenance_table(ruleset: Ruleset) -> str:
    """Return the provenance of each table of a ruleset as an HTML table."""
    return _named_rows_html("origins", tabulate_origins(ruleset), _tag_html)


def options_table(ruleset: Ruleset) -> str:
    """Return the options of a ruleset, with their values and meanings, as an HTML table."""
    return _named_rows_html("options", tabulate_options(ruleset), escape)


def _named_rows_html(kind: str, table: Table, write_value: Callable[[str], str]) -> str:
    """Return a table of names, values and what they mean."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{write_value(value)}</td><td>{escape(about)}</td></tr>'
        for name, value, about in table.texts
    )
    return _table_html(kind, table.columns, rows)


def side_by_side_table(rulesets: Sequence[Ruleset]) -> str:
    """Return the settings of some rulesets as an HTML table, one column each; ≠ marks differences from the first.

    The titles head the columns; the names, which people type, have a row.
    """
    table = tabulate_settings(rulesets)
    (_, *titles), *rows = table.texts
    body, group = "", ""
    for key, *values in [("game.name", *table.columns[1:]), *rows]:
        head, _, name = key.partition(".")
        if head != group:
            group = head
            body += f'<tr class="group"><th scope="rowgroup" colspan="{len(table.columns)}">{escape(format_key(head))}</th></tr>'
        cells = "".join(_cell_html(value, None if at == 0 else values[0]) for at, value in enumerate(values))
        body += f'<tr><th scope="row">{escape(format_key(name))}</th>{cells}</tr>'
    return _table_html(
        "side", (table.columns[0], *titles), body, "≠ marks differences from the first column."
    )


def markup_to_html(text: str) -> str:
    """Return a text in which `*`, `**` and backquotes mark emphasis, strong emphasis and code as HTML."""
    safe = escape(text)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", safe)


def _cell_html(text: str, first: str | None) -> str:
    """Return a cell; `first` is the text in the first column, None for the cell of this column."""
    html = f"<pre>{escape(text)}</pre>" if "\n" in text else escape(text)
    if first is None:
        return f"<td>{html}</td>"
    if text != first:
        return f'<td class="differs">≠ {html}</td>'
    return f'<td class="same">{"the same" if len(text) > MAX_SETTING_CHARACTERS else html}</td>'


def _tag_html(label: str, title: str = "") -> str:
    hint = f' title="{escape(title)}"' if title else ""
    return f'<span class="tag{_TAG_CLASSES.get(label, "")}"{hint}>{escape(label)}</span>'


_TABLE_TITLES: Final = {
    "clauses": "Rules by number",
    "origins": "Origin of the tables",
    "options": "Options",
    "side": "Rulesets side by side",
}
"""What screen readers call the tables; they can be scrolled sideways in narrow windows, so they take the keyboard focus."""


def _table_html(kind: str, columns: Sequence[str], rows: str, caption: str = "") -> str:
    caption_html = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    return (
        f'<div class="rulebook" role="region" tabindex="0" aria-label="{_TABLE_TITLES[kind]}"><table class="{kind}">{caption_html}<thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
