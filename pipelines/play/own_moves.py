"""What a strategy would have done in place of the people of a game by hand, choice by choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine import games
from engine.strategies import read_player
from pipelines.simulate.checked_players import decide_once

if TYPE_CHECKING:
    from engine.state import State
    from pipelines.play.hand_game import HandGame


class ComparedChoice(NamedTuple):
    """A choice of a person, and that of a strategy in the same position."""

    ply: int
    before: State
    own: int
    """The action of the person."""
    other: int
    """The action of the strategy."""


def compare_choices(game: HandGame, strategy: str) -> list[ComparedChoice]:
    """Return every choice of a person that was not taken back, with that of a strategy.

    The strategy has the luck that it would have had in that seat. Raises InvalidError if it does not exist.
    """
    player = read_player(games.find_game(game.setup.ruleset.game), strategy)
    return [
        ComparedChoice(
            ply,
            before,
            game.plies[ply].action,
            decide_once(player, before, game.plies[:ply], game.setup.luck),
        )
        for ply, before in game.choices
    ]
