"""Games and runs in other shapes: files for people, for programs and for Pentobi, tables for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.game import unknown
from pipelines.exchange.json_document import DOCUMENT
from pipelines.exchange.text import TEXT

if TYPE_CHECKING:
    from engine.game import Format


def formats(game: str | None = None) -> dict[str, Format]:
    """Return the formats in which single games are kept, of one game or of any, by the end of a file's name."""
    names = games.names() if game is None else [game]
    return {
        found.suffix: found
        for found in (DOCUMENT, TEXT, *(one for name in names for one in games.game(name).formats))
    }


def format_of(suffix: str, game: str | None = None) -> Format:
    """Return the format of files whose names end like this, of one game or of any; raise InvalidError if there is none."""
    found = formats(game)
    if suffix not in found:
        raise unknown("format", suffix, found)
    return found[suffix]
