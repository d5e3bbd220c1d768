"""Games and runs in other shapes: files for people, for programs and for Pentobi, tables for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.errors import unknown_name_error
from pipelines.exchange.json_document import JSON_FORMAT
from pipelines.exchange.text import TEXT_FORMAT

if TYPE_CHECKING:
    from engine.game import GameFormat


def game_formats(game: str | None = None) -> dict[str, GameFormat]:
    """Return the formats in which single games are kept, of one game or of any, by the end of a file's name."""
    names = games.game_names() if game is None else [game]
    return {
        found.suffix: found
        for found in (
            JSON_FORMAT,
            TEXT_FORMAT,
            *(one for name in names for one in games.find_game(name).formats),
        )
    }


def find_format(suffix: str, game: str | None = None) -> GameFormat:
    """Return the format of files whose names end like this, of one game or of any; raise InvalidError if there is none."""
    found = game_formats(game)
    if suffix not in found:
        raise unknown_name_error("format", suffix, found)
    return found[suffix]
