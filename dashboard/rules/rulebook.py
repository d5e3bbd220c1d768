"""Rules as HTML tables: clauses, options, provenance, rulesets side by side, and their differences. Does not import Streamlit.

All texts are escaped: markup in a ruleset or a clause is shown as text.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from dashboard.widgets.markdown import escape_markdown
from engine.clauses import CLAUSE_LABELS
from engine.counted_nouns import capitalise
from pipelines.report.sentences.rulebook import ORIGIN_LABELS
from pipelines.report.sentences.ruleset_difference import list_differences
from pipelines.report.sentences.setting_words import find_marks, title_setting
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

DRAWN_BELOW: Final = "drawn below"
_DIFFERS: Final = ' class="differs"'


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
    return _named_rows_html(
        "options", tabulate_options(ruleset).select_columns("option", "value", "what it means"), escape
    )


def _named_rows_html(kind: str, table: Table, write_value: Callable[[str], str]) -> str:
    """Return a table of names, values and what they mean."""
    rows = "".join(
        f'<tr><th scope="row">{escape(capitalise(name))}</th><td>{write_value(value)}</td><td>{escape(about)}</td></tr>'
        for name, value, about in table.texts
    )
    return _table_html(kind, table.columns, rows)


def side_by_side_table(rulesets: Sequence[Ruleset]) -> str:
    """Return the settings in which some rulesets differ as an HTML table, one column each; empty if they are all alike.

    The differences from the first column are marked. Drawings are not repeated as letters.
    """
    game, titles = rulesets[0].game, [ruleset.title for ruleset in rulesets]
    drawn = {title_setting(game, key) for key in rulesets[0].document["tables"] if find_marks(game, key)}
    body = ""
    for name, *values in _settings_rows(rulesets, alike=False):
        texts = [DRAWN_BELOW if name in drawn else value for value in values]
        cells = "".join(
            f'<td data-of="{escape(title)}"{_DIFFERS if value != values[0] else ""}>{_multiline_html(text)}</td>'
            for title, text, value in zip(titles, texts, values, strict=True)
        )
        body += f'<tr><th scope="row">{escape(capitalise(name))}</th>{cells}</tr>'
    columns = [f"{escape(ruleset.title)}<small>{escape(ruleset.name)}</small>" for ruleset in rulesets]
    return _table_html("side", ("setting", *columns), body) if body else ""


def common_settings_table(rulesets: Sequence[Ruleset]) -> tuple[int, str]:
    """Return how many settings some rulesets have in common, and these with their values as an HTML table."""
    rows = _settings_rows(rulesets, alike=True)
    body = "".join(
        f'<tr><th scope="row">{escape(capitalise(name))}</th><td>{_multiline_html(value)}</td></tr>'
        for name, value, *_ in rows
    )
    return len(rows), _table_html("common", ("setting", "in all of them"), body)


def _settings_rows(rulesets: Sequence[Ruleset], *, alike: bool) -> list[tuple[str, ...]]:
    """Return the settings that are alike in all rulesets, or the others; not the titles, which head the columns."""
    texts = tabulate_settings(rulesets).texts
    return [row for row in texts if row[0] != "title" and (len(set(row[1:])) == 1) == alike]


def markup_to_html(text: str) -> str:
    """Return a text in which `*`, `**` and backquotes mark emphasis, strong emphasis and code as HTML."""
    safe = escape(text)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", safe)


def _multiline_html(text: str) -> str:
    return f"<pre>{escape(text)}</pre>" if "\n" in text else escape(text)


def _tag_html(label: str, title: str = "") -> str:
    hint = f' title="{escape(title)}"' if title else ""
    return f'<span class="tag{_TAG_CLASSES.get(label, "")}"{hint}>{escape(label)}</span>'


_TABLE_TITLES: Final = {
    "clauses": "Rules by number",
    "origins": "Origin of the tables",
    "options": "Options",
    "side": "What differs",
    "common": "What they have in common",
}
"""What screen readers call the tables; they can be scrolled sideways in narrow windows, so they take the keyboard focus."""


def _table_html(kind: str, columns: Sequence[str], rows: str) -> str:
    """Return a table; its columns and rows are HTML."""
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    return (
        f'<div class="rulebook" role="region" tabindex="0" aria-label="{_TABLE_TITLES[kind]}"><table class="{kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
