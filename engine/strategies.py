"""Strategies by name: those that need only the contract, and how `name:parameter=number` is read.

A text among the parameters stands in double quotes, and there is no double quote in it:
`gtp:command="pentobi-gtp --level 1",seconds=60`. Without commas, spaces and quotes in it it needs none round it.
"""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError, unknown_name_error
from engine.strategy import Parameter, Player, Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.game import Game
    from engine.luck import Source
    from engine.state import State


def _random() -> Callable[[State, Source], int]:
    return lambda state, source: source.choice(state.actions)


COMMON_STRATEGIES: Final = (Strategy("random", "Every legal action is equally likely.", _random),)
"""Strategies that play any game."""


def built_in_strategies(game: Game) -> dict[str, Strategy]:
    """Return all built-in strategies that play a game, by name."""
    return {strategy.name: strategy for strategy in (*COMMON_STRATEGIES, *game.strategies)}


def read_player(game: Game, text: str, own: Mapping[str, Strategy] = MappingProxyType({})) -> Player:
    """Read `name` or `name:parameter=number,parameter=number`; `own` holds strategies besides the built-in ones.

    Raises InvalidError for an unknown strategy or parameter and for a value that is no number or out of range.
    """
    name, _, rest = text.partition(":")
    strategies = {**own, **built_in_strategies(game)}
    if name not in strategies:
        if any(name == program.name for program in game.programs):
            raise InvalidError(
                f"strategy {name!r} starts a program: only a command line that names it may do that"
            )
        raise unknown_name_error(f"strategy of {game.name}", name, strategies)
    strategy = strategies[name]
    parameters, texts = _read_settings(strategy, rest, text)
    settings = [f'{key}="{value}"' for key, value in texts.items()]
    settings += [
        f"{parameter.name}={_format_number(parameters[parameter.name])}"
        for parameter in strategy.parameters
        if not (parameter.is_weight and parameters[parameter.name] == parameter.default)
    ]
    full = f"{name}:{','.join(settings)}" if settings else name
    if strategy.make is None:
        return Player(full, strategy, parameters, _CompiledDecider(full, strategy, parameters))
    return Player(full, strategy, parameters, strategy.make(**parameters, **texts), texts)


def _format_number(number: float) -> str:
    """Write a number so that it is read as the very same: 15 digits do for what people write, 17 for all.

    >>> _format_number(0.1), _format_number(2.0), _format_number(0.1 + 0.2)
    ('0.1', '2', '0.30000000000000004')
    """
    written = f"{number:.15g}"
    return written if float(written) == number else f"{number:.17g}"


def _read_settings(strategy: Strategy, settings: str, text: str) -> tuple[dict[str, float], dict[str, str]]:
    """Read the numbers and texts that a strategy is given, in the declared order."""
    declared = {parameter.name: parameter for parameter in strategy.parameters}
    texts = {wanted.name: wanted.title for wanted in strategy.texts}
    given: dict[str, str] = {}
    for setting in split_at_commas(settings) if settings else ():
        key, _, value = setting.partition("=")
        if key not in declared and key not in texts:
            raise unknown_name_error(f"parameter of {strategy.name}", key, [*declared, *texts])
        if key in given:
            raise InvalidError(f"strategy {text!r}: {key} is given twice")
        given[key] = value
    for key, title in texts.items():
        if key not in given:
            raise InvalidError(f'strategy {text!r} needs {key}="...": {title}')
    return (
        {
            key: _read_number_setting(given[key], parameter, text) if key in given else parameter.default
            for key, parameter in declared.items()
        },
        {key: _read_text_setting(given[key], key, text) for key in texts},
    )


def split_at_commas(text: str) -> list[str]:
    """Split at the commas that stand in no double quotes.

    >>> split_at_commas('greedy,gtp:command="a, b",seconds=9')
    ['greedy', 'gtp:command="a, b"', 'seconds=9']
    """
    quoted = text.split('"')
    quoted[::2] = [outside.replace(",", "\0") for outside in quoted[::2]]
    return '"'.join(quoted).split("\0")


def _read_text_setting(value: str, key: str, text: str) -> str:
    inside = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    if (
        not inside
        or '"' in inside
        or (inside == value and re.search(r"[\s,]", value))
        or not inside.isprintable()
    ):
        raise InvalidError(f'strategy {text!r}: {key} is a text in double quotes, such as {key}="..."')
    return inside


class _CompiledDecider:
    """Decides by the kernel: for strategies of which there is no second implementation."""

    def __init__(self, name: str, strategy: Strategy, parameters: Mapping[str, float]) -> None:
        self._player = Player(name, strategy, parameters, self)

    def __call__(self, state: State, source: Source) -> int:
        from engine.kernels.contract import find_kernel  # noqa: PLC0415 - the plain rules do without it

        compiled = find_kernel(state.ruleset)
        if compiled is None or not compiled.can_play([self._player]):
            raise InvalidError(
                f"strategy {self._player.name!r} needs compiled games, which {state.ruleset.name} does not have here"
            )
        return compiled.decide(state, self._player, source)


def _read_number_setting(value: str, parameter: Parameter, text: str) -> float:
    bounded = math.isfinite(parameter.low) or math.isfinite(parameter.high)
    wanted = f"{parameter.name} is a number" + f" from {parameter.low:g} to {parameter.high:g}" * bounded
    try:
        number = float(value)
    except ValueError:
        raise InvalidError(f"strategy {text!r}: {wanted}, not {value!r}") from None
    if not math.isfinite(number) or not parameter.low <= number <= parameter.high:
        raise InvalidError(f"strategy {text!r}: {wanted}, not {value}")
    if isinstance(parameter.default, int):
        if not number.is_integer():
            raise InvalidError(f"strategy {text!r}: {parameter.name} is a whole number, not {value}")
        return int(number)
    return number
