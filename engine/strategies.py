"""Strategies by name: the strategies that play every game, and players read from text."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError, unknown_name_error
from engine.player_notation import read_settings
from engine.strategy import Player, Strategy
from engine.wording import player_label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.game import Game
    from engine.luck import Source
    from engine.state import State


def _make_random() -> Callable[[State, Source], int]:
    return lambda state, source: source.choice(state.actions)


COMMON_STRATEGIES: Final = (Strategy("random", "Every legal action is equally likely.", _make_random),)
"""Strategies that play every game."""


def built_in_strategies(game: Game) -> dict[str, Strategy]:
    """Return all built-in strategies that play a game, by name."""
    return {strategy.name: strategy for strategy in (*COMMON_STRATEGIES, *game.strategies)}


def read_player(game: Game, text: str, own: Mapping[str, Strategy] = MappingProxyType({})) -> Player:
    """Return the player written as `name` or `name:parameter=number,parameter=number`.

    `own` holds strategies in addition to the built-in ones. Raises InvalidError for an unknown strategy or parameter
    and for a value that is not a number or is out of range.
    """
    name = text.partition(":")[0]
    strategies = {**own, **built_in_strategies(game)}
    if name not in strategies:
        if any(name == program.name for program in game.programs):
            raise InvalidError(
                f"strategy {name!r} starts a program: only a command line that names it may do that"
            )
        raise unknown_name_error(f"strategy of {game.name}", name, strategies)
    strategy = strategies[name]
    settings = read_settings(strategy, text)
    label = player_label(settings.player_name)
    if label != settings.player_name and label.partition(":")[0] in strategies:
        raise InvalidError(f"strategy {text!r}: name={label!r} is a strategy itself; choose another name")
    decide = (
        strategy.make(**settings.parameters, **settings.texts)
        if strategy.make
        else _KernelDecider(settings.player_name, strategy, settings.parameters)
    )
    return Player(settings.player_name, strategy, settings.parameters, decide, settings.texts)


class _KernelDecider:
    """Decides by the game's kernel, for strategies that the plain rules cannot play."""

    def __init__(self, name: str, strategy: Strategy, parameters: Mapping[str, float]) -> None:
        self._player = Player(name, strategy, parameters, self)

    def __call__(self, state: State, source: Source) -> int:
        from engine.kernels.loader import find_kernel  # noqa: PLC0415 - NumPy takes 0.1 s to import

        kernel = find_kernel(state.ruleset, [self._player])
        if kernel is None:
            raise InvalidError(
                f"strategy {self._player.name!r} needs compiled games, which {state.ruleset.name} does not have here"
            )
        return kernel.decide(state, self._player, source)
