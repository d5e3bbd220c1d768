"""The registry of games. Every folder beside this file is a game."""

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
    """Return the names of all games: the names of their folders, with `-` for `_`."""
    return tuple(
        sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if module.ispkg)
    )


@cache
def find_game(name: str) -> Game:
    """Return a game by its name; raise InvalidError that suggests the nearest names if it does not exist."""
    if name not in game_names():
        raise unknown_name_error("game", name, game_names())
    game = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").GAME
    if not isinstance(game, Game):
        message = f"engine/games/{name}: GAME is not a Game"
        raise TypeError(message)
    return game


@cache
def registered_games() -> tuple[Game, ...]:
    """Return all games in the order of every list."""
    return tuple(sorted(map(find_game, game_names()), key=lambda game: list_order(game.name)))


def list_order(name: str) -> str:
    """Return the key by which every list sorts what belongs to a game: the title of the game."""
    return find_game(name).title


def start_state(ruleset: Ruleset) -> State:
    """Return the position at the start of a game under a ruleset."""
    return find_game(ruleset.game).start(ruleset)
