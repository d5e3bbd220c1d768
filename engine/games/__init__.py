"""The games that are here: every folder beside this file is one, found by looking."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from engine.errors import unknown_name_error
from engine.game import Game

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.state import State


@cache
def game_names() -> tuple[str, ...]:
    """Return the names of all games (folders, with `-` for `_`)."""
    return tuple(
        sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules(__path__) if found.ispkg)
    )


@cache
def find_game(name: str) -> Game:
    """Return a game by its name; raise InvalidError with the nearest names if there is none."""
    if name not in game_names():
        raise unknown_name_error("game", name, game_names())
    found = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").GAME
    if not isinstance(found, Game):
        message = f"engine/games/{name}: GAME is no Game"
        raise TypeError(message)
    return found


def start_state(ruleset: Ruleset) -> State:
    """Return the position before anything has happened under a ruleset."""
    return find_game(ruleset.game).start(ruleset)
