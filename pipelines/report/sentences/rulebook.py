"""The rules of a game, and values of a ruleset as texts."""

from __future__ import annotations

from typing import Any, Final

from engine.clauses import Clauses, read_clauses

ORIGIN_LABELS: Final = {
    "book": "printed",
    "reconstructed": "our reconstruction",
    "own": "own idea",
}
"""What people call the provenance of a table."""
MAX_NAME_CHARACTERS: Final = 3
"""Texts longer than this are rows of a drawing; shorter ones are names of shapes, colours and the like."""


def find_clauses(game: str) -> Clauses:
    """Return the rules of a game by its name; they are empty if nobody has written them."""
    try:
        return read_clauses(game)
    except FileNotFoundError:
        return Clauses("", "", ())


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
