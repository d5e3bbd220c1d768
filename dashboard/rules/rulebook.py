"""Rules as HTML tables: clauses, options, provenance, rulesets side by side. Does not import Streamlit.

All texts are escaped: markup in a ruleset or a clause is shown as text.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from engine.clauses import CLAUSE_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic.fields import FieldInfo

    from engine.clauses import Clause
    from engine.ruleset import Ruleset

ORIGIN_LABELS: Final = {
    "book": "printed",
    "reconstructed": "our reconstruction",
    "own": "own idea",
}
"""Provenance of a table, as the pages show it."""
ORIGIN_EXPLANATIONS: Final = {
    "book": "printed in the rulebook or on the game",
    "reconstructed": "not printed in the rulebook text; our reconstruction from published descriptions and pictures",
    "own": "invented for this ruleset",
}
MAX_SETTING_CHARACTERS: Final = 12
"""Settings longer than this are not quoted in a sentence."""
MAX_NAME_CHARACTERS: Final = 3
"""Texts longer than this are rows of a drawing; shorter ones are names of shapes, colours and the like."""

_TAG_CLASSES: Final = {
    "book": "",
    "ruling": " settled",
    "table": " guessed",
    "reconstructed": " guessed",
    "own": " settled",
}


def clauses_table(clauses: Iterable[Clause]) -> str:
    """Return the clauses of a game as an HTML table."""
    rows = "".join(
        f'<tr id="{escape(clause.number)}"><th scope="row">{escape(clause.number)}</th>'
        f"<td>{''.join(_tag_html(label, label, CLAUSE_LABELS.get(label, '')) for label in clause.labels)}</td>"
        f"<td>{markup_to_html(clause.text)}</td></tr>"
        for clause in clauses
    )
    head = '<th scope="col">No.</th><th scope="col">Label</th><th scope="col">Rule</th>'
    return _table_html("clauses", "", head, rows)


def provenance_table(ruleset: Ruleset) -> str:
    """Return the provenance of each table of a ruleset as an HTML table."""
    rows = "".join(
        f'<tr><th scope="row">{escape(format_key(table))}</th><td>{origin_tag(origin)} {escape(ORIGIN_EXPLANATIONS[origin])}</td></tr>'
        for table, origin in ruleset.provenance.items()
    )
    head = '<th scope="col">Table</th><th scope="col">Where it comes from</th>'
    return _table_html("origins", "", head, rows)


def options_table(ruleset: Ruleset) -> str:
    """Return the options of a ruleset, with their values and meanings, as an HTML table."""
    meanings = {name: field.description or "" for name, field in _option_fields(ruleset).items()}
    rows = "".join(
        f'<tr><th scope="row">{escape(format_key(key))}</th><td>{escape(format_value(value).replace(chr(10), ", "))}</td><td>{escape(meanings.get(key, ""))}</td></tr>'
        for key, value in ruleset.document["options"].items()
    )
    head = '<th scope="col">Option</th><th scope="col">Value</th><th scope="col">What it means</th>'
    return _table_html("options", "", head, rows)


def _option_fields(ruleset: Ruleset) -> Mapping[str, FieldInfo]:
    model = type(ruleset).model_fields["options"].annotation
    return model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}


def origin_tag(origin: str) -> str:
    """Return the label of a provenance as HTML."""
    return _tag_html(ORIGIN_LABELS[origin], origin, ORIGIN_EXPLANATIONS[origin])


def side_by_side_table(rulesets: Sequence[Ruleset]) -> str:
    """Return the settings of some rulesets as an HTML table, one column each; ≠ marks differences from the first."""
    columns = [ruleset_settings(ruleset) for ruleset in rulesets]
    first = columns[0]
    keys = list(dict.fromkeys(key for settings in columns for key in settings))
    body, group = "", ""
    for key in keys:
        head, _, name = key.partition(".")
        if head != group:
            group = head
            body += f'<tr class="group"><th scope="rowgroup" colspan="{len(rulesets) + 1}">{escape(format_key(head))}</th></tr>'
        cells = "".join(
            _cell_html(settings.get(key), first.get(key), is_first=settings is first) for settings in columns
        )
        body += f'<tr><th scope="row">{escape(format_key(name))}</th>{cells}</tr>'
    head = '<th scope="col">Setting</th>' + "".join(
        f'<th scope="col">{escape(ruleset.name)}</th>' for ruleset in rulesets
    )
    return _table_html("side", "≠ marks differences from the first column.", head, body)


def ruleset_settings(ruleset: Ruleset) -> dict[str, str]:
    """Return the settings of a ruleset by dotted key, as texts: title, players, options, tables and provenance.

    A table of short values has one key for each value; any other table is one text.
    """
    document = ruleset.document
    settings = {"game.title": ruleset.title, "game.players": str(ruleset.players)}
    for part in ("options", "tables"):
        for key, value in document[part].items():
            if isinstance(value, dict) and all(
                isinstance(entry, int | str) and len(str(entry)) <= MAX_NAME_CHARACTERS
                for entry in value.values()
            ):
                settings |= {f"{part}.{key}: {inner}": str(entry) for inner, entry in value.items()}
            else:
                settings[f"{part}.{key}"] = format_value(value)
    return settings | {
        f"provenance.{key}": ORIGIN_LABELS[origin] for key, origin in ruleset.provenance.items()
    }


def format_value(value: Any) -> str:  # noqa: ANN401 - any value of a ruleset
    r"""Return a value of a ruleset as text: the rows of a drawing on a line each, names on one line.

    >>> format_value(["I1", "I2"]), format_value(["..2..", "3...."]), format_value({"1": ["I1", "O4"], "2": ["I2"]})
    ('I1 I2', '..2..\n3....', '1: I1 O4\n2: I2')
    """
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            text = format_value(inner)
            if isinstance(inner, dict):
                lines += [f"{key}:", *(f"  {line}" for line in text.splitlines())]
            else:
                lines.append(f"{key}: {text}")
        return "\n".join(lines)
    if isinstance(value, list):
        texts = [format_value(entry) for entry in value]
        return ("\n" if any(len(text) > MAX_NAME_CHARACTERS for text in texts) else " ").join(texts)
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def format_key(key: str) -> str:
    """Return a key as words.

    >>> format_key("coloured_rows")
    'coloured rows'
    """
    return key.replace("_", " ")


def markup_to_html(text: str) -> str:
    """Return a text in which `*`, `**` and backquotes mark emphasis, strong emphasis and code as HTML."""
    safe = escape(text)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", safe)


def _cell_html(value: str | None, first: str | None, *, is_first: bool) -> str:
    text = "-" if value is None else value
    html = f"<pre>{escape(text)}</pre>" if "\n" in text else escape(text)
    if is_first:
        return f"<td>{html}</td>"
    if value != first:
        return f'<td class="differs">≠ {html}</td>'
    return f'<td class="same">{"the same" if len(text) > 12 else html}</td>'


def _tag_html(text: str, kind: str, title: str) -> str:
    return f'<span class="tag{_TAG_CLASSES.get(kind, "")}" title="{escape(title)}">{escape(text)}</span>'


def _table_html(kind: str, caption: str, head: str, rows: str) -> str:
    caption_html = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="rulebook"><table class="{kind}">{caption_html}<thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def describe_difference(ruleset: Ruleset, other: Ruleset) -> str:
    """Return how another ruleset differs, in words: its short settings beside those of `ruleset`, and other tables by name.

    Titles, numbers of players and the origins of tables do not count. Empty if nothing else differs.
    """
    ours, theirs = ruleset_settings(ruleset), ruleset_settings(other)
    differences = []
    for key in dict.fromkeys([*ours, *theirs]):
        part, _, setting = key.partition(".")
        before, after, name = ours.get(key), theirs.get(key), format_key(setting)
        if part not in {"options", "tables"} or before == after:
            continue
        if before is None or after is None:
            differences.append(f"without {name}" if after is None else f"with {name}")
        elif max(len(before), len(after)) <= MAX_SETTING_CHARACTERS and "\n" not in before + after:
            differences.append(f"{name} {after} instead of {before}")
        else:
            differences.append(f"another table of {name}")
    return ", ".join(differences)
