"""Strategies by name: those that need only the contract, and how `name:parameter=number` is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.game import Game, InvalidError, Parameter, State, Strategy, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.luck import Source


def _random() -> Callable[[State, Source], int]:
    return lambda state, source: source.choice(state.actions)


COMMON: Final = (Strategy("random", "Every legal action is equally likely.", _random),)
"""Strategies that play any game."""


@dataclass(frozen=True)
class Player:
    """A strategy with its parameters settled, ready to decide."""

    name: str
    """The full text, so that equal players have equal names: every parameter in the declared order, weights only where
    they are not as tuned."""
    strategy: Strategy
    parameters: Mapping[str, float]
    decide: Callable[[State, Source], int]


def known(game: Game) -> dict[str, Strategy]:
    """Return all built-in strategies that play a game, by name."""
    return {strategy.name: strategy for strategy in (*COMMON, *game.strategies)}


def player(game: Game, text: str) -> Player:
    """Read `name` or `name:parameter=number,parameter=number`.

    Raises InvalidError for an unknown strategy or parameter and for a value that is no number or out of range.
    """
    name, _, rest = text.partition(":")
    strategies = known(game)
    if name not in strategies:
        raise unknown(f"strategy of {game.name}", name, strategies)
    strategy = strategies[name]
    declared = {parameter.name: parameter for parameter in strategy.parameters}
    given: dict[str, float] = {}
    for setting in rest.split(",") if rest else ():
        key, _, value = setting.partition("=")
        if key not in declared:
            raise unknown(f"parameter of {name}", key, declared)
        if key in given:
            raise InvalidError(f"strategy {text!r}: {key} is given twice")
        given[key] = _number(value, declared[key], text)
    parameters = {key: given.get(key, parameter.default) for key, parameter in declared.items()}
    settings = ",".join(
        f"{key}={value:.15g}"
        for key, value in parameters.items()
        if not (declared[key].is_weight and value == declared[key].default)
    )
    full = f"{name}:{settings}" if settings else name
    if strategy.make is None:
        return Player(full, strategy, parameters, _Compiled(full, strategy, parameters))
    return Player(full, strategy, parameters, strategy.make(**parameters))


class _Compiled:
    """Decides by the kernel: for strategies of which there is no second implementation."""

    def __init__(self, name: str, strategy: Strategy, parameters: Mapping[str, float]) -> None:
        self._player = Player(name, strategy, parameters, self)

    def __call__(self, state: State, source: Source) -> int:
        from engine.kernel import kernel  # noqa: PLC0415 - the plain rules do without it

        compiled = kernel(state.ruleset)
        if compiled is None or not compiled.can_play([self._player]):
            raise InvalidError(
                f"strategy {self._player.name!r} needs compiled games, which {state.ruleset.name} does not have here"
            )
        return compiled.decide(state, self._player, source)


def _number(value: str, parameter: Parameter, text: str) -> float:
    wanted = f"{parameter.name} is a number from {parameter.low:g} to {parameter.high:g}"
    try:
        number = float(value)
    except ValueError:
        raise InvalidError(f"strategy {text!r}: {wanted}, not {value!r}") from None
    if math.isnan(number) or not parameter.low <= number <= parameter.high:
        raise InvalidError(f"strategy {text!r}: {wanted}, not {value}")
    if isinstance(parameter.default, int):
        if not number.is_integer():
            raise InvalidError(f"strategy {text!r}: {parameter.name} is a whole number, not {value}")
        return int(number)
    return number
