"""The rules of a game by number, read from the file `clauses.md` in its folder."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

CLAUSE_LABELS: Final = {
    "book": "stated in the rulebook",
    "ruling": "the rulebook is silent or ambiguous; this is how Reroll decides",
    "table": "printed as a picture that was not available; the ruleset contains a reconstruction",
}

_CLAUSE_ROW: Final = re.compile(r"\|\s*([A-Z]+-[0-9]+)\s*\|\s*([a-z, ]+?)\s*\|\s*(.+?)\s*\|")


class Clause(NamedTuple):
    """One rule. Its text may contain Markdown: `*emphasis*`, `**strong**` and backquotes."""

    number: str
    labels: tuple[str, ...]
    """Keys of `CLAUSE_LABELS`."""
    text: str


class Clauses(NamedTuple):
    """The rules of a game."""

    heading: str
    """The game, its author and its publisher."""
    short: str
    """A summary of the game in a few sentences."""
    clauses: tuple[Clause, ...]


@cache
def read_clauses(game: str) -> Clauses:
    """Return the rules of a game by its name; raise FileNotFoundError if its folder has no `clauses.md`."""
    folder = files(f"engine.games.{game.replace('-', '_')}")
    text = folder.joinpath("clauses.md").read_text(encoding="utf-8")
    heading, short, *_ = [block.strip() for block in text.split("\n\n")]
    clauses = []
    for number, label, words in _CLAUSE_ROW.findall(text):
        labels = [word.strip() for word in label.split(",")]
        if "**ruling**" in words and "ruling" not in labels:
            labels.append("ruling")
        clauses.append(Clause(number, tuple(labels), words))
    return Clauses(heading.removeprefix("# "), " ".join(short.split()), tuple(clauses))
