"""Line-ups as a person in Jupyter writes them: names, texts with commas, and own functions."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from engine.errors import InvalidError
from engine.games import find_game
from engine.own_strategies import Plugin, make_plugin
from engine.strategies import built_in_strategies
from pipelines.design.lineups import split_strategies
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies

if TYPE_CHECKING:
    from engine.strategy import StrategyCode

StrategyLike: TypeAlias = str | Callable[..., int]
"""The notation of a strategy, such as "greedy" or "rollout:playouts=64", or a function of a state and a source of luck."""


_NAMED: Final[dict[StrategyCode | None, Plugin]] = {}
"""The functions that this process has named, by their code."""


def read_lineup(
    strategies: object, code: str | Path | Sequence[str | Path] = ()
) -> tuple[list[str], OwnStrategies]:
    """Return the notations of a line-up, and the own strategies that it allows: what it names, its functions, and those of `code`.

    The line-up may be one text with commas, or have such texts in it. Raises InvalidError for anything else.
    """
    items = [strategies] if isinstance(strategies, str) or callable(strategies) else strategies
    if isinstance(items, Sequence) and len(items) == 1 and isinstance(items[0], list | tuple):
        (items,) = items  # a list in place of several arguments
    if not isinstance(items, Sequence) or not all(isinstance(item, str) or callable(item) for item in items):
        raise InvalidError(
            'strategies: expected texts, such as ["greedy", "random"] or "greedy,random", or functions'
        )
    plugins = {id(item): make_plugin(item) for item in items if not isinstance(item, str)}
    texts = [
        text
        for item in items
        for text in (split_strategies(item) if isinstance(item, str) else [plugins[id(item)].strategy.name])
    ]
    files = [code] if isinstance(code, str | Path) else code
    return texts, _add_functions(OwnStrategies.from_names(files, texts), list(plugins.values()))


def join_names(strategies: object) -> str:
    """Return the strategies of a question as one text. Raises InvalidError for functions, which only games of one's own play."""
    names = [strategies] if isinstance(strategies, str) else strategies
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InvalidError(
            'strategies: expected names, such as "greedy,random"; functions play in simulate, compare and whatif'
        )
    return ",".join(names)


def list_strategy_names(games: Iterable[str]) -> list[str]:
    """Return the strategies of games, and each with each of its parameters, such as "planner:candidates=4"."""
    strategies = [item for game in games for item in built_in_strategies(find_game(game)).values()]
    return [
        *dict.fromkeys(strategy.name for strategy in strategies),
        *dict.fromkeys(
            f"{strategy.name}:{parameter.name}={parameter.default:g}"
            for strategy in strategies
            for parameter in strategy.parameters
            if not parameter.is_weight
        ),
    ]


def read_seats(*changes: Any) -> tuple[list[Any], OwnStrategies]:  # noqa: ANN401 - mappings of seats to strategies, words, or None
    """Return mappings of seats to strategies with the names of functions instead of these, and the own strategies that they allow."""
    changed = [dict(change) if isinstance(change, Mapping) else change for change in changes]
    plugins = []
    for change in changed:
        for seat, strategy in change.items() if isinstance(change, dict) else ():
            if not isinstance(strategy, str):
                plugins.append(make_plugin(strategy))
                change[seat] = plugins[-1].strategy.name
    texts = [text for change in changed if isinstance(change, dict) for text in change.values()]
    return changed, _add_functions(OwnStrategies.from_names((), texts), plugins)


def _add_functions(allowed: OwnStrategies, plugins: Sequence[Plugin]) -> OwnStrategies:
    if not plugins:
        return allowed
    if os.environ.get("REROLL_OWN", "1") == "0":
        raise InvalidError("REROLL_OWN=0 allows built-in strategies only")
    hashes = {plugin.strategy.name: plugin.strategy.code for plugin in plugins}
    if doubled := [
        item.strategy.name for item in plugins if hashes[item.strategy.name] != item.strategy.code
    ]:
        name = doubled[0]
        raise InvalidError(
            f"strategies: two different ones are called {name}; give functions different names, and objects of one class an attribute "
            f"__name__, such as self.__name__ = f'{name}-{{size}}'"
        )
    _NAMED.update({plugin.strategy.code: plugin for plugin in plugins})
    functions = tuple({plugin.strategy.name: plugin for plugin in plugins}.values())
    return replace(allowed, functions=functions, decision_seconds=math.inf)


def allow_named_functions(code: Iterable[StrategyCode]) -> OwnStrategies:
    """Allow those functions of a run's code that this process has named: they play on in its games without being named again."""
    functions = tuple(_NAMED[named_code] for named_code in code if named_code in _NAMED)
    return (
        replace(BUILT_IN_ONLY, functions=functions, decision_seconds=math.inf) if functions else BUILT_IN_ONLY
    )
