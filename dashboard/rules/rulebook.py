"""How a game is played, and its rules clause by clause.

All texts are escaped: markup in a clause is shown as text.

How a game is played, in a few sentences for people who want to learn it, with the numbers of one ruleset.
The text is the file `how_to_play.md` in the folder of the game. It has headings, paragraphs and lists. `{name}` is the value of
an option of the ruleset, `[name = value]` before the text of a list item limits it to rulesets with this value, and a bracket
at the end of a text names clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.clauses import CLAUSE_LABELS, Clause
from pipelines.report.table import Table

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.report.sheet import Part

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


_CONDITION: Final = re.compile(r"\[(\w+) = (\w+)\] ")
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_CLAUSE_NUMBER: Final = re.compile(r"^[A-Z]{2}-\d+: ")
_CLAUSE_REFERENCE: Final = re.compile(r" \(((?:[A-Z]+-\d+(?:, )?)+)\)$")


class Instruction(NamedTuple):
    """One sentence or more, and the numbers of the clauses that it summarises."""

    text: str
    clauses: tuple[str, ...]
    is_item: bool
    """True for an item of a list."""


class InstructionPart(NamedTuple):
    """A heading and the text below it."""

    heading: str
    instructions: tuple[Instruction, ...]


def read_how_to_play(ruleset: Ruleset) -> tuple[InstructionPart, ...]:
    """Return how to play by a ruleset, in parts; empty if its game has no such text."""
    text = _read_text(ruleset.game)
    options = {
        name: _value_for(value, ruleset.players) for name, value in ruleset.document["options"].items()
    }
    return tuple(
        InstructionPart(heading.strip(), _read_instructions(body, options))
        for heading, _, body in (part.partition("\n") for part in text.split("\n## ")[1:])
    )


@cache
def _read_text(game: str) -> str:
    path = files(f"engine.games.{game.replace('-', '_')}").joinpath("how_to_play.md")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _value_for(value: object, players: int) -> str:
    """Return the value of an option as text; of a table by number of players, the entry for `players`."""
    return str(value.get(str(players), value)) if isinstance(value, dict) else str(value)


def _read_instructions(body: str, options: Mapping[str, str]) -> tuple[Instruction, ...]:
    instructions = []
    for line in filter(None, map(str.strip, body.splitlines())):
        text = line.removeprefix("- ")
        condition = _CONDITION.match(text)
        if condition:
            if options[condition[1]] != condition[2]:
                continue
            text = text[condition.end() :]
        reference = _CLAUSE_REFERENCE.search(text)
        if reference:
            text = text[: reference.start()]
        text = _PLACEHOLDER.sub(lambda match: options[match[1]], text)
        clauses = tuple(reference[1].split(", ")) if reference else ()
        instructions.append(Instruction(text, clauses, line.startswith("- ")))
    return tuple(instructions)


def write_how_to_play_html(parts: tuple[InstructionPart, ...], *, has_numbers: bool) -> str:
    """Return the text as HTML, if `has_numbers` with its clauses as links to the rows of `dashboard.rules.rulebook.clauses_table`."""
    html = ""
    for part in parts:
        html += f"<h3>{escape(part.heading)}</h3>"
        items = "".join(
            _write_instruction(instruction, "li", has_numbers=has_numbers)
            for instruction in part.instructions
            if instruction.is_item
        )
        html += "".join(
            _write_instruction(instruction, "p", has_numbers=has_numbers)
            for instruction in part.instructions
            if not instruction.is_item
        )
        html += f"<ul>{items}</ul>" if items else ""
    return f'<div class="how-to-play">{html}</div>'


def leave_out_numbers(part: Part) -> Part:
    """Return a table of a ruleset without the numbers of clauses at the beginnings of its texts."""
    table = part.content
    if not isinstance(table, Table):
        return part
    rows = tuple(
        tuple(_CLAUSE_NUMBER.sub("", cell) if isinstance(cell, str) else cell for cell in row)
        for row in table.rows
    )
    return replace(part, content=table._replace(rows=rows))


def _write_instruction(instruction: Instruction, tag: str, *, has_numbers: bool) -> str:
    if not has_numbers:
        return f"<{tag}>{escape(instruction.text)}</{tag}>"
    links = " ".join(f'<a href="#{escape(number)}">{escape(number)}</a>' for number in instruction.clauses)
    return f"<{tag}>{escape(instruction.text)} {links}</{tag}>"
