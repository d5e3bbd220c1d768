"""The rules of a game by number, as they stand in its `read_clauses.md`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

CLAUSE_LABELS: Final = {
    "book": "stated by the rulebook",
    "ruling": "the book is silent or ambiguous; this is how it is settled here",
    "table": "printed as a picture that could not be had; our reconstruction stands in the ruleset",
}

_CLAUSE_ROW: Final = re.compile(r"\|\s*([A-Z]+-[0-9]+)\s*\|\s*([a-z, ]+?)\s*\|\s*(.+?)\s*\|")


class Clause(NamedTuple):
    """One rule; the text has a little Markdown: stars, double stars and backquotes."""

    number: str
    labels: tuple[str, ...]
    """Of LABELS."""
    text: str


class Clauses(NamedTuple):
    """The rules of a game."""

    heading: str
    """The game, its author and publisher."""
    short: str
    """What it is about, in a few sentences."""
    clauses: tuple[Clause, ...]


@cache
def read_clauses(game: str) -> Clauses:
    """Return the rules of a game by its name; raise FileNotFoundError if its folder has none."""
    folder = files(f"engine.games.{game.replace('-', '_')}")
    text = folder.joinpath("clauses.md").read_text(encoding="utf-8")
    heading, short, *_ = [block.strip() for block in text.split("\n\n")]
    found = []
    for number, label, words in _CLAUSE_ROW.findall(text):
        labels = [one.strip() for one in label.split(",")]
        if "**ruling**" in words and "ruling" not in labels:
            labels.append("ruling")
        found.append(Clause(number, tuple(labels), words))
    return Clauses(heading.removeprefix("# "), " ".join(short.split()), tuple(found))
