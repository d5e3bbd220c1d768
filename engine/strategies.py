"""The strategies of all games by name, and the opponents whom people are offered.

Strategies as opponents of people: a word for how strong they are, and a sentence on how they play.
The file `opponents.json` in the folder of a game names a strategy for each strength. The recorded ladder proves that each
one is stronger than the one before it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.errors import InvalidError, unknown_name_error
from engine.player_notation import read_settings
from engine.strategy import Player, Strategy
from engine.wording import player_label

if TYPE_CHECKING:
    from engine.game import Game
    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State


def _make_random() -> Callable[[State, Source], int]:
    return lambda state, source: source.choice(state.actions)


COMMON_STRATEGIES: Final = (
    Strategy("random", "Every legal action is equally likely.", _make_random, reads=frozenset()),
)
"""Strategies that play every game."""


def built_in_strategies(game: Game) -> dict[str, Strategy]:
    """Return all built-in strategies that play a game, by name."""
    return {strategy.name: strategy for strategy in (*COMMON_STRATEGIES, *game.strategies)}


def reads_rule(game: Game, strategy: Strategy, rule: str) -> bool | None:
    """Return whether another value of an option or table may change the moves of a strategy; None if that is not known.

    `rule` is the key within the options or the tables, such as `gap_penalty` or `cubes.2`. If the result is False, games
    have the same moves whatever the value, and only their scores differ.

    >>> game = games.find_game("bloxx")
    >>> {name: reads_rule(game, strategy, "gap_penalty") for name, strategy in built_in_strategies(game).items()}
    {'random': False, 'greedy': True, 'noisy': True, 'planner': True, 'rollout': True}
    """
    name = rule.partition(".")[0]
    if name in game.move_rules:
        return True
    return None if strategy.reads is None else name in strategy.reads


def read_player(
    game: Game, text: str, own_strategies: Mapping[str, Strategy] = MappingProxyType({})
) -> Player:
    """Return the player written as `name` or `name:parameter=number,parameter=number`.

    `own_strategies` holds strategies in addition to the built-in ones. Raises InvalidError for an unknown strategy or parameter
    and for a value that is not a number or is out of range.
    """
    name = text.partition(":")[0]
    strategies = {**own_strategies, **built_in_strategies(game)}
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


def unplayable_error(strategy: str, ruleset: Ruleset, obstacle: str) -> InvalidError:
    """Return the error for a strategy that only compiled games can play, and a ruleset that has none."""
    return InvalidError(f"strategy {strategy!r} cannot play {ruleset.name}: {obstacle}")


def list_obstacles(ruleset: Ruleset) -> dict[str, str]:
    """Return by strategy of its game why it cannot play a ruleset; an empty text if it can."""
    from engine.kernels.loader import find_kernel_obstacle  # noqa: PLC0415 - as above

    obstacles = {}
    for name, strategy in built_in_strategies(games.find_game(ruleset.game)).items():
        try:
            if strategy.check_ruleset:
                strategy.check_ruleset(ruleset)
            obstacles[name] = "" if strategy.make else find_kernel_obstacle(ruleset)
        except InvalidError as error:
            obstacles[name] = str(error).removeprefix(f"{ruleset.name}: ")
    return obstacles


class _KernelDecider:
    """Decides by the game's kernel, for strategies that the plain rules cannot play."""

    def __init__(self, name: str, strategy: Strategy, parameters: Mapping[str, float]) -> None:
        self._player = Player(name, strategy, parameters, self)

    def __call__(self, state: State, source: Source) -> int:
        from engine.kernels.loader import find_kernel, find_kernel_obstacle  # noqa: PLC0415 - NumPy takes 0.1 s to import

        kernel = find_kernel(state.ruleset, [self._player])
        if kernel is None:
            obstacle = find_kernel_obstacle(state.ruleset, [self._player])
            raise unplayable_error(self._player.label, state.ruleset, obstacle)
        return kernel.decide(state, self._player, source)


STRENGTHS: Final = ("easy", "medium", "hard")
DEFAULT_STRENGTH: Final = "medium"


class Opponent(NamedTuple):
    """A strategy that people play against."""

    strength: str
    strategy: str
    """The full name of its player."""
    plays: str
    """How it plays, in a sentence for people who know no strategies."""


@cache
def list_opponents(game: str) -> tuple[Opponent, ...]:
    """Return the opponents of a game, the weakest first. A game without the file has `greedy` as the medium one."""
    rules = games.find_game(game)
    path = files(f"engine.games.{game.replace('-', '_')}").joinpath("opponents.json")
    greedy = {"strategy": "greedy", "plays": built_in_strategies(rules)["greedy"].title}
    known: Mapping[str, Mapping[str, str]] = (
        json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {DEFAULT_STRENGTH: greedy}
    )
    return tuple(
        Opponent(strength, read_player(rules, known[strength]["strategy"]).name, known[strength]["plays"])
        for strength in STRENGTHS
        if strength in known
    )


def opponents_up_to(game: str, strength: str) -> tuple[Opponent, ...]:
    """Return the opponents of a game that are not stronger than a strength, the weakest first; the weakest if all are."""
    opponents = list_opponents(game)
    highest = STRENGTHS.index(strength)
    return (
        tuple(opponent for opponent in opponents if STRENGTHS.index(opponent.strength) <= highest)
        or opponents[:1]
    )


def choose_opponent(ruleset: Ruleset, strength: str) -> Opponent:
    """Return the opponent of a strength; where games cannot be compiled, the strongest of the weaker ones that can play."""
    opponents = opponents_up_to(ruleset.game, strength)
    return next(
        (opponent for opponent in reversed(opponents) if _can_play(ruleset, opponent.strategy)), opponents[0]
    )


def _can_play(ruleset: Ruleset, strategy: str) -> bool:
    from engine.kernels.loader import find_kernel  # noqa: PLC0415 - NumPy takes 0.1 s to import

    player = read_player(games.find_game(ruleset.game), strategy)
    return player.strategy.make is not None or find_kernel(ruleset, [player]) is not None


def find_opponent(game: str, player: str) -> Opponent | None:
    """Return the opponent with the full name `player`, or with the name of its strategy for the defaults, or None.

    >>> find_opponent("bloxx", "greedy").strength, find_opponent("bloxx", "random")
    ('medium', None)
    """
    opponents = list_opponents(game)
    return next(
        (
            opponent
            for opponent in opponents
            if player in {opponent.strategy, opponent.strategy.partition(":")[0]}
        ),
        None,
    )
