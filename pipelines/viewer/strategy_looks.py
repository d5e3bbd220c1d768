"""The looks of the strategies of all games and of a library: the same on all pages, in notebooks and in studies."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from engine import games
from engine.strategies import read_player
from pipelines.viewer.palette import assign_looks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.viewer.palette import SeriesLook


def assign_strategy_looks(
    played: Iterable[tuple[str, Iterable[str]]] = (), more: Iterable[str] = ()
) -> dict[str, SeriesLook]:
    """Return the looks of the strategies of all games, of those that were `played` in games, and of some `more`.

    The strategies of the games choose first, with their usual parameters, so that their looks are the same in every
    library.

    >>> looks = assign_strategy_looks([("bloxx", ["greedy", "planner:candidates=6"])])
    >>> looks["greedy"].colour, looks["greedy"].dash
    ('#1F83C2', 'solid')
    """
    shipped = {name: _list_default_strategies(name) for name in games.game_names()}
    groups = {name: set(strategies) for name, strategies in shipped.items()}
    for game, strategies in played:
        groups.setdefault(game, set()).update(strategies)
    return assign_looks(*shipped.values(), *groups.values(), more)


@cache
def _list_default_strategies(game_name: str) -> tuple[str, ...]:
    """Return the full names of the strategies of a game with their usual parameters."""
    game = games.find_game(game_name)
    return tuple(read_player(game, strategy.name).label for strategy in game.strategies)
