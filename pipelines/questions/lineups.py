"""The strategies and the seed of a question: what a form proposes, and what is wrong with those that an address names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from engine import games
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies, read_player
from pipelines.design.limits import SEED, choose_seed
from pipelines.questions.address import shorten_value, write_problem

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.strategy import Strategy


def suggest_lineup(ruleset: Ruleset, last: str | None = None) -> tuple[str, ...]:
    """Return the strategies of the seats that a form offers first: `last` in the last seat, another one in all other seats.

    Unless given, `last` is `random`. The other one is `greedy`, or `random` if `last` is `greedy`. A game that lacks them
    has its last strategy in the place of `greedy` and its first in the place of `random`.
    """
    known = list(built_in_strategies(games.find_game(ruleset.game)))
    good = "greedy" if "greedy" in known else known[-1]
    weak = "random" if "random" in known else known[0]
    last = last or weak
    other = weak if last == good else good
    return (*[other] * (ruleset.players - 1), last)


def plays_games_out(strategy: Strategy) -> bool:
    """Return whether a strategy plays whole games out before it decides, which takes long."""
    return any(parameter.name == "playouts" for parameter in strategy.parameters)


def find_unknown_strategies(ruleset: Ruleset, lineup: Iterable[str]) -> list[str]:
    """Return a sentence on each strategy of a line-up that cannot play."""
    game, problems = games.find_game(ruleset.game), []
    for text in dict.fromkeys(lineup):
        try:
            read_player(game, text)
        except GameError as error:
            problems.append(write_problem(error))
    return problems


MAX_SEED_DIGITS: Final = len(str(SEED.maximum))


def parse_seed(text: str) -> int:
    """Return the seed in a text; a random one below a million if the text is empty.

    Raises InvalidError if the text is not a seed.

    >>> parse_seed("17")
    17
    >>> parse_seed("many")
    Traceback (most recent call last):
    engine.errors.InvalidError: The seed must be a whole number from 0 to 18,446,744,073,709,551,615, not many.
    """
    if not text:
        return choose_seed()
    is_number = text.isdecimal() and len(text) <= MAX_SEED_DIGITS
    if not is_number or int(text) > SEED.maximum:
        raise InvalidError(
            f"The seed must be a whole number from {SEED.minimum} to {SEED.maximum:,}, not {shorten_value(text)}."
        )
    return int(text)


def find_seed_problem(text: str) -> list[str]:
    """Return a sentence on a text that is not a seed, in a list."""
    try:
        parse_seed(text)
    except InvalidError as error:
        return [str(error)]
    return []
