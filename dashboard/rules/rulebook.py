"""The clauses of a game as an HTML table. Does not import Streamlit.

All texts are escaped: markup in a clause is shown as text.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from engine.clauses import CLAUSE_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.clauses import Clause

_TAG_CLASSES: Final = {"ruling": " settled", "table": " guessed"}
"""By label; other labels have no class of their own."""


def clauses_table(clauses: Iterable[Clause]) -> str:
    """Return the clauses of a game as an HTML table. It can be scrolled sideways, so it takes the keyboard focus."""
    rows = "".join(
        f'<tr id="{escape(clause.number)}"><th scope="row">{escape(clause.number)}</th>'
        f"<td>{''.join(map(_tag_html, clause.labels))}</td><td>{markup_to_html(clause.text)}</td></tr>"
        for clause in clauses
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("No.", "label", "rule"))
    return (
        '<div class="rulebook" role="region" tabindex="0" aria-label="Rules by number"><table class="clauses">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def markup_to_html(text: str) -> str:
    """Return a text in which `*`, `**` and backquotes mark emphasis, strong emphasis and code as HTML."""
    safe = escape(text)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", safe)


def _tag_html(label: str) -> str:
    about = CLAUSE_LABELS.get(label, "")
    hint = f' title="{escape(about)}"' if about else ""
    return f'<span class="tag{_TAG_CLASSES.get(label, "")}"{hint}>{escape(label)}</span>'
