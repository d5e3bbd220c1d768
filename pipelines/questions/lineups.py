"""The strategies of a question: what a form proposes, and what is wrong with those that an address names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.errors import GameError
from engine.strategies import built_in_strategies, read_player
from pipelines.questions.address import write_problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.ruleset import Ruleset


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


def find_unknown_strategies(ruleset: Ruleset, lineup: Iterable[str]) -> list[str]:
    """Return a sentence on each strategy of a line-up that cannot play."""
    game, problems = games.find_game(ruleset.game), []
    for text in dict.fromkeys(lineup):
        try:
            read_player(game, text)
        except GameError as error:
            problems.append(write_problem(error))
    return problems
