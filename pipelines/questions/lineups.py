"""Strategies that questions name, checked against the games that they are to play."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.errors import GameError
from engine.strategies import read_player

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.ruleset import Ruleset


def find_unknown_strategies(ruleset: Ruleset, lineup: Iterable[str]) -> list[str]:
    """Return a sentence on each strategy of a line-up that cannot play."""
    game, problems = games.find_game(ruleset.game), []
    for text in dict.fromkeys(lineup):
        try:
            read_player(game, text)
        except GameError as error:
            said = str(error)
            problems.append(f"{said[0].upper()}{said[1:]}{'' if said.endswith('?') else '.'}")
    return problems
