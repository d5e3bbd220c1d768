"""Export and import: games as text, JSON, HTML or files of Pentobi, runs as tables, games as environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.errors import unknown_name_error
from pipelines.exchange.game_files import JSON_FORMAT, TEXT_FORMAT

if TYPE_CHECKING:
    from engine.game import GameFormat


def game_formats(game: str | None = None) -> dict[str, GameFormat]:
    """Return the formats for a single game by the suffix of their files; with `game`, those of that game only."""
    names = games.game_names() if game is None else [game]
    return {
        game_format.suffix: game_format
        for game_format in (
            JSON_FORMAT,
            TEXT_FORMAT,
            *(own_format for name in names for own_format in games.find_game(name).formats),
        )
    }


def find_format(suffix: str, game: str | None = None) -> GameFormat:
    """Return the format of a file suffix, such as txt; raise InvalidError for an unknown suffix."""
    formats = game_formats(game)
    if suffix not in formats:
        raise unknown_name_error("format", suffix, formats)
    return formats[suffix]
