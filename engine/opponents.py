"""Strategies as opponents of people: a word for how strong they are, and a sentence on how they play.

The file `opponents.json` in the folder of a game names a strategy for each strength. The recorded ladder proves that each
one is stronger than the one before it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.strategies import built_in_strategies, read_player

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset

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
    return tuple(one for one in opponents if STRENGTHS.index(one.strength) <= highest) or opponents[:1]


def choose_opponent(ruleset: Ruleset, strength: str) -> Opponent:
    """Return the opponent of a strength; where games cannot be compiled, the strongest of the weaker ones that can play."""
    opponents = opponents_up_to(ruleset.game, strength)
    return next((one for one in reversed(opponents) if _can_play(ruleset, one.strategy)), opponents[0])


def _can_play(ruleset: Ruleset, strategy: str) -> bool:
    from engine.kernels.loader import find_kernel  # noqa: PLC0415 - NumPy takes 0.1 s to import

    player = read_player(games.find_game(ruleset.game), strategy)
    return player.strategy.make is not None or find_kernel(ruleset, [player]) is not None


def find_opponent(game: str, player: str) -> Opponent | None:
    """Return the opponent that a player is, given by its full name, or by that of the strategy for its defaults; None if it is none.

    >>> find_opponent("bloxx", "greedy").strength, find_opponent("bloxx", "random")
    ('medium', None)
    """
    opponents = list_opponents(game)
    return next((one for one in opponents if player in {one.strategy, one.strategy.partition(":")[0]}), None)
